import { type FolderAt, nameOf } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { deadline } from '../concurrency/deadline.ts'
import { typeByName } from '../entries/resource.ts'
import { formatTime, isoTime } from '../entries/times.ts'
import { Failure, ignoring, isFailure } from '../failure.ts'
import { type Location, mountOf } from '../mounts/location.ts'
import { readable } from '../storage/exact-names.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { composeFolder, type KeptEntry, type PresentEntry, stopsOf } from './composing.ts'
import { pastOfKept, pastOfSnapshot } from './past.ts'
import { type KeptItem, keptDirectlyIn } from './store.ts'
import { entryAt, millisecondsOf, removedFoldersAt, type TimelineDeps } from './timeline.ts'
import { typeOf } from './trash.ts'

type ShownEntry = FolderAt['entries'][number]

const mostEntries = 10_000
const mostKept = 5000
const mostStops = 500
/** In milliseconds: so near a snapshot, its time was meant. */
const near = 1000

interface Present extends PresentEntry {
  readonly entry: Entry
  /** Undefined where it is there now. */
  readonly past: string | undefined
}

interface KeptHere extends KeptEntry {
  readonly item: KeptItem
}

/** A folder as it was at a time, as far as it is known, and the times at which it can be seen. */
export async function folderAt(
  deps: TimelineDeps,
  scope: Scope,
  asked: VirtualPath,
  at: number,
  signal: Cancellation,
): Promise<FolderAt> {
  const path = await scope.resolve(asked)
  const mount = mountOf(scope.locate(path))
  const [base, snapshots] = await Promise.all([baseOf(deps, scope, path, at), deps.snapshots.of(mount)])
  const kept = await keptIn(deps, scope, base.location)
  const isCut = kept.length >= mostKept
  const stops = stopsOf(
    kept.map(({ keptAt }) => keptAt),
    snapshots.map((snapshot) => snapshot.at),
  )
  const facts = { path: readable(path), at, stops: stops.slice(0, mostStops) }
  const snapshot = snapshots.find((each) => Math.abs(each.at - at) <= near)
  const inSnapshot = snapshot && (await listIn(deps, scope, path, pastOfSnapshot(mount, snapshot.name), signal))
  if (inSnapshot !== undefined) {
    const entries = inSnapshot.map((each) => shownPresent(path, each, 'snapshot')).sort(byName)
    return { ...facts, entries: entries.slice(0, mostEntries), isCut: isCut || entries.length > mostEntries }
  }
  const present =
    base.past === undefined ? await listNow(scope, path, signal) : await listIn(deps, scope, path, base.past, signal)
  if (present === undefined && kept.length === 0 && snapshots.length === 0) throw notThere()
  const composed = composeFolder(at, present ?? [], kept)
  const entries = [
    ...composed.present.map((each) => shownPresent(path, each, each.past === undefined ? 'now' : 'trash')),
    ...composed.kept.map((each) => shownKept(path, each)),
  ].sort(byName)
  return { ...facts, entries: entries.slice(0, mostEntries), isCut: isCut || entries.length > mostEntries }
}

const byName = (one: ShownEntry, two: ShownEntry): number => (one.name < two.name ? -1 : 1)

const notThere = () => new Failure('not-found', 'There was no such folder')

/** What the folder is, or was when it was removed: the first removal since that time. */
async function baseOf(
  deps: TimelineDeps,
  scope: Scope,
  path: VirtualPath,
  at: number,
): Promise<{ location: Location; past?: string }> {
  const location = scope.locate(path)
  const now = await entryAt(scope, path)
  if (now?.kind === 'folder') return { location }
  const removed = (await removedFoldersAt(deps, scope, path)).filter(({ item }) => item.keptAt > at)
  const [first] = removed.toSorted((one, two) => one.item.keptAt - two.item.keptAt)
  return first === undefined ? { location } : { location: first.location, past: first.past }
}

async function listNow(scope: Scope, path: VirtualPath, signal: Cancellation): Promise<Present[] | undefined> {
  try {
    return (await scope.list(path, signal)).entries.map((entry) => toPresent(entry, undefined))
  } catch (error) {
    return ignoring('not-found', 'invalid')(error)
  }
}

/** In milliseconds: for a disk that hangs no page is kept waiting. */
const longestListing = 5000

async function listIn(
  { inPast }: TimelineDeps,
  scope: Scope,
  path: VirtualPath,
  past: string,
  signal: Cancellation,
): Promise<Present[] | undefined> {
  try {
    const listing = inPast(scope, past).then((then) => then.list(path, signal))
    const listed = await deadline(listing, longestListing, undefined)
    return listed?.entries.map((entry) => toPresent(entry, past))
  } catch (error) {
    // It was not there at that time, the snapshot has gone since, or its disk does not answer.
    if (isFailure(error, 'not-found', 'invalid', 'unavailable')) return undefined
    throw error
  }
}

const toPresent = (entry: Entry, past: string | undefined): Present => ({
  ...{ name: entry.exact ?? entry.name, isDir: entry.kind === 'folder', modified: millisecondsOf(entry) },
  ...{ entry, past },
})

async function keptIn({ db, sights }: TimelineDeps, scope: Scope, folder: Location): Promise<KeptHere[]> {
  const see = sights(scope)
  const items = await keptDirectlyIn(db, folder, mostKept)
  const seen = await Promise.all(items.map(async (item) => ((await see(item)) === undefined ? [] : [item])))
  return seen.flat().map((item) => ({
    ...{ name: nameOf(item.location), isDir: item.kind === 'folder' },
    ...{ modified: item.modified, keptAt: item.keptAt, item },
  }))
}

const shownPresent = (
  folder: VirtualPath,
  { name, isDir, entry, past }: Present,
  kind: 'now' | 'trash' | 'snapshot',
): ShownEntry => ({
  name: entry.name,
  path: readable(inFolder(folder, name)),
  isDir,
  ...(!isDir && { size: entry.size }),
  modified: formatTime(entry.seconds, entry.nanoseconds),
  type: typeByName(entry) ?? 'blob',
  kind,
  ...(past !== undefined && { past }),
})

function shownKept(folder: VirtualPath, { name, isDir, modified, item }: KeptHere): ShownEntry {
  const shown = readable(name)
  return {
    ...{ name: shown, path: readable(inFolder(folder, name)), isDir },
    ...(item.size !== undefined && { size: item.size }),
    modified: isoTime(modified),
    type: typeOf(item, shown),
    kind: item.store === 'trash' ? 'trash' : 'version',
    ...{ past: pastOfKept(item.id), id: item.id },
  }
}
