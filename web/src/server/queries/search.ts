import { encodePath, extensionOf, join } from '@filestead/contract'
import { call, throwConnectionLost } from '../client.ts'
import type { Entry } from './resources.ts'

/**
 * An entry that a search has found. Its `name` is its path below the folder that was searched: entries of several
 * folders may have the same last name.
 */
export type FoundEntry = Entry

interface Line extends Pick<Entry, 'path' | 'size' | 'modified' | 'mode' | 'isDir' | 'isSymlink' | 'type'> {}

/** Yields what is found as it is found, a handful at a time. */
export async function* search(folder: string, query: string, signal: AbortSignal): AsyncGenerator<FoundEntry[]> {
  const place = encodePath(folder === '/' ? '/' : `${folder}/`)
  const parameters = new URLSearchParams({ query, facts: 'true' })
  const response = await call('GET', `search${place}?${parameters}`, { signal })
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read().catch(throwConnectionLost)
    const lines = (rest + (value ?? '')).split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    // Blank lines only keep the connection open.
    const found = lines.filter((line) => line.trim() !== '').map((line) => entryOf(folder, JSON.parse(line)))
    if (found.length > 0) yield found
    if (done) return
  }
}

const entryOf = (folder: string, { path: name, size, modified, mode, isDir, isSymlink, type }: Line): FoundEntry => ({
  path: join(folder, name),
  name,
  size,
  modified,
  mode,
  isDir,
  isSymlink,
  type,
  extension: isDir ? '' : extensionOf(name),
})
