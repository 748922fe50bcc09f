import { timeSlices } from '../concurrency/time-slices.ts'
import { isFailure } from '../failure.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import { LinkInTheWay, type Named, type Storage } from '../storage/port.ts'
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

interface Level extends Start {
  /** Where to go on when the walk comes back from below. */
  next: number
  isVisible(name: string): boolean
}

const longestRun = 1000
/** Sorting more would block the event loop; a larger folder comes in the order of its disk. */
const mostSorted = 10_000

/** Goes through all that can be seen below a folder, depth first and in the order of names as a rule, following no symlink. */
export async function* walkNames(
  storage: Pick<Storage, 'names'>,
  visibility: Visibility,
  start: Start,
  signal?: AbortSignal,
): AsyncGenerator<Run> {
  const levels = [levelOf(visibility, start)]
  const pause = timeSlices(signal)
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { entries, folder, isLast } = nextRun(level, visibility)
    if (entries.length > 0) yield { folder: level.folder, entries }
    const rest = pause()
    if (rest !== undefined) await rest
    signal?.throwIfAborted()
    if (isLast) levels.pop()
    if (folder === undefined) continue
    const real = inFolder(level.real, folder.exact ?? folder.name)
    const names = await storage.names(real, signal).catch(ifUnreadable)
    if (names) levels.push(levelOf(visibility, { folder: inFolder(level.folder, folder.name), real, names }))
  }
}

function levelOf(visibility: Visibility, { folder, real, names }: Start): Level {
  const isVisible = visibility.inFolder(folder)
  const isVisibleThere = folder === real ? isVisible : visibility.inFolder(real)
  return {
    folder,
    real,
    names: names.length > mostSorted ? names : names.sort((a, b) => (a.name < b.name ? -1 : 1)),
    next: 0,
    isVisible: folder === real ? isVisible : (name) => isVisible(name) && isVisibleThere(name),
  }
}

/** What can be seen up to the next folder that has to be entered, and that folder. */
function nextRun(level: Level, visibility: Visibility): { entries: Named[]; folder?: Named; isLast: boolean } {
  const entries: Named[] = []
  const end = Math.min(level.names.length, level.next + longestRun)
  while (level.next < end) {
    const entry = level.names[level.next]
    level.next += 1
    if (entry === undefined) break
    const isVisible = level.isVisible(entry.name)
    if (isVisible) entries.push(entry)
    if (entry.kind === 'folder' && (isVisible || visibility.maySeeBelow(inFolder(level.folder, entry.name))))
      return { entries, folder: entry, isLast: false }
  }
  return { entries, isLast: level.next >= level.names.length }
}

/** Gone, without permission, too deep, or a symlink by now: the rest can still be found. */
function ifUnreadable(error: unknown): undefined {
  const isExpected = (['not-found', 'forbidden', 'invalid'] as const).some((code) => isFailure(error, code))
  if (!isExpected && !(error instanceof LinkInTheWay)) throw error
}
