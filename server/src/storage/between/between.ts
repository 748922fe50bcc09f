import { isFailure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import { inFolder, type VirtualPath } from '../path.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import { requirePossible, sourceOf } from './checks.ts'
import { isLong, sendFile, unlessChanged } from './files.ts'
import { type Ends, entryAt, requireSameKind, stagedAt, taken } from './places.ts'
import { isArrived, removeArrived, stageTree } from './staging.ts'
import { VisibleTransfer } from './visible.ts'

export type { Ends } from './places.ts'

/**
 * A copy or move between two storages. Each file shows when it is whole, and keeps its time as exactly as the target tells
 * times. Symlinks and special files in a folder are left out of a copy and refused in a move: the port cannot make any.
 *
 * Under a `staged` id a folder that gets a free name is staged in a hidden one, where the target can give that its name in
 * one step. Else it is visible while it fills; a hidden folder beside it remembers that until `unstage`.
 */
export async function transferBetween(kind: TransferKind, ends: Ends, options: TransferOptions): Promise<void> {
  const { from, source, to, target } = ends
  const { staged, signal } = options
  signal?.throwIfAborted()
  const note = staged === undefined ? undefined : await noteOf(ends, staged)
  if (note === 'done') return
  const entry = await sourceOf(ends)
  const there = await entryAt(to, target)
  if (entry === undefined) {
    // An earlier try ended when all of it had gone.
    if (staged === undefined || kind === 'copy' || there === undefined) await from.stat(source)
    return
  }
  if (entry.kind === 'file') await transferFile(kind, ends, entry, there, options)
  else if (staged !== undefined && note === undefined && publishes(ends) && (await isNew(ends, staged, there)))
    await transferWhole(kind, ends, entry, staged, options)
  else await transferVisibly(kind, ends, entry, there, { ...options, goesOn: note !== undefined })
}

/** The long part: what is sent lies hidden in the target storage. Nothing is, where the target could not rename it. */
export async function stageBetween(kind: TransferKind, ends: Ends, options: StageOptions): Promise<void> {
  const { from, source, to, target } = ends
  const { id, replace, taken: rule, signal, progress } = options
  signal?.throwIfAborted()
  if ((await noteOf(ends, id)) !== undefined) return
  const entry = await sourceOf(ends)
  const there = await entryAt(to, target)
  if (entry === undefined) {
    if (kind === 'copy' || there === undefined) await from.stat(source)
    return
  }
  const one = { path: source, entry }
  if (there !== undefined) {
    if (await isThereAlready(ends, entry, there, id, signal)) return
    if (!replace) throw taken()
  }
  await requirePossible(ends, one, there && { path: target, entry: there }, { kind, rule, signal })
  if (!publishes(ends)) return
  if (entry.kind === 'folder' && there === undefined)
    await stageTree(ends, stagedAt(target, id).folder, id, { signal, progress })
  if (isLong(entry)) {
    const { folder } = stagedAt(target, id)
    await to.createFolder(folder)
    if (!(await isStaged(ends, entry, id, signal)))
      await sendFile(from, source, to, inFolder(folder, stagedName), { precondition: 'any', id, signal })
  }
}

/** Can the target give what is hidden its name in one step? */
const publishes = ({ to }: Ends): boolean => to.capabilities.atomicRename

/** A single file that is staged. */
const stagedName = 'file'

/** What is remembered of an earlier try that was visible. */
async function noteOf({ to, target }: Ends, id: string): Promise<'begun' | 'done' | undefined> {
  const { begun, done } = stagedAt(target, id)
  if ((await entryAt(to, begun)) === undefined) return undefined
  return (await entryAt(to, done)) === undefined ? 'begun' : 'done'
}

/** Is the name free, or taken by what an earlier try has published under this id? */
async function isNew(ends: Ends, id: string, there: Entry | undefined): Promise<boolean> {
  return there === undefined || isPublished(ends, id)
}

async function isPublished({ to, target }: Ends, id: string): Promise<boolean> {
  if ((await entryAt(to, stagedAt(target, id).folder)) !== undefined) return false
  try {
    await to.publish(target, id, { replace: false })
    return true
  } catch (error) {
    if (isFailure(error, 'not-found', 'already-exists')) return false
    throw error
  }
}

async function isThereAlready(
  ends: Ends,
  entry: Entry,
  there: Entry,
  id: string,
  signal: TransferOptions['signal'],
): Promise<boolean> {
  const [one, two] = [
    { path: ends.source, entry },
    { path: ends.target, entry: there },
  ]
  return entry.kind === 'file' ? isArrived(ends, one, two, signal) : publishes(ends) && isPublished(ends, id)
}

async function transferWhole(
  kind: TransferKind,
  ends: Ends,
  entry: Entry,
  id: string,
  options: TransferOptions,
): Promise<void> {
  const { source, to, target } = ends
  const { keep, signal, progress } = options
  if ((await entryAt(to, target)) === undefined) {
    await requirePossible(ends, { path: source, entry }, undefined, { kind, signal })
    await stageTree(ends, stagedAt(target, id).folder, id, { signal, progress })
    await to.publish(target, id, { replace: false, keep })
  }
  if (kind === 'move') await removeArrived(ends, { signal })
}

async function transferVisibly(
  kind: TransferKind,
  ends: Ends,
  entry: Entry,
  there: Entry | undefined,
  options: TransferOptions & { readonly goesOn: boolean },
): Promise<void> {
  const { source, to, target } = ends
  const { replace, staged, taken: rule, signal, goesOn } = options
  if (!goesOn) {
    if (there !== undefined && !replace) throw taken()
    const two = there && { path: target, entry: there }
    await requirePossible(ends, { path: source, entry }, two, { kind, rule, signal })
    if (staged !== undefined) await to.createFolder(stagedAt(target, staged).begun)
  }
  await new VisibleTransfer(ends, { ...options, kind }).run(entry, there)
  if (staged !== undefined) await to.createFolder(stagedAt(target, staged).done)
}

/** In one step, and recognised where it is: nothing else has to be remembered. */
async function transferFile(
  kind: TransferKind,
  ends: Ends,
  entry: Entry,
  there: Entry | undefined,
  options: TransferOptions,
): Promise<void> {
  const { from, source, to, target } = ends
  const { replace, staged, keep, signal, progress } = options
  const [one, two] = [{ path: source, entry }, there && { path: target, entry: there }]
  const isThere = staged !== undefined && two !== undefined && (await isArrived(ends, one, two, signal))
  if (there !== undefined && !isThere) {
    if (!replace) throw taken()
    requireSameKind(entry, there)
  }
  if (!isThere) {
    if (staged === undefined || !(await isStaged(ends, entry, staged, signal)))
      return new VisibleTransfer(ends, { ...options, kind, goesOn: false }).run(entry, there)
    await to.rename(inFolder(stagedAt(target, staged).folder, stagedName), target, { replace, keep })
  }
  if (kind === 'move') await unlessChanged(from.remove(source, { only: { version: entry.version } }))
  progress?.({ files: 1, bytes: entry.size, current: '' })
}

async function isStaged(ends: Ends, entry: Entry, id: string, signal: TransferOptions['signal']): Promise<boolean> {
  const path: VirtualPath = inFolder(stagedAt(ends.target, id).folder, stagedName)
  const staged = isLong(entry) && publishes(ends) ? await entryAt(ends.to, path) : undefined
  return staged !== undefined && isArrived(ends, { path: ends.source, entry }, { path, entry: staged }, signal)
}
