import { nameOf, parentOf } from '@filestead/contract'
import { sessionQueue } from '../../state/session-queue.ts'
import { cache } from '../queries/cache.ts'
import { type Entry, entriesNamed, newBatch, resourceKey } from '../queries/resources.ts'
import type { Change, ChangeKind, Operation, UndoableChange } from './change.ts'
import {
  applyDeltas,
  type Delta,
  deltasByFolder,
  holdPaths,
  keepShown,
  knownListing,
  patchListings,
  pathOf,
  unlessTold,
} from './deltas.ts'
import { rememberChange } from './undo-stack.ts'
import { unsettle } from './unsettled.ts'

/** Single changes. The next one waits for the last: it may be about the same entry. */
const sending = sessionQueue()

/** Settles when no single change is on its way to the server any more. */
export const whenSent = sending.whenIdle

interface RunOptions {
  /** Without it the change shows when the server has made it, for callers that wait for that. */
  isShownFirst?: boolean
  /** The server has made the change, and listings do not show it yet, unless it was shown first. */
  onMade?: () => void
}

/**
 * Shows the change at once, asks the server for it, and takes it back where the server refuses. Answers how it can be
 * undone, or null for a guest.
 */
export function run(
  kind: ChangeKind,
  operation: Operation,
  signal: AbortSignal,
  { isShownFirst = true, onMade }: RunOptions = {},
): Promise<UndoableChange | null> {
  const reverse = isShownFirst ? patchListings(operation.expected) : []
  const endShowing = isShownFirst ? keepShown(operation.expected) : () => {}
  const paths = operation.expected.map(pathOf)
  const release = holdPaths(paths)
  const settle = unsettle(paths)
  const batch = newBatch()
  const sent = sending.add(async () => {
    try {
      await operation.send(signal, batch)
    } catch (error) {
      endShowing()
      if (!signal.aborted) {
        patchListings(reverse)
        // The refusal tells that the listing was not up to date, or the answer was lost after the change was made.
        void confirmListings(operation.expected, signal, { isAll: true })
      }
      throw error
    }
    signal.throwIfAborted()
    onMade?.()
    return conclude(kind, [operation], signal, [batch])
  })
  return sent.finally(() => {
    endShowing()
    release()
    settle()
  })
}

/**
 * The server has made these changes: listings show them, the disk usage is asked for again, and the ids by which they can
 * be taken back are remembered. No listing is read; entries that are new are asked for by name, because the server alone
 * knows their times and types. Answers how the changes can be undone, or null.
 */
export function conclude(
  kind: ChangeKind,
  operations: readonly Change[],
  signal: AbortSignal,
  batches: readonly string[] = [],
): UndoableChange | null {
  if (signal.aborted || operations.length === 0) return null
  const deltas = operations.flatMap(({ expected }) => expected)
  void confirmListings(deltas, signal)
  const pathsIn = (which: Delta['kind']) => deltas.filter((delta) => delta.kind === which).map(pathOf)
  const change = rememberChange({
    kind,
    names: operations.map(({ name }) => name),
    batches,
    gone: pathsIn('gone'),
    put: pathsIn('put'),
  })
  applyDeltas(unlessTold(deltas))
  if (kind !== 'rename') refreshUsage()
  refreshRelated()
  return change
}

/** Some of these changes were made, and it is not known which: listings ask. */
export function concludeUnsure(operations: readonly Change[], signal: AbortSignal): void {
  void askAgain(
    operations.flatMap(({ expected }) => expected.map(pathOf)),
    signal,
  )
}

/** Something has become of these paths: listings that show them ask what. Resolves when they show it. */
export async function askAgain(paths: readonly string[], signal: AbortSignal): Promise<void> {
  if (signal.aborted || paths.length === 0) return
  const deltas = paths.map((path): Delta => ({ kind: 'gone', path }))
  refreshUsage()
  refreshRelated()
  await confirmListings(deltas, signal, { isAll: true })
}

/** Links go with their files, and what is deleted comes into the trash. */
function refreshRelated(): void {
  for (const kind of ['shares', 'trash', 'operations']) void cache().invalidateQueries({ queryKey: [kind] })
}

/** The numbers of the disk are others by now. */
export const refreshUsage = (): void => void cache().invalidateQueries({ queryKey: ['usage'] })

/** So many new entries of a folder are asked for by name; for more its listing is read again. */
const mostAsked = 2000

/** Entries have come into a folder, or are others by now: its listing shows them, where it is known. */
export async function showNow(folder: string, names: readonly string[], signal: AbortSignal): Promise<void> {
  void confirmListings(rowsInView([folder]), signal)
  if (knownListing(folder) === undefined || names.length === 0) return
  if (names.length > mostAsked) {
    // One that is on its way is waited for: begun anew every few seconds, it would never arrive.
    await cache().refetchQueries({ queryKey: resourceKey(folder), exact: true }, { cancelRefetch: false })
    return
  }
  const found = await entriesNamed(folder, names, signal)
  signal.throwIfAborted()
  applyDeltas(found.map((entry): Delta => ({ kind: 'put', entry })))
}

/**
 * Asks the server for the entries that are put, and shows them as they are; `isAll` also asks for those that are gone.
 * Where it cannot be asked, the listing stays as it was guessed, until it is read again.
 */
async function confirmListings(deltas: readonly Delta[], signal: AbortSignal, { isAll = false } = {}): Promise<void> {
  const rows = rowsInView(deltasByFolder(deltas).keys())
  for (const [folder, own] of deltasByFolder([...rows, ...deltas])) {
    if (knownListing(folder) === undefined) continue
    // A listing that was asked for before the change may arrive after it, without it.
    const wasLate = await lateListing(folder)
    const asked = own.filter(({ kind }) => kind === 'put' || isAll || wasLate)
    if (asked.length === 0) continue
    const names = asked.map((delta) => nameOf(pathOf(delta)))
    const found = await entriesNamed(folder, names, signal).catch(() => null)
    if (found === null || signal.aborted) return
    const told = new Map(found.map((entry) => [entry.path, entry]))
    const deltas = asked.map((delta): Delta => {
      const entry = told.get(pathOf(delta))
      return entry === undefined ? { kind: 'gone', path: pathOf(delta) } : { kind: 'put', entry }
    })
    applyDeltas(deltas)
    retryMissing(found)
  }
}

/** What comes into a folder or leaves it changes the time of the folder, which its own row tells. */
const rowsInView = (folders: Iterable<string>): Delta[] =>
  [...folders].flatMap((folder) => {
    if (folder === '/' || !isInView(parentOf(folder))) return []
    const entry = knownListing(parentOf(folder))?.items.find(({ path }) => path === folder)
    return entry === undefined ? [] : { kind: 'put' as const, entry }
  })

/** A listing that is not in view is read again when it is opened. */
const isInView = (folder: string): boolean =>
  cache()
    .getQueryCache()
    .find({ queryKey: resourceKey(folder), exact: true })
    ?.isActive() ?? false

/** Waits for a listing that is on its way. Answers whether there was one. */
async function lateListing(folder: string): Promise<boolean> {
  const query = cache()
    .getQueryCache()
    .find({ queryKey: resourceKey(folder), exact: true })
  if (query?.state.fetchStatus !== 'fetching') return false
  await query.promise?.catch(() => {})
  return true
}

/** An entry that was opened under its new name before the server knew it is asked for again. */
function retryMissing(entries: readonly Entry[]): void {
  for (const { path } of entries)
    if (cache().getQueryState(resourceKey(path))?.status === 'error')
      void cache().invalidateQueries({ queryKey: resourceKey(path), exact: true })
}
