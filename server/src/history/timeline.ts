import { type Moment, nameOf, parentOf as parentText, type Timeline } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Database } from '../database/schema.ts'
import { typeByName } from '../entries/resource.ts'
import { formatTime, isoTime } from '../entries/times.ts'
import { isFailure } from '../failure.ts'
import { type Location, locationIn, mountOf, movedAlong, pathIn } from '../mounts/location.ts'
import { readable } from '../storage/exact-names.ts'
import { parentOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { pastOfKept } from './past.ts'
import type { KeptSight, SeeKept } from './sight.ts'
import { type SnapshotDeps, type SnapshotState, snapshotStates } from './snapshot-states.ts'
import { type KeptItem, keptAt } from './store.ts'
import { typeOf } from './trash.ts'

export interface TimelineDeps extends SnapshotDeps {
  readonly db: Kysely<Database>
  /** What an actor may see of what is kept, and do with it. */
  sights(scope: Scope): SeeKept
}

/** More is no list that a person reads. */
const mostMoments = 200
/** Of so many removed things at or around a path it is asked what was in them or went along with them. */
const mostFolders = 20

/** A state with the time until which it was there: what orders it among others. */
interface State {
  readonly moment: Moment
  readonly until: number
  /** Of a thing on a disk; kept ones have none at hand. */
  readonly version?: string | undefined
  /** A copy on another disk, or of another program: the number of its inode says nothing. */
  readonly isCopy?: boolean | undefined
  readonly milliseconds: number
}

/** All states of a path, the newest first: what is there, what was kept of it, and what snapshots have. */
export async function timelineOf(deps: TimelineDeps, scope: Scope, asked: VirtualPath): Promise<Timeline> {
  const path = await scope.resolve(asked)
  const location = scope.locate(path)
  const [now, kept, inFolders, old] = await Promise.all([
    entryAt(scope, path),
    keptStates(deps, scope, location),
    statesInRemovedFolders(deps, scope, path),
    snapshotStates(deps, scope, path),
  ])
  const canReplace = path !== rootPath && scope.may(now === undefined ? 'create' : 'change', path)
  const states = [
    ...(now === undefined ? [] : [ofNow(now)]),
    ...kept.states,
    ...inFolders,
    ...old.states.map((state) => ofSnapshot(state, canReplace)),
  ]
  const moments = inOrder(states).map(({ moment }) => moment)
  const isCut = moments.length > mostMoments || kept.isCut || old.isCut
  return { path: readable(path), moments: moments.slice(0, mostMoments), isCut }
}

/** The newest first; a snapshot of what the next newer state is, too, tells nothing. */
export function inOrder(states: readonly State[]): State[] {
  const sorted = states.toSorted((one, two) => two.until - one.until)
  const shown = sorted.filter(({ moment }, index) => {
    const newer = sorted[index - 1]
    const state = sorted[index]
    if (moment.kind !== 'snapshot' || moment.isDir || newer === undefined || state === undefined) return true
    return !isSame(newer, state)
  })
  return shown.map((state, index) => ({ ...state, moment: beganAt(state, shown[index + 1]) }))
}

/** A content is not older than the displacement of the one before it, whatever time a client has given to the file. */
function beganAt({ moment }: State, older: State | undefined): Moment {
  return older?.moment.keptAt === undefined || moment.kind === 'snapshot' || moment.keptAt === older.moment.keptAt
    ? moment
    : { ...moment, at: Math.max(moment.at, older.moment.keptAt) }
}

function isSame(one: State, two: State): boolean {
  if (one.moment.isDir !== two.moment.isDir || one.moment.size !== two.moment.size) return false
  // Rows have whole milliseconds.
  if (Math.abs(one.milliseconds - two.milliseconds) > 1) return false
  const isComparable = one.version !== undefined && two.version !== undefined && !one.isCopy && !two.isCopy
  return !isComparable || one.version === two.version
}

/** Undefined where nothing is at a path. */
export const entryAt = (scope: Scope, path: VirtualPath): Promise<Entry | undefined> =>
  scope.stat(path).catch((error: unknown) => {
    if (isFailure(error, 'not-found')) return undefined
    throw error
  })

export const millisecondsOf = ({ seconds, nanoseconds }: Entry): number => seconds * 1000 + nanoseconds / 1e6

const factsOf = (entry: Entry) => ({
  isDir: entry.kind === 'folder',
  ...(entry.kind !== 'folder' && { size: entry.size }),
  modified: formatTime(entry.seconds, entry.nanoseconds),
  type: typeByName(entry) ?? 'blob',
})

function ofNow(entry: Entry): State {
  const milliseconds = millisecondsOf(entry)
  const moment: Moment = { kind: 'now', at: milliseconds, ...factsOf(entry), canRestore: false }
  return { moment, until: Number.POSITIVE_INFINITY, version: entry.version, milliseconds }
}

function ofSnapshot({ snapshot, past, entry }: SnapshotState, canRestore: boolean): State {
  const { at, name, source } = snapshot
  return {
    moment: { kind: 'snapshot', past, at, label: name, ...factsOf(entry), canRestore },
    until: at,
    version: entry.version,
    isCopy: source === 'rsnapshot' || source === 'own',
    milliseconds: millisecondsOf(entry),
  }
}

async function keptStates(
  { db, sights }: TimelineDeps,
  scope: Scope,
  location: Location,
): Promise<{ states: State[]; isCut: boolean }> {
  const here = await keptAt(db, location, mostMoments + 1)
  // The versions of a file that was removed went along with it.
  const removed = here.filter(({ store, kind }) => store === 'trash' && kind === 'file').slice(0, mostFolders)
  const along = await Promise.all(
    removed.map(({ mount, place }) => keptAt(db, locationIn(mount, place), mostMoments + 1)),
  )
  const items = [...here, ...along.flat()]
  const see = sights(scope)
  const states = await Promise.all(items.map(async (item) => ofKept(item, await see(item))))
  return { states: states.flat(), isCut: items.length > mostMoments }
}

function ofKept(item: KeptItem, sight: KeptSight | undefined): State[] {
  if (sight === undefined) return []
  const { id, kind, size, modified, keptAt: until, user, door, by, store } = item
  const moment: Moment = {
    kind: store === 'trash' ? 'trash' : 'version',
    past: pastOfKept(id),
    id,
    at: modified,
    keptAt: until,
    isDir: kind === 'folder',
    ...(size !== undefined && { size }),
    modified: isoTime(modified),
    type: typeOf(item, readable(nameOf(sight.path))),
    ...(user !== undefined && { user: { id: user.id ?? 0, name: user.name } }),
    door,
    by,
    canRestore: sight.canRestore,
  }
  return [{ moment, until, milliseconds: modified }]
}

/** A folder around a path that is in the trash, with the path in it. */
export interface RemovedFolder {
  readonly item: KeptItem
  readonly past: string
  /** Where rows about what was at the path say that it is now. */
  readonly location: Location
}

/** Folders at or above a path that were removed and that the actor sees, those nearest to it first. */
export async function removedFoldersAt(
  { db, sights }: Pick<TimelineDeps, 'db' | 'sights'>,
  scope: Scope,
  path: VirtualPath,
): Promise<RemovedFolder[]> {
  const see = sights(scope)
  const found: RemovedFolder[] = []
  const location = scope.locate(path)
  for (let folder = path; found.length < mostFolders; folder = parentOf(folder)) {
    const at = scope.tree.locate(folder)
    // The removal of a folder on another disk took nothing of this one along.
    if (at === undefined || mountOf(at) !== mountOf(location)) break
    for (const item of await keptAt(db, at, mostFolders))
      if (item.store === 'trash' && item.kind === 'folder' && (await see(item)) !== undefined)
        found.push({
          item,
          past: pastOfKept(item.id),
          location: movedAlong(location, at, locationIn(item.mount, item.place)),
        })
    if (parentText(folder) === folder) break
  }
  return found.slice(0, mostFolders)
}

/** What was at a path in folders around it that were removed as a whole. */
async function statesInRemovedFolders(deps: TimelineDeps, scope: Scope, path: VirtualPath): Promise<State[]> {
  if (pathIn(scope.locate(path)) === rootPath) return []
  const folders = await removedFoldersAt(deps, scope, parentOf(path))
  const states = folders.map(async ({ item, past, location }): Promise<State[]> => {
    const inPast = await deps.inPast(scope, past).catch(() => undefined)
    const entry = await inPast?.stat(path).catch(() => undefined)
    const below = movedAlong(scope.locate(path), scope.locate(parentOf(path)), location)
    const { states: versions } = await keptStates(deps, scope, below)
    if (entry === undefined) return versions
    const milliseconds = millisecondsOf(entry)
    const moment: Moment = {
      ...{ kind: 'trash', past, at: milliseconds, keptAt: item.keptAt, ...factsOf(entry) },
      ...(item.user !== undefined && { user: { id: item.user.id ?? 0, name: item.user.name } }),
      ...{ door: item.door, by: item.by, canRestore: scope.may('create', path) },
    }
    return [{ moment, until: item.keptAt, version: entry.version, milliseconds }, ...versions]
  })
  return (await Promise.all(states)).flat()
}
