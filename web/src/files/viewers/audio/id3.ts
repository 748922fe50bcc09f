import { coverOf, latin1, mostBytes, type ReadPiece, type Tags, uint32 } from './tags.ts'

/** ID3v2.2 to 2.4, as MP3 files carry it at their beginning. */
export async function readId3(head: Uint8Array, read: ReadPiece): Promise<Tags> {
  const version = head[3] ?? 0
  const length = syncSafe(head, 6)
  if (version < 2 || version > 4 || length > mostBytes) return {}
  const raw = await read(10, length)
  const isUnsynced = ((head[5] ?? 0) & 0x80) !== 0 && version < 4
  const body = isUnsynced ? resync(raw) : raw
  const hasExtendedHeader = ((head[5] ?? 0) & 0x40) !== 0 && version > 2
  const tags: Tags = {}
  let at = hasExtendedHeader ? (version === 4 ? syncSafe(body, 0) : uint32(body, 0) + 4) : 0
  const layout = version === 2 ? { id: 3, head: 6 } : { id: 4, head: 10 }
  while (at + layout.head < body.length) {
    const id = latin1(body.subarray(at, at + layout.id))
    if (!/^[A-Z0-9]+$/.test(id)) break
    const size =
      version === 2
        ? uint32(Uint8Array.of(0, ...body.subarray(at + 3, at + 6)), 0)
        : version === 4
          ? syncSafe(body, at + 4)
          : uint32(body, at + 4)
    const data = body.subarray(at + layout.head, at + layout.head + size)
    at += layout.head + size
    if (size > 0) take(tags, id, data)
  }
  return tags
}

function take(tags: Tags, id: string, data: Uint8Array<ArrayBuffer>): void {
  const field = fields[id]
  if (field !== undefined) tags[field] = decode(data[0] ?? 0, data.subarray(1))
  if (id !== 'APIC' && id !== 'PIC') return
  // The encoding, the type (a text that ends with 0, or three letters), what it shows, a description, the image.
  const encoding = data[0] ?? 0
  const afterType = id === 'PIC' ? 4 : data.indexOf(0, 1) + 1
  const start = endOfText(data, afterType + 1, encoding)
  const cover = coverOf(data.slice(start))
  // Number 3 is the front; any other will do until it comes.
  if (cover !== undefined && (tags.cover === undefined || data[afterType] === 3)) tags.cover = cover
}

const fields: Record<string, 'title' | 'artist' | 'album'> = {
  TIT2: 'title',
  TT2: 'title',
  TPE1: 'artist',
  TP1: 'artist',
  TALB: 'album',
  TAL: 'album',
}

const isWide = (encoding: number): boolean => encoding === 1 || encoding === 2

function endOfText(data: Uint8Array, from: number, encoding: number): number {
  if (!isWide(encoding)) return data.indexOf(0, from) + 1
  for (let at = from; at + 1 < data.length; at += 2) if (data[at] === 0 && data[at + 1] === 0) return at + 2
  return data.length
}

function decode(encoding: number, data: Uint8Array): string {
  const isBigEndian = encoding === 2 || (encoding === 1 && data[0] === 0xfe)
  const label = isWide(encoding) ? (isBigEndian ? 'utf-16be' : 'utf-16le') : encoding === 3 ? 'utf-8' : 'windows-1252'
  // Several values are divided by a 0.
  return new TextDecoder(label)
    .decode(data)
    .split('\0')
    .filter((part) => part !== '')
    .join(', ')
}

const syncSafe = (bytes: Uint8Array, at: number): number =>
  [0, 1, 2, 3].reduce((size, index) => size * 128 + ((bytes[at + index] ?? 0) & 127), 0)

/** Undoes the zeros that some writers put after every 255. */
function resync(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.filter((byte, index) => !(byte === 0 && bytes[index - 1] === 0xff)) as Uint8Array<ArrayBuffer>
}
