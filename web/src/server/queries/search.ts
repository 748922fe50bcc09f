import { encodePath, extensionOf, join } from '@filestead/contract'
import { call } from '../client.ts'
import { jsonLines } from '../json-lines.ts'
import type { Entry } from './resources.ts'

/**
 * An entry that a search has found. Its `name` is its path below the folder that was searched: entries of several
 * folders may have the same last name.
 */
export type FoundEntry = Entry

interface Line extends Pick<Entry, 'path' | 'size' | 'modified' | 'mode' | 'isDir' | 'isSymlink' | 'type' | 'can'> {}

/** Yields what is found as it is found, a handful at a time. */
export async function* search(folder: string, query: string, signal: AbortSignal): AsyncGenerator<FoundEntry[]> {
  const place = encodePath(folder === '/' ? '/' : `${folder}/`)
  const parameters = new URLSearchParams({ query, facts: 'true' })
  const response = await call('GET', `search${place}?${parameters}`, { signal })
  for await (const lines of jsonLines<Line>(response)) yield lines.map((line) => entryOf(folder, line))
}

const entryOf = (
  folder: string,
  { path: name, size, modified, mode, isDir, isSymlink, type, can }: Line,
): FoundEntry => ({
  path: join(folder, name),
  name,
  size,
  modified,
  mode,
  isDir,
  isSymlink,
  type,
  extension: isDir ? '' : extensionOf(name),
  ...(can !== undefined && { can }),
})
