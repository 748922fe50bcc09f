import { coverOf, mostBytes, type ReadPiece, type Tags, uint32 } from './tags.ts'

const mostBoxes = 64

/** MP4 (M4A, M4B): boxes in boxes; the tags are in moov / udta / meta / ilst. */
export async function readMp4(read: ReadPiece): Promise<Tags> {
  let at = 0
  for (let box = 0; box < mostBoxes; box += 1) {
    const head = await read(at, 16)
    const size = uint32(head, 0) === 1 ? uint32(head, 8) * 2 ** 32 + uint32(head, 12) : uint32(head, 0)
    if (head.length < 8 || size < 8) return {}
    if (nameAt(head, 4) === 'moov') return size > mostBytes ? {} : readItems(await read(at, size))
    at += size
  }
  return {}
}

function readItems(moov: Uint8Array<ArrayBuffer>): Tags {
  const udta = inside(moov, 8).get('udta')
  const meta = udta && inside(udta, 8).get('meta')
  const ilst = meta && (inside(meta, 12).get('ilst') ?? inside(meta, 8).get('ilst'))
  if (!ilst) return {}
  const tags: Tags = {}
  for (const [name, item] of inside(ilst, 8)) {
    const value = inside(item, 8).get('data')?.slice(16)
    if (value === undefined) continue
    const field = fields[name]
    if (field !== undefined) tags[field] = new TextDecoder().decode(value)
    const cover = name === 'covr' ? coverOf(value) : undefined
    if (cover !== undefined) tags.cover = cover
  }
  return tags
}

const fields: Record<string, 'title' | 'artist' | 'album'> = { '©nam': 'title', '©ART': 'artist', '©alb': 'album' }

/** The boxes in a box, by name; each with its own head. */
function inside(box: Uint8Array<ArrayBuffer>, from: number): Map<string, Uint8Array<ArrayBuffer>> {
  const found = new Map<string, Uint8Array<ArrayBuffer>>()
  let at = from
  while (at + 8 <= box.length) {
    const size = uint32(box, at)
    if (size < 8) break
    const name = nameAt(box, at + 4)
    if (!found.has(name)) found.set(name, box.subarray(at, at + size))
    at += size
  }
  return found
}

const nameAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
