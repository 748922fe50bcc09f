import { mostWatchedBelow } from '../folder-rows.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../path.ts'
import type { Found } from '../port.ts'
import type { QuietFolders, Watched } from './quiet-folders.ts'
import { isSmallFolder } from './shared-looks.ts'

/** Small folders that are asked for again and again: answered from memory for a moment, while nothing happens in them. */
export interface RecentFolders {
  /** What was found a moment ago, if nothing has happened to the folder, in it, in the folders in it or to those above it. */
  known(key: string): Found | undefined
  /** `place` is its path below the root, if there is one. */
  read(key: string, place: () => VirtualPath | undefined, find: () => Promise<Found>): Promise<Found>
}

interface Recent {
  askedAt: number
  /** How many times it was read since something happened in it. */
  reads: number
  /** When the kernel could not tell of it. */
  refusedAt: number
  isBeingWatched: boolean
  kept: { readonly watched: Watched<Found>; readonly readAt: number } | undefined
}

/**
 * In milliseconds. After that everything is seen that the kernel tells of no folder: what is written to a file through memory
 * or another name of it, and what is mounted.
 */
const keptFor = 1000
/** A folder in which more happens than is read from it is not worth to be watched. */
const readsBefore = 2
const mostRecent = 64
/** In entries. */
const mostKept = 6000

export function recentFolders(quiet: QuietFolders, now = () => performance.now()): RecentFolders {
  const all = new Map<string, Recent>()

  function begin(key: string, askedAt: number): void {
    const refusedAt = Number.NEGATIVE_INFINITY
    all.set(key, { askedAt, reads: 1, refusedAt, isBeingWatched: false, kept: undefined })
    const [oldest] = all.size > mostRecent ? all.keys() : []
    if (oldest === undefined) return
    forget(all.get(oldest))
    all.delete(oldest)
  }

  const isWorthIt = ({ askedAt, reads, refusedAt, isBeingWatched, kept }: Recent, at: number): boolean =>
    at - askedAt < keptFor && reads >= readsBefore && at - refusedAt >= keptFor && !isBeingWatched && kept === undefined

  /** What is too old and was not asked for since takes no room. */
  function isRoom(found: Found): boolean {
    const at = now()
    let entries = found.entries?.length ?? 0
    for (const recent of all.values()) {
      if (recent.kept === undefined) continue
      if (at - recent.kept.readAt >= keptFor) forget(recent)
      else entries += recent.kept.watched.value()?.entries?.length ?? 0
    }
    return entries <= mostKept
  }

  function forget(recent: Recent | undefined): void {
    if (recent?.kept === undefined) return
    recent.kept.watched.end()
    recent.kept = undefined
  }

  /** What is found once everything is watched that it depends on. Undefined where that cannot be. */
  async function foundWatched(
    watched: Watched<Found>,
    place: VirtualPath,
    find: () => Promise<Found>,
  ): Promise<Found | undefined> {
    // From the top down: a folder that takes the place of one of them after it was watched is told.
    for (const folder of aboveOf(place)) if ((await watched.add(folder, 'itself')) === undefined) return undefined
    const id = await watched.add(place, 'files')
    if (id === undefined) return undefined
    const found = await find()
    const below = foldersIn(found)
    if (found.entry.id !== id || below === undefined || !isRoom(found)) {
      // A file may have taken the place of the folder.
      found.file?.close()
      return undefined
    }
    if (below.length === 0) return found
    // A folder in it changes its time without a word about the one above.
    return (await watchNames(watched, place, below)) ? find() : undefined
  }

  async function keep(key: string, recent: Recent, place: VirtualPath, find: () => Promise<Found>): Promise<Found> {
    const readAt = now()
    const watched = quiet.begin<Found>()
    recent.isBeingWatched = true
    try {
      const found = watched && (await foundWatched(watched, place, find))
      if (watched !== undefined && found !== undefined && all.get(key) === recent) {
        watched.keep(found)
        recent.kept = { watched, readAt }
      } else {
        watched?.end()
        recent.refusedAt = now()
      }
      return found ?? (await find())
    } catch (error) {
      watched?.end()
      throw error
    } finally {
      recent.isBeingWatched = false
    }
  }

  async function readFirst(key: string, at: number, find: () => Promise<Found>): Promise<Found> {
    const found = await find()
    if (isSmallFolder(found)) begin(key, at)
    return found
  }

  return {
    known(key) {
      const recent = all.get(key)
      if (recent?.kept === undefined) return undefined
      const { watched, readAt } = recent.kept
      const at = now()
      recent.askedAt = at
      const found = watched.value()
      if (found !== undefined && at - readAt < keptFor) return found
      if (found === undefined) recent.reads = 0
      forget(recent)
      return undefined
    },

    read(key, place, find) {
      const at = now()
      const recent = all.get(key)
      if (recent === undefined) return readFirst(key, at, find)
      const folder = isWorthIt(recent, at) ? place() : undefined
      recent.askedAt = at
      recent.reads += 1
      return folder === undefined ? find() : keep(key, recent, folder, find)
    },
  }
}

/** The folders that it lies in, from the top down. */
function aboveOf(place: VirtualPath): VirtualPath[] {
  const above: VirtualPath[] = []
  for (let at = place; at !== rootPath; ) {
    at = parentOf(at)
    above.unshift(at)
  }
  return above
}

/** Undefined where there are too many, or it is no small folder. */
function foldersIn(found: Found): string[] | undefined {
  if (!isSmallFolder(found)) return undefined
  const folders = found.entries?.filter(({ kind, isLink }) => kind === 'folder' && !isLink) ?? []
  return folders.length > mostWatchedBelow ? undefined : folders.map(({ name, exact = name }) => exact)
}

/** Of folders in a folder: a name that comes or goes changes their time. */
export async function watchNames(
  watched: Watched<unknown>,
  place: VirtualPath,
  names: readonly string[],
): Promise<boolean> {
  const added = await Promise.all(names.map((name) => watched.add(inFolder(place, name), 'names')))
  return !added.includes(undefined)
}
