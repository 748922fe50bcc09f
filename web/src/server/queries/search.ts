import { encodePath } from '@filestead/contract'
import { call, throwConnectionLost } from '../client.ts'

/** `path` is relative to the folder that was searched. */
export interface Hit {
  path: string
  dir: boolean
}

/** Yields what is found as it is found, a handful at a time. */
export async function* search(folder: string, query: string, signal: AbortSignal): AsyncGenerator<Hit[]> {
  const place = encodePath(folder === '/' ? '/' : `${folder}/`)
  const response = await call('GET', `search${place}?query=${encodeURIComponent(query)}`, { signal })
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read().catch(throwConnectionLost)
    const lines = (rest + (value ?? '')).split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    // Blank lines only keep the connection open.
    const hits = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Hit)
    if (hits.length > 0) yield hits
    if (done) return
  }
}
