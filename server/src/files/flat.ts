import type { RecursiveEntry } from '@filestead/contract'
import { byName, type Scope } from '../access/scope.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure, isFailure } from '../failure.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { formatTime } from './times.ts'

/** Everything below a folder as one flat list in the order of names. Symlinks are listed, not followed. */
export async function* listFlat(
  scope: Scope,
  folder: VirtualPath,
  signal: AbortSignal,
): AsyncGenerator<RecursiveEntry> {
  const pause = timeSlices(signal)
  const levels = [{ folder, entries: await entriesOf(scope, folder, signal), next: 0 }]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const entry = level.entries[level.next]
    level.next += 1
    if (entry === undefined) {
      levels.pop()
      continue
    }
    const path = inFolder(level.folder, entry.name)
    const isDir = entry.kind === 'folder'
    yield { path, name: entry.name, size: entry.size, modified: formatTime(entry.seconds, entry.nanoseconds), isDir }
    const rest = pause()
    if (rest !== undefined) await rest
    if (!isDir) continue
    const entries = await entriesOf(scope, path, signal).catch(noneIfUnreadable)
    levels.push({ folder: path, entries, next: 0 })
  }
}

async function entriesOf(scope: Scope, folder: VirtualPath, signal: AbortSignal): Promise<Entry[]> {
  signal.throwIfAborted()
  return byName((await scope.listUnfollowed(folder, signal)).entries)
}

export async function requireFolder(scope: Scope, path: VirtualPath): Promise<void> {
  if ((await scope.stat(path)).kind !== 'folder') throw new Failure('invalid', 'path is not a directory')
}

/** The wire form, in pieces of a few hundred lines. */
export async function* flatJson(entries: AsyncIterable<RecursiveEntry>): AsyncGenerator<string> {
  let text = '['
  let count = 0
  for await (const entry of entries) {
    text += (count === 0 ? '' : ',') + JSON.stringify(entry)
    count += 1
    if (count % 500 === 0) {
      yield text
      text = ''
    }
  }
  yield `${text}]`
}

/** A folder that is gone, closed to the server or nested too deeply is left out; the rest is listed. */
function noneIfUnreadable(error: unknown): Entry[] {
  if ((['forbidden', 'not-found', 'invalid'] as const).some((code) => isFailure(error, code))) return []
  throw error
}
