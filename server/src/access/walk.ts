import { timeSlices } from '../concurrency/time-slices.ts'
import { isFailure } from '../failure.ts'
import type { NameFilter } from '../storage/name-filter.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import { LinkInTheWay, type Named, type Storage } from '../storage/port.ts'
import { readAhead, type TreeLevel } from './read-ahead.ts'
import type { Visibility } from './rules.ts'

/** Entries of one folder that follow each other. */
export interface Run {
  readonly folder: VirtualPath
  readonly entries: readonly Named[]
}

export interface Start {
  readonly folder: VirtualPath
  /** The same place without links. */
  readonly real: VirtualPath
  readonly names: Named[]
}

interface Level extends Start, TreeLevel<Place> {
  /** Where to go on when the walk comes back from below. */
  next: number
  isVisible(name: string): boolean
}

type Place = Pick<Start, 'folder' | 'real'>

interface WalkOptions {
  signal?: AbortSignal | undefined
  filter?: NameFilter | undefined
}

const longestRun = 1000
/** Sorting more would block the event loop; a larger folder comes in the order of its disk. */
const mostSorted = 10_000

/** Goes through all that can be seen below a folder, depth first and in the order of names as a rule, following no symlink. */
export async function* walkNames(
  storage: Pick<Storage, 'names'>,
  visibility: Visibility,
  start: Start,
  { signal, filter }: WalkOptions,
): AsyncGenerator<Run> {
  const first = levelOf(visibility, start)
  const levels = [first]
  const tree = readAhead<Place, Level>(first, async (place, hold) =>
    levelOf(visibility, { ...place, names: await storage.names(place.real, signal, { filter, hold }) }),
  )
  const pause = timeSlices(signal)
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { entries, isBeforeFolder } = nextRun(level, visibility)
    if (entries.length > 0) yield { folder: level.folder, entries }
    const rest = pause()
    if (rest !== undefined) await rest
    signal?.throwIfAborted()
    if (isBeforeFolder) {
      const below = await tree.enter().catch(ifUnreadable)
      if (below) levels.push(below)
    } else if (level.next >= level.names.length) {
      levels.pop()
      tree.leave()
    }
  }
}

function levelOf(visibility: Visibility, { folder, real, names: found }: Start): Level {
  const isVisible = visibility.inFolder(folder)
  const isVisibleThere = folder === real ? isVisible : visibility.inFolder(real)
  const names = found.length > mostSorted ? found : found.sort((a, b) => (a.name < b.name ? -1 : 1))
  const level = {
    folder,
    real,
    names,
    next: 0,
    isVisible: folder === real ? isVisible : (name: string) => isVisible(name) && isVisibleThere(name),
  }
  return { ...level, folders: foldersIn(level, visibility) }
}

function* foldersIn(level: Omit<Level, 'folders'>, visibility: Visibility): Generator<Place> {
  for (const entry of level.names)
    if (entry.kind === 'folder' && isEntered(level, visibility, entry.name))
      yield { folder: inFolder(level.folder, entry.name), real: inFolder(level.real, entry.exact ?? entry.name) }
}

/** A hidden folder is entered where a rule shows something in it. */
const isEntered = (level: Pick<Level, 'folder' | 'isVisible'>, visibility: Visibility, name: string): boolean =>
  level.isVisible(name) || visibility.maySeeBelow(inFolder(level.folder, name))

/** What can be seen up to the next folder that has to be entered. */
function nextRun(level: Level, visibility: Visibility): { entries: Named[]; isBeforeFolder: boolean } {
  const entries: Named[] = []
  const end = Math.min(level.names.length, level.next + longestRun)
  while (level.next < end) {
    const entry = level.names[level.next]
    level.next += 1
    if (entry === undefined) break
    if (level.isVisible(entry.name)) entries.push(entry)
    if (entry.kind === 'folder' && isEntered(level, visibility, entry.name)) return { entries, isBeforeFolder: true }
  }
  return { entries, isBeforeFolder: false }
}

/** Gone, without permission, too deep, or a symlink by now: the rest can still be found. */
function ifUnreadable(error: unknown): undefined {
  const isExpected = isFailure(error, 'not-found', 'forbidden', 'invalid')
  if (!isExpected && !(error instanceof LinkInTheWay)) throw error
}
