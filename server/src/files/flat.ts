import type { RecursiveEntry } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { inFolder, type VirtualPath } from './path.ts'
import { byName, type Scope } from './scope.ts'
import { formatTime } from './times.ts'

/** Everything below a folder as one flat list in the order of names. Links are named, not followed. */
export async function* listFlat(
  scope: Scope,
  folder: VirtualPath,
  signal: AbortSignal,
): AsyncGenerator<RecursiveEntry> {
  signal.throwIfAborted()
  for (const entry of byName((await scope.listUnfollowed(folder, signal)).entries)) {
    const path = inFolder(folder, entry.name)
    const isDir = entry.kind === 'folder'
    yield { path, name: entry.name, size: entry.size, modified: formatTime(entry.seconds, entry.nanoseconds), isDir }
    if (isDir) yield* unreadableSkipped(listFlat(scope, path, signal))
  }
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

async function* unreadableSkipped(entries: AsyncIterable<RecursiveEntry>): AsyncGenerator<RecursiveEntry> {
  try {
    yield* entries
  } catch (error) {
    if (!isFailure(error, 'forbidden') && !isFailure(error, 'not-found')) throw error
  }
}
