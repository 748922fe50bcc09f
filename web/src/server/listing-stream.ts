import type { FolderResource, Resource } from '@filestead/contract'
import { sessionStore } from '../state/session-scope.ts'

/** How many pieces of listings have come: a slow line is no server that does not answer. */
export const piecesRead = sessionStore(0)

const start = '{"items":['
/** Not part of any name: there, a quotation mark would have a backslash before it or end the text. */
const between = '},{"path":'

/**
 * A file or folder, read as it comes: the items of a large folder are parsed while others are on their way. `onBeginning`
 * is told the first of them, once, where there are more to come, which are not parsed before it is done.
 */
export async function readListing(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBeginning: (items: readonly Resource[]) => Promise<void> | void,
): Promise<Resource | FolderResource> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const items: Resource[] = []
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    piecesRead.set(piecesRead.get() + 1)
    text += value
    const end = text.startsWith(start) ? text.lastIndexOf(between) : -1
    if (end === -1) continue
    const isFirst = items.length === 0
    for (const item of JSON.parse(`[${text.slice(start.length, end + 1)}]`)) items.push(item)
    text = start + text.slice(end + 2)
    if (isFirst) await onBeginning(items.slice())
  }
  const last: Resource | FolderResource = JSON.parse(text)
  return 'items' in last ? { ...last, items: [...items, ...last.items] } : last
}
