import type { MediaFacts } from '@filestead/contract'
import { boxesIn } from './boxes.ts'
import { type Bytes, Unreadable } from './bytes.ts'

type Read = (bytes: Bytes) => Promise<MediaFacts>

/** Reads the length and the size of a film from its headers, by the media type that its first bytes tell. */
export const filmReaders: Readonly<Record<string, Read | undefined>> = {
  'video/mp4': readMp4,
  'video/quicktime': readMp4,
  'video/3gpp': readMp4,
  'video/3gpp2': readMp4,
  'video/webm': readMatroska,
  'video/matroska': readMatroska,
  'video/x-msvideo': readAvi,
}

async function readMp4(bytes: Bytes): Promise<MediaFacts> {
  const facts = { width: 0, height: 0, duration: 0 }
  for await (const film of boxesIn(bytes, 0, bytes.size)) {
    if (film.type !== 'moov') continue
    for await (const { type, start, end } of boxesIn(bytes, film.start, film.end)) {
      if (type === 'mvhd') facts.duration = await durationIn(bytes, start)
      if (type !== 'trak' || facts.width > 0) continue
      for await (const box of boxesIn(bytes, start, end))
        if (box.type === 'tkhd') Object.assign(facts, await trackSize(bytes, box.start))
    }
    return facts
  }
  throw new Unreadable()
}

async function durationIn(bytes: Bytes, start: number): Promise<number> {
  const head = await bytes.at(start, 32)
  const isLong = head[0] === 1
  const scale = head.readUInt32BE(isLong ? 20 : 12)
  const units = isLong ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16)
  return scale === 0 ? 0 : units / scale
}

/** Of a track that is seen; sound has none. */
async function trackSize(bytes: Bytes, start: number): Promise<{ width: number; height: number }> {
  const version = (await bytes.at(start, 1))[0]
  const matrix = start + (version === 1 ? 52 : 40)
  const head = await bytes.at(matrix, 44)
  const size = { width: head.readUInt32BE(36) >>> 16, height: head.readUInt32BE(40) >>> 16 }
  // A phone that was held upright stores the picture on its side, and a matrix that turns it.
  const isTurned = head.readInt32BE(0) === 0 && head.readInt32BE(4) !== 0
  return isTurned ? { width: size.height, height: size.width } : size
}

const [segment, info, tracks, cluster] = [0x18538067, 0x1549a966, 0x1654ae6b, 0x1f43b675]
const [timestampScale, lengthOfFilm, trackEntry, video] = [0x2ad7b1, 0x4489, 0xae, 0xe0]
const [pixelWidth, pixelHeight] = [0xb0, 0xba]
const parents = new Set([segment, info, tracks, trackEntry, video])

/** Elements in elements; those that hold what is looked for are entered, the others skipped. */
async function readMatroska(bytes: Bytes): Promise<MediaFacts> {
  const facts = { width: 0, height: 0 }
  let [scale, units] = [1_000_000, 0]
  for (let at = 0; at < bytes.size; ) {
    const head = await bytes.at(at, 12)
    const id = variable(head, 0, true)
    if (id.value === cluster) break
    const length = variable(head, id.size, false)
    const start = at + id.size + length.size
    if (id.value === lengthOfFilm) units = await floatAt(bytes, start, length.value)
    if (id.value === timestampScale) scale = await numberAt(bytes, start, length.value)
    if (id.value === pixelWidth && facts.width === 0) facts.width = await numberAt(bytes, start, length.value)
    if (id.value === pixelHeight && facts.height === 0) facts.height = await numberAt(bytes, start, length.value)
    at = parents.has(id.value) ? start : start + length.value
  }
  const duration = (units * scale) / 1e9
  return duration > 0 ? { ...facts, duration } : facts
}

/** A number whose first byte tells how many there are; of a length, without the bit that tells it. */
function variable(head: Buffer, at: number, isId: boolean): { value: number; size: number } {
  const first = head[at] ?? 0
  const size = Math.clz32(first) - 23
  if (first === 0 || at + size > head.length) throw new Unreadable()
  let value = isId ? first : first & (0xff >> size)
  for (let index = 1; index < size; index += 1) value = value * 256 + (head[at + index] ?? 0)
  return { value, size }
}

async function numberAt(bytes: Bytes, start: number, length: number): Promise<number> {
  if (length < 1 || length > 6) throw new Unreadable()
  return (await bytes.at(start, length)).readUIntBE(0, length)
}

async function floatAt(bytes: Bytes, start: number, length: number): Promise<number> {
  const value = await bytes.at(start, length === 4 ? 4 : 8)
  return length === 4 ? value.readFloatBE(0) : value.readDoubleBE(0)
}

async function readAvi(bytes: Bytes): Promise<MediaFacts> {
  const head = await bytes.at(24, 48)
  if (head.toString('latin1', 0, 4) !== 'avih') throw new Unreadable()
  const duration = (head.readUInt32LE(8) * head.readUInt32LE(24)) / 1e6
  return { width: head.readUInt32LE(40), height: head.readUInt32LE(44), duration }
}
