import { posix } from 'node:path'
import { nameOf, numbered } from '@filestead/contract/paths'
import { taskGroup } from '../../concurrency/task-group.ts'
import { isFailure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import { type Keep, unlessRefused } from '../keeping.ts'
import { type Meter, meterFor } from '../meter.ts'
import { childOf, exactOf, inFolder, parentOf, type VirtualPath } from '../path.ts'
import type { Precondition } from '../port.ts'
import { choiceFor } from '../taken.ts'
import type { TakenRule, TransferKind, TransferOptions } from '../transfer-options.ts'
import { isSameFile, precisely } from './checks.ts'
import { changedCopy, sendFile, unlessChanged } from './files.ts'
import { type At, childrenOf, type Ends, entryAt, isPortable, requireSameKind } from './places.ts'
import { isArrived, mostAtOnce } from './staging.ts'

interface TreeOptions extends TransferOptions {
  readonly kind: TransferKind
  /** An earlier try was ended: what is alike at the target is its work. */
  readonly goesOn: boolean
}

/** A file of the source, and what is at the target for it: a copy, or the same one, which was met there. */
interface Arrived {
  readonly one: At
  readonly version: string
  readonly target: VirtualPath
  readonly copy: Entry
  readonly isMet: boolean
}

/**
 * Copies or moves file by file, each of which shows when it is whole; of a move an original goes only when its copy is there
 * as it was written. A folder is visible while it fills.
 */
export class VisibleTransfer {
  readonly #ends: Ends
  readonly #options: TreeOptions
  readonly #meter: Meter
  readonly #group = taskGroup(mostAtOnce)
  /** Of the source, outer ones first. */
  readonly #folders: { readonly path: VirtualPath; readonly isMerged: boolean }[] = []
  /** What was made, so that one that is not remembered leaves nothing. */
  readonly #made: (() => Promise<void>)[] = []
  readonly #sent: Arrived[] = []

  constructor(ends: Ends, options: TreeOptions) {
    this.#ends = ends
    this.#options = options
    this.#meter = meterFor(options.progress)
  }

  async run(entry: Entry, there: Entry | undefined): Promise<void> {
    const { source, target } = this.#ends
    const one = { path: source, entry }
    try {
      try {
        if (entry.kind === 'folder') await this.#folder(one, target, there !== undefined, there !== undefined, '')
        else await this.#send(one, target, this.#options.replace ? 'any' : 'absent', '')
      } finally {
        await this.#group.wait()
      }
    } catch (error) {
      // What cannot be taken away, because something else is in it by now, stays. What is remembered is gone on with.
      if (this.#options.staged === undefined) for (const undo of this.#made.toReversed()) await undo().catch(() => {})
      throw error
    }
    if (this.#options.kind === 'move') await this.#removeSources()
    this.#meter.end()
  }

  async #folder(from: At, at: VirtualPath, isThere: boolean, isMerged: boolean, inside: string): Promise<void> {
    const { from: storage, to } = this.#ends
    const { signal, keep } = this.#options
    signal?.throwIfAborted()
    if (!isThere) {
      this.#made.push(() => to.remove(at, { only: 'empty' }))
      await to.createFolder(at, { keep: inside === '' ? keep : undefined })
    }
    this.#folders.push({ path: from.path, isMerged })
    const there = isThere ? await childrenOf(to, at) : new Map<string, Entry>()
    for (const entry of (await storage.list(from.path, signal, { isOnce: true })).entries) {
      const [name, below] = [exactOf(entry), { path: childOf(from.path, entry), entry }]
      const current = posix.join(inside, name)
      if (isPortable(entry)) await this.#child(below, inFolder(at, name), there.get(name), isMerged, current)
      else this.#meter.leaveOut(current)
    }
  }

  async #child(
    one: At,
    target: VirtualPath,
    there: Entry | undefined,
    isMerged: boolean,
    inside: string,
  ): Promise<void> {
    const isFolder = one.entry.kind === 'folder'
    if (isFolder && there?.kind === 'folder') return this.#folder(one, target, true, isMerged, inside)
    if (there !== undefined) {
      const decide = () => this.#taken(one, { path: target, entry: there }, inside)
      return isFolder ? decide() : this.#group.start(decide)
    }
    if (isFolder) {
      if (isMerged) this.#placed(one, target)
      return this.#folder(one, target, false, false, inside)
    }
    return this.#group.start(async () => {
      await this.#send(one, target, 'absent', inside)
      if (isMerged) this.#placed(one, target)
    })
  }

  async #taken(one: At, two: At, inside: string): Promise<void> {
    const { taken, goesOn, signal } = this.#options
    const rule: TakenRule | undefined = taken ?? (goesOn ? { default: 'keep-both' } : undefined)
    const isThere = goesOn
      ? await isArrived(this.#ends, one, two, signal)
      : rule !== undefined && (await isSameFile(this.#ends, one, two, false, signal))
    if (isThere) return this.#alike(one, two, inside)
    if (rule === undefined) requireSameKind(one.entry, two.entry)
    const choice =
      rule === undefined
        ? 'replace'
        : choiceFor(lenient(rule, goesOn), inside, ...(await precisely(this.#ends, one, two)))
    if (choice === 'skip') return
    if (choice === 'keep-both') return this.#aside(one, two.path, inside)
    await this.#send(one, two.path, 'any', inside)
    this.#placed(one, two.path)
  }

  async #alike(one: At, two: At, inside: string): Promise<void> {
    this.#meter.file(inside).end(one.entry.size)
    const { version } = one.entry
    // Of an earlier try it is a copy.
    this.#sent.push({ one, version, target: two.path, copy: two.entry, isMet: !this.#options.goesOn })
  }

  async #aside(one: At, target: VirtualPath, inside: string): Promise<void> {
    for (let count = 1; ; count += 1) {
      const aside = inFolder(parentOf(target), numbered(nameOf(target), count))
      const there = await entryAt(this.#ends.to, aside)
      if (there !== undefined) {
        const two = { path: aside, entry: there }
        if (this.#options.goesOn && (await isArrived(this.#ends, one, two, this.#options.signal)))
          return this.#alike(one, two, inside)
        continue
      }
      try {
        if (one.entry.kind === 'folder') await this.#folder(one, aside, false, false, inside)
        else await this.#send(one, aside, 'absent', inside)
        return this.#placed(one, aside)
      } catch (error) {
        if (!isFailure(error, 'already-exists')) throw error
      }
    }
  }

  async #send(one: At, target: VirtualPath, precondition: Precondition, inside: string): Promise<void> {
    const { from, to } = this.#ends
    const { staged: id, keep, signal } = this.#options
    signal?.throwIfAborted()
    const metered = this.#meter.file(inside)
    const { version, copy } = await sendFile(from, one.path, to, target, { precondition, id, keep, signal, metered })
    if (precondition === 'absent') this.#made.push(() => to.remove(target, { only: { version: copy.version } }))
    this.#sent.push({ one, version, target, copy, isMet: false })
  }

  #placed(one: At, at: VirtualPath): void {
    const { keep, kind } = this.#options
    if (keep === undefined) return
    this.#ends.tell?.(keep.operation, [{ kind: 'placed', from: kind === 'move' ? one.path : undefined, at }])
  }

  async #removeSources(): Promise<void> {
    const { from, to, tellSource } = this.#ends
    const { keep, signal } = this.#options
    for (const sent of this.#sent) {
      signal?.throwIfAborted()
      const { one, version, target, copy } = sent
      const there = await entryAt(to, target)
      if (there?.version !== copy.version || there.size !== copy.size) throw changedCopy()
      if (sent.isMet && keep !== undefined) await removeMet(this.#ends, sent, keep)
      else await unlessChanged(from.remove(one.path, { only: { version } }))
    }
    for (const { path, isMerged } of this.#folders.toReversed()) {
      const isGone = await unlessChanged(from.remove(path, { only: 'empty' }))
      if (isGone && isMerged && keep !== undefined) tellSource?.(keep.operation, [{ kind: 'emptied', at: path }])
    }
  }
}

/** What is at the target was there before, so that only the original, which is kept, can take the move back. */
async function removeMet({ from, tellSource }: Ends, { one, version }: Arrived, keep: Keep): Promise<void> {
  const keptAt = await unlessRefused(() => from.keepPlace(one.path, keep))
  const only = { version }
  if (keptAt !== undefined) await unlessChanged(from.remove(one.path, { only, keptAt, keep }))
  else if (await unlessChanged(from.remove(one.path, { only })))
    tellSource?.(keep.operation, [{ kind: 'lost', at: one.path }])
}

/** Everything was asked before the first try; what has come since is refused too late. */
const lenient = (rule: TakenRule, goesOn: boolean): TakenRule =>
  goesOn && rule.default === 'refuse' ? { ...rule, default: 'keep-both' } : rule
