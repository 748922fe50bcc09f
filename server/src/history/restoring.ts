import { nameOf } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { asShown, notAllowed } from '../access/lookup.ts'
import type { Scope } from '../access/scope.ts'
import { isRename } from '../access/transfer-rights.ts'
import { requireRestorable, restoreEntry } from '../changes/verbs.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { decide, decidingAnew, type Way } from '../jobs/decision.ts'
import {
  commonFolder,
  eachItem,
  firstNames,
  parsedPaths,
  pathOf,
  shownPathOf,
  statOrNothing,
  Tally,
} from '../jobs/items.ts'
import type { Kind, Run } from '../jobs/kind.ts'
import { type Location, locationIn, mountOf } from '../mounts/location.ts'
import { inFolder, parsePath, rebase, restOf, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { copyOut, dropCopy } from './copy-out.ts'
import { requireOwnRights, requireRightsSince } from './left-rights.ts'
import { type InPast, keptIdIn } from './past.ts'
import type { KeptSight, SeeKept } from './sight.ts'
import { type KeptItem, keptWithId } from './store.ts'

export interface RestoreDeps {
  readonly db: Kysely<Database>
  sights(scope: Scope): SeeKept
  readonly inPast: InPast
  /** Names all that a kept folder holds, seen or not. */
  visitKept(item: KeptItem, visit: (path: VirtualPath) => void): Promise<void>
  /** When the snapshot was taken at the earliest. */
  earliestOf(past: string): Promise<number>
}

interface RestorePlan {
  readonly items: readonly { readonly past: string; readonly from: Location; readonly to: Location }[]
  readonly failsOnConflict: boolean
}

/** One entry, as it stands when it is its turn. */
interface Turn {
  readonly index: number
  readonly scope: Scope
  readonly past: Scope
  readonly from: VirtualPath
  readonly to: VirtualPath
  readonly source: Entry
  /** Undefined where it comes out of a snapshot. */
  readonly kept: { readonly item: KeptItem; readonly sight: KeptSight; readonly isWhole: boolean } | undefined
}

/**
 * Brings older states back. A thing in the trash comes out of it by a rename, and so does a version that takes the place of
 * the present one; whatever else is wanted is copied, and stays in the past as well.
 */
export const restoreKind = (deps: RestoreDeps): Kind<RestorePlan> => ({
  async plan(scope, request) {
    if (request.kind !== 'restore') throw new Failure('invalid', 'This restores nothing')
    const sources = await parsedPaths(request.items.map(({ from }) => from))
    const targets = await parsedPaths(request.items.map(({ to }) => to))
    const [first, ...others] = targets
    // Of several, one that is refused keeps no other from its turn.
    if (first !== undefined && others.length === 0) requireTarget(scope, first)
    const items = request.items.map(({ past }, index) => ({
      past,
      from: scope.locate(sources[index] ?? parsePath('')),
      to: scope.locate(targets[index] ?? parsePath('')),
    }))
    return {
      plan: { items, failsOnConflict: request.failsOnConflict === true },
      count: items.length,
      names: firstNames(targets.map(nameOf)),
      to: commonFolder(scope, targets),
    }
  },

  require(scope, { items }, index) {
    const item = items[index]
    if (item !== undefined) requireTarget(scope, pathOf(scope, item.to))
  },

  async run(run) {
    const restoring = new Restoring(deps, run)
    await eachItem(run, run.plan.items.length, {
      work: (index) => restoring.one(index),
      fail: (index, error) => restoring.fail(index, error),
      isPatient: !run.plan.failsOnConflict,
    })
  },

  async clear(run) {
    const item = run.plan.items[run.cursor]
    if (item === undefined) return
    const scope = await run.scope()
    await dropCopy(scope, pathOf(scope, item.to), copyId(run, run.cursor))
  },
})

const copyId = ({ id }: Pick<Run<unknown>, 'id'>, index: number): string => `${id}.${index}`

/** Something new, or another content of what is there. */
function requireTarget(scope: Scope, to: VirtualPath): void {
  if (!scope.may('change', to)) requireRestorable(scope, { to })
}

class Restoring {
  readonly #deps: RestoreDeps
  readonly #run: Run<RestorePlan>
  readonly #tally: Tally

  constructor(deps: RestoreDeps, run: Run<RestorePlan>) {
    this.#deps = deps
    this.#run = run
    this.#tally = new Tally(run)
  }

  async one(index: number): Promise<void> {
    const hadBegun = this.#run.notes.begun === index
    const turn = await this.#turn(index, { hadBegun })
    // A crash came between the work and its note.
    if (turn === undefined) return this.#tally.finish({ isDone: true })
    const { kept } = turn
    const isMoved = kept?.isWhole === true && kept.item.store === 'trash' && this.#isInMount(turn)
    await this.#requireRights(turn, isMoved)
    if (kept?.isWhole === true && kept.item.store === 'versions' && turn.to === kept.sight.path)
      return this.#inPlace(turn)
    await decidingAnew(this.#run, (comparesContents) => this.#byChoice(turn, { isMoved, comparesContents }))
  }

  async fail(index: number, error: unknown): Promise<void> {
    this.#tally.finish({ isDone: false })
    const item = this.#run.plan.items[index]
    if (item === undefined) return
    const scope = await this.#run.scope()
    this.#run.failed(index, shownPathOf(scope, item.from), error)
    const to = scope.tree.pathTo(item.to)
    if (to !== undefined) await dropCopy(scope, to, copyId(this.#run, index)).catch(() => {})
  }

  async #turn(index: number, { hadBegun }: { hadBegun: boolean }): Promise<Turn | undefined> {
    const { db, sights, inPast } = this.#deps
    const planned = this.#run.plan.items[index]
    if (planned === undefined) return undefined
    const scope = await this.#run.scope()
    const [from, to] = [pathOf(scope, planned.from), pathOf(scope, planned.to)]
    const id = keptIdIn(planned.past)
    const item = id === undefined ? undefined : await keptWithId(db, id)
    if (id !== undefined && item === undefined && hadBegun && (await statOrNothing(scope, to)) !== undefined)
      return undefined
    const sight = item && (await sights(scope)(item))
    if (id !== undefined && sight === undefined) throw new Failure('not-found', 'It is not kept any more')
    const past = await inPast(scope, planned.past)
    const source = await past.stat(from)
    const kept = item && sight && { item, sight, isWhole: sight.path === from }
    return { index, scope, past, from, to, source, kept }
  }

  #isInMount({ scope, to, kept }: Turn): boolean {
    return mountOf(scope.locate(to)) === kept?.item.mount
  }

  async #requireRights({ index, scope, from, to, kept }: Turn, isMoved: boolean): Promise<void> {
    if (to !== from) return
    const { db, earliestOf } = this.#deps
    if (kept === undefined) {
      const past = this.#run.plan.items[index]?.past ?? ''
      return requireRightsSince(db, scope.locate(to), await earliestOf(past))
    }
    const { item, sight } = kept
    return requireOwnRights(db, { item, place: rebase(item.place, restOf(from, sight.path.length)), isMoved })
  }

  /** A version becomes the content of its file again, whose present content becomes a version. */
  async #inPlace(turn: Turn): Promise<void> {
    const { scope, to, from, kept } = turn
    const now = await statOrNothing(scope, to)
    if (now !== undefined && now.kind !== 'file') throw new Failure('already-exists', 'A folder has this name by now')
    if (kept?.sight.canRead !== true) throw notAllowed()
    await this.#begin(turn.index)
    await restoreEntry(this.#run.changes, scope, {
      kept: locationIn(kept.item.mount, kept.item.place),
      to,
      onConflict: 'fail',
      ...(now !== undefined && { over: [now.version] }),
      signal: this.#run.signal,
    })
    this.#done(from, to)
  }

  async #byChoice(turn: Turn, { isMoved, comparesContents }: { isMoved: boolean; comparesContents: boolean }) {
    const run = this.#run
    const { index, scope, past, from, to, source } = turn
    const fails = run.plan.failsOnConflict
    const kind = isMoved ? 'move' : 'copy'
    const decision = await decide(run, scope, { kind, index, from, to, source, past, fails, comparesContents })
    if (decision === 'asked' || decision === 'skip') {
      if (decision === 'skip') run.skipped(index)
      return this.#tally.finish({ isDone: false })
    }
    await this.#begin(index)
    const progress = this.#tally.of((current) => (current === '' ? from : inFolder(from, current)))
    const got = isMoved
      ? await this.#takeOut(turn, decision, progress)
      : await copyOut(run, { ...turn, ...decision, id: copyId(run, index), progress })
    if (got !== to) run.renamed(index, from, got)
    this.#done(from, got)
  }

  async #takeOut(turn: Turn, way: Way, progress: ReturnType<Tally['of']>) {
    const { scope, to: wanted } = turn
    if (turn.kept === undefined) throw notAllowed()
    const { item, sight } = turn.kept
    const isBack = wanted === sight.path && (way.to === wanted || isRename(scope.rightsIn, wanted, way.to))
    // At another place other accounts may see it, and some that could see it may not.
    const isMayed = isBack ? sight.canRestore : sight.canMove
    if (!isMayed) throw notAllowed()
    if (way.to !== sight.path || way.onConflict === 'rename') await this.#requireNothingDenied(turn, item, way.to)
    const kept = locationIn(item.mount, item.place)
    return restoreEntry(this.#run.changes, scope, { kept, ...way, signal: this.#run.signal, progress })
  }

  /**
   * Rules name paths: what they deny in a folder would be open by another name of the folder. Looked at now, since rules may
   * have come after the removal.
   */
  async #requireNothingDenied({ scope, past, from }: Turn, item: KeptItem, to: VirtualPath): Promise<void> {
    const [then, now] = [past.view.visibility, scope.view.visibility]
    const [leaves, arrives] = [asShown(from), asShown(to)]
    if (item.kind !== 'folder' || (!then.mayDenyBelow(leaves) && !now.mayDenyBelow(arrives))) return
    await this.#deps.visitKept(item, (path) => {
      this.#run.signal.throwIfAborted()
      const below = asShown(restOf(path, item.place.length))
      if (then.denies(rebase(leaves, below)) || now.denies(rebase(arrives, below))) throw notAllowed()
    })
  }

  async #begin(index: number): Promise<void> {
    this.#run.notes = { ...this.#run.notes, begun: index }
    await this.#run.save()
  }

  #done(from: VirtualPath, to: VirtualPath): void {
    this.#run.did({ path: from, to })
    this.#tally.finish({ isDone: true })
  }
}
