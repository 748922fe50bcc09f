import { nameOf } from '@filestead/contract'
import { requirePermission } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import { copyEntry, moveEntry, requireTransferable } from '../changes/verbs.ts'
import { Failure, isFailure } from '../failure.ts'
import type { Location } from '../mounts/location.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import type { Progress, TakenRule, TransferKind } from '../storage/transfer-options.ts'
import { type Decision, decide, decidingAnew, type Way } from './decision.ts'
import {
  type Amount,
  changedMeanwhile,
  commonFolder,
  eachItem,
  firstNames,
  type Meant,
  meantAt,
  parsedPaths,
  pathOf,
  shownPathOf,
  statOrNothing,
  Tally,
} from './items.ts'
import type { Kind, Run } from './kind.ts'
import { countingBeside } from './totals.ts'

interface TransferPlan {
  readonly items: readonly (Meant & { readonly to: Location })[]
  /** The run of the kernel in which ids were noted. */
  readonly kernel: string
  readonly failsOnConflict: boolean
}

/** An entry whose last, short step was begun: after a crash it is repeated in the same way. */
interface Begun {
  readonly index: number
  readonly to: Location
  readonly onConflict: Way['onConflict']
  readonly taken?: TakenRule | undefined
  /** What was told of it by then: a repetition that finds it done tells nothing. */
  readonly told?: Amount | undefined
}

interface Staged {
  readonly index: number
  readonly to: Location
}

interface TransferNotes {
  /** The entry at work, of which something may be staged. */
  readonly at?: Staged | undefined
  /** The one that was done last: the storage remembers it until it is told that the cursor is stored. */
  readonly last?: Staged | undefined
  readonly begun?: Begun | undefined
}

/**
 * Entries that are copied or moved, one after another. The long part of each is staged (storage/port.ts), so that it goes on
 * where it stopped; the short one is a change like any other, with its hooks and followers.
 */
export const transferKind = (kind: TransferKind, kernel: string): Kind<TransferPlan> => ({
  async plan(scope, request) {
    if (request.kind !== kind) throw new Failure('invalid', 'This is another kind of job')
    requirePermission(scope.actor, permissionFor[kind])
    const sources = await parsedPaths(request.items.map(({ from }) => from))
    const targets = await parsedPaths(request.items.map(({ to }) => to))
    const [from, to] = [sources[0], targets[0]]
    // Of several, one that is refused keeps no other from its turn.
    if (from !== undefined && to !== undefined && sources.length === 1) requireTransferable(kind, scope, { from, to })
    const meant = await meantAt(scope, sources)
    const items = targets.map((to, index) => ({ ...(meant[index] as Meant), to: scope.locate(to) }))
    return {
      plan: { items, kernel, failsOnConflict: request.failsOnConflict === true },
      count: items.length,
      names: firstNames(sources.map(nameOf)),
      from: commonFolder(scope, sources),
      to: commonFolder(scope, targets),
    }
  },

  require(scope, { items }, cursor) {
    requirePermission(scope.actor, permissionFor[kind])
    const item = items[cursor]
    if (item === undefined) return
    const [from, to] = [pathOf(scope, item.at), pathOf(scope, item.to)]
    for (const path of [from, to]) scope.requireVisible(path)
    requireTransferable(kind, scope, { from, to })
  },

  run: (run) => new Transferring(kind, kernel, run).all(),

  /** A copy keeps what is whole of it; of a move the source is whole still. */
  async clear(run) {
    const { at, last } = run.notes as TransferNotes
    const next = run.plan.items[run.cursor]
    const open = [at, last, next && { index: run.cursor, to: next.to }].filter((each) => each !== undefined)
    for (const { index, to } of open) {
      const scope = await run.scope()
      const [path, id] = [pathOf(scope, to), stagedId(run, index)]
      if (kind === 'copy' && run.isCancelled && index !== last?.index)
        await scope.unstage(path, id, { publish: true }).catch(() => {})
      await scope.unstage(path, id)
    }
  },
})

const permissionFor = { copy: 'create', move: 'rename' } as const

const stagedId = ({ id }: { id: string }, index: number): string => `${id}.${index}`

class Transferring {
  readonly #kind: TransferKind
  readonly #kernel: string
  readonly #run: Run<TransferPlan>
  readonly #tally: Tally
  constructor(kind: TransferKind, kernel: string, run: Run<TransferPlan>) {
    this.#kind = kind
    this.#kernel = kernel
    this.#run = run
    this.#tally = new Tally(run)
  }

  async all(): Promise<void> {
    const run = this.#run
    const { items, failsOnConflict } = run.plan
    await countingBeside(run, () =>
      eachItem(run, items.length, {
        work: (index) => this.#one(index),
        fail: (index, error) => this.#fail(index, error),
        isPatient: !failsOnConflict,
      }),
    )
    await run.save()
    await this.#forgetLast(await run.scope())
  }

  get #notes(): TransferNotes {
    return this.#run.notes as TransferNotes
  }

  #note(notes: TransferNotes): void {
    this.#run.notes = { ...this.#run.notes, ...notes }
  }

  async #one(index: number): Promise<void> {
    const run = this.#run
    const item = run.plan.items[index]
    if (item === undefined) return
    const scope = await run.scope()
    const from = pathOf(scope, item.at)
    requireTransferable(this.#kind, scope, { from, to: pathOf(scope, item.to) })
    if (await this.#finishBegun(index, from, scope)) return
    await decidingAnew(run, async (comparesContents) => {
      const decision = await this.#decide(index, from, pathOf(scope, item.to), { comparesContents })
      if (decision === 'asked' || decision === 'skip') {
        if (decision === 'skip') run.skipped(index)
        await scope.unstage(pathOf(scope, item.to), stagedId(run, index))
        this.#tally.finish({ isDone: false })
        return
      }
      await this.#stage(index, from, decision)
      await this.#publish(index, from, decision, { hadBegun: false })
    })
  }

  /** After a crash, or a full disk: what was begun is done in the way that was decided then, if that is still possible. */
  async #finishBegun(index: number, from: VirtualPath, scope: Scope): Promise<boolean> {
    const { begun } = this.#notes
    if (begun?.index !== index) return false
    if (begun.told !== undefined) this.#tally.goOn(begun.told)
    try {
      await this.#publish(index, from, { ...begun, to: pathOf(scope, begun.to) }, { hadBegun: true })
      return true
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error
      return false
    }
  }

  async #decide(
    index: number,
    from: VirtualPath,
    to: VirtualPath,
    { comparesContents }: { comparesContents: boolean },
  ): Promise<Decision> {
    const run = this.#run
    const scope = await run.scope()
    const source = await scope.stat(from)
    this.#requireMeant(index, source)
    const fails = run.plan.failsOnConflict
    return decide(run, scope, { kind: this.#kind, index, from, to, source, fails, comparesContents })
  }

  /** A copy harms nothing, and a file that was saved meanwhile is another one on the disk. */
  #requireMeant(index: number, source: Entry): void {
    const { plan, retried } = this.#run
    const { id, isFolder } = plan.items[index] as Meant
    if (this.#kind === 'copy' || id === undefined || retried.has(index)) return
    const isOtherKind = isFolder !== (source.kind === 'folder')
    const isOtherFolder = isFolder === true && plan.kernel === this.#kernel && source.id !== id
    if (isOtherKind || isOtherFolder) throw changedMeanwhile()
  }

  #progress(index: number, from: VirtualPath): Progress {
    const pathTo = (inside: string) => (inside === '' ? from : inFolder(from, inside))
    const tell = this.#tally.of(pathTo)
    return (done) => {
      const { leftOut } = done
      if (leftOut !== undefined) this.#run.leftOut(index, leftOut.first.map(pathTo), leftOut.count)
      tell(done)
    }
  }

  async #stage(index: number, from: VirtualPath, { to, onConflict, taken }: Way): Promise<void> {
    const run = this.#run
    const scope = await run.scope()
    const { signal } = run
    this.#note({ at: { index, to: scope.locate(to) } })
    const replace = onConflict === 'overwrite'
    const id = stagedId(run, index)
    await scope.stage(this.#kind, from, to, { id, replace, taken, signal, progress: this.#progress(index, from) })
  }

  async #publish(index: number, from: VirtualPath, way: Way, { hadBegun }: { hadBegun: boolean }): Promise<void> {
    const run = this.#run
    const { onConflict, taken } = way
    // Rights may have been taken away while it was staged.
    const scope = await run.scope()
    const staged = stagedId(run, index)
    if (!hadBegun) {
      this.#note({ begun: { index, to: scope.locate(way.to), onConflict, taken, told: this.#tally.present } })
      await run.save()
      await this.#forgetLast(scope)
    }
    const transfer = {
      from,
      to: way.to,
      onConflict,
      taken,
      staged,
      signal: run.signal,
      progress: this.#progress(index, from),
    }
    const verb = this.#kind === 'copy' ? copyEntry : moveEntry
    const to = await verb(run.changes, scope, transfer).catch(async (error) => {
      // It had arrived, and only the note of it was lost.
      if (hadBegun && isFailure(error, 'not-found') && (await statOrNothing(scope, way.to)) !== undefined) return way.to
      throw error
    })
    run.did({ path: from, to })
    const wanted = run.plan.items[index]?.to
    if (wanted !== undefined && scope.locate(to) !== wanted) run.renamed(index, from, to)
    this.#tally.finish({ isDone: true })
    this.#note({ last: { index, to: scope.locate(way.to) }, at: undefined, begun: undefined })
  }

  async #forgetLast(scope: Scope): Promise<void> {
    const { last } = this.#notes
    if (last === undefined) return
    await scope.unstage(pathOf(scope, last.to), stagedId(this.#run, last.index)).catch(() => {})
    this.#note({ last: undefined })
  }

  async #fail(index: number, error: unknown): Promise<void> {
    const run = this.#run
    const item = run.plan.items[index]
    this.#tally.finish({ isDone: false })
    this.#note({ at: undefined, begun: undefined })
    if (item === undefined) return
    const scope = await run.scope()
    run.failed(index, shownPathOf(scope, item.at), error)
    const to = scope.tree.pathTo(item.to)
    if (to !== undefined) await scope.unstage(to, stagedId(run, index)).catch(() => {})
  }
}
