import type { RecursiveEntry } from '@filestead/contract'
import { readAhead, type TreeLevel } from '../access/read-ahead.ts'
import { byName, type Scope } from '../access/scope.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { formatTime } from '../entries/times.ts'
import { Failure, ignoring } from '../failure.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import type { Entry, Hold } from '../storage/port.ts'

interface Level extends TreeLevel<VirtualPath> {
  readonly folder: VirtualPath
  readonly entries: readonly Entry[]
  /** Where to go on when the walk comes back from below. */
  next: number
}

const longestRun = 500

/** Everything below a folder as one flat list in the order of names, in runs. Symlinks are listed, not followed. */
export async function* listFlat(
  scope: Scope,
  folder: VirtualPath,
  signal: AbortSignal,
): AsyncGenerator<RecursiveEntry[]> {
  const pause = timeSlices(signal)
  const read = async (folder: VirtualPath, hold?: Hold): Promise<Level> => {
    signal.throwIfAborted()
    const entries = byName((await scope.listUnfollowed(folder, signal, hold)).entries)
    return { folder, entries, next: 0, folders: foldersIn(folder, entries) }
  }
  const first = await read(folder)
  const levels = [first]
  const tree = readAhead(first, read)
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const run = nextRun(level)
    if (run.length > 0) yield run
    const rest = pause()
    if (rest !== undefined) await rest
    signal.throwIfAborted()
    if (run.at(-1)?.isDir) {
      // A folder that is gone, closed to the server or nested too deeply is left out; the rest is listed.
      const below = await tree.enter().catch(ignoring('forbidden', 'not-found', 'invalid'))
      if (below) levels.push(below)
    } else if (level.next >= level.entries.length) {
      levels.pop()
      tree.leave()
    }
  }
}

function* foldersIn(folder: VirtualPath, entries: readonly Entry[]): Generator<VirtualPath> {
  for (const { kind, name } of entries) if (kind === 'folder') yield inFolder(folder, name)
}

/** The next entries of a folder, up to one that has to be entered. */
function nextRun(level: Level): RecursiveEntry[] {
  const run: RecursiveEntry[] = []
  const end = Math.min(level.entries.length, level.next + longestRun)
  while (level.next < end) {
    // Within the entries.
    const { name, kind, size, seconds, nanoseconds } = level.entries[level.next] as Entry
    level.next += 1
    const isDir = kind === 'folder'
    run.push({ path: inFolder(level.folder, name), name, size, modified: formatTime(seconds, nanoseconds), isDir })
    if (isDir) break
  }
  return run
}

export async function requireFolder(scope: Scope, path: VirtualPath): Promise<void> {
  if ((await scope.stat(path)).kind !== 'folder') throw new Failure('invalid', 'path is not a directory')
}

/** The wire form, in pieces of a few hundred lines. */
export async function* flatJson(runs: AsyncIterable<readonly RecursiveEntry[]>): AsyncGenerator<string> {
  let text = '['
  let [count, isFirst] = [0, true]
  for await (const run of runs) {
    text += (isFirst ? '' : ',') + JSON.stringify(run).slice(1, -1)
    isFirst = false
    count += run.length
    if (count >= longestRun) {
      yield text
      text = ''
      count = 0
    }
  }
  yield `${text}]`
}
