import { coverOf, mostBytes, type ReadPiece, type Tags, uint32 } from './tags.ts'

const comments = 4
const coverBlock = 6
const mostBlocks = 64

/** FLAC: blocks, each with its kind and length, before the sound. */
export async function readFlac(read: ReadPiece): Promise<Tags> {
  const tags: Tags = {}
  let at = 4
  for (let block = 0; block < mostBlocks; block += 1) {
    const head = await read(at, 4)
    if (head.length < 4) break
    const kind = (head[0] ?? 0) & 127
    const length = uint32(head, 0) & 0xffffff
    if ((kind === comments || kind === coverBlock) && length <= mostBytes) {
      const data = await read(at + 4, length)
      if (kind === comments) takeComments(tags, data)
      else takeCover(tags, data)
    }
    if ((head[0] ?? 0) >= 128) break
    at += 4 + length
  }
  return tags
}

function takeComments(tags: Tags, data: Uint8Array): void {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  const little = (at: number) => (at + 4 <= data.length ? view.getUint32(at, true) : 0)
  let at = 4 + little(0)
  const count = little(at)
  at += 4
  for (let index = 0; index < count && at + 4 <= data.length; index += 1) {
    const length = little(at)
    const [name = '', ...rest] = new TextDecoder().decode(data.subarray(at + 4, at + 4 + length)).split('=')
    const field = name.toLowerCase()
    if (field === 'title' || field === 'artist' || field === 'album') tags[field] ??= rest.join('=')
    at += 4 + length
  }
}

function takeCover(tags: Tags, data: Uint8Array<ArrayBuffer>): void {
  const afterType = 8 + uint32(data, 4)
  const afterText = afterType + 4 + uint32(data, afterType)
  const start = afterText + 20
  const found = coverOf(data.slice(start, start + uint32(data, afterText + 16)))
  if (found !== undefined && (tags.cover === undefined || uint32(data, 0) === 3)) tags.cover = found
}
