import type { MediaFacts } from '@filestead/contract'
import { type Box, boxesIn } from './boxes.ts'
import { type Bytes, Unreadable } from './bytes.ts'
import { readExif, readTiff, upright } from './exif.ts'

type Read = (bytes: Bytes) => Promise<MediaFacts>

/** Reads the size of an image from its headers, by the media type that its first bytes tell. */
export const imageReaders: Readonly<Record<string, Read | undefined>> = {
  'image/jpeg': readJpeg,
  'image/png': readPng,
  'image/gif': async (bytes) => little(await bytes.at(6, 4), 0, 2, 2),
  'image/bmp': async (bytes) => {
    const head = await bytes.at(18, 8)
    return { width: Math.abs(head.readInt32LE(0)), height: Math.abs(head.readInt32LE(4)) }
  },
  'image/webp': readWebp,
  'image/avif': readHeif,
  'image/heic': readHeif,
  'image/heif': readHeif,
  async 'image/tiff'(bytes) {
    const { width, height, orientation, photo } = await readTiff(bytes)
    return { ...upright(width, height, orientation), photo }
  },
}

const little = (head: Buffer, at: number, size: 2 | 3, step: number) => ({
  width: head.readUIntLE(at, size),
  height: head.readUIntLE(at + step, size),
})

const exifName = 'Exif\0\0'
const largestExif = 64 * 1024
/** Huffman tables, extensions and arithmetic coding have numbers between those of the frames. */
const noFrames = new Set([0xc4, 0xc8, 0xcc])

async function readJpeg(bytes: Bytes): Promise<MediaFacts> {
  let exif: Awaited<ReturnType<typeof readExif>>
  for (let at = 2; ; ) {
    const head = await bytes.at(at, 10)
    if (head.length < 10 || head[0] !== 0xff) throw new Unreadable()
    const marker = head[1] ?? 0
    const length = head.readUInt16BE(2)
    if (marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker)) {
      const [height, width] = [head.readUInt16BE(5), head.readUInt16BE(7)]
      return { ...upright(width, height, exif?.orientation), ...photoOf(exif) }
    }
    if (marker === 0xe1 && exif === undefined && head.toString('latin1', 4, 10) === exifName)
      exif = await readExif(Buffer.from(await bytes.at(at + 10, Math.min(length - 8, largestExif))))
    // A filler byte is a segment of one byte.
    at += marker === 0xff ? 1 : length + 2
  }
}

const photoOf = (exif: Awaited<ReturnType<typeof readExif>>): Pick<MediaFacts, 'photo'> =>
  exif === undefined || Object.keys(exif.photo).length === 0 ? {} : { photo: exif.photo }

async function readPng(bytes: Bytes): Promise<MediaFacts> {
  const head = await bytes.at(16, 8)
  const size = { width: head.readUInt32BE(0), height: head.readUInt32BE(4) }
  // EXIF stands before the pixels where it is there at all.
  for (let at = 33; ; ) {
    const chunk = await bytes.at(at, 8)
    const type = chunk.toString('latin1', 4, 8)
    if (chunk.length < 8 || type === 'IDAT') return size
    const length = chunk.readUInt32BE(0)
    if (type === 'eXIf' && length <= largestExif) {
      const exif = await readExif(Buffer.from(await bytes.at(at + 8, length)))
      return { ...upright(size.width, size.height, exif?.orientation), ...photoOf(exif) }
    }
    at += length + 12
  }
}

async function readWebp(bytes: Bytes): Promise<MediaFacts> {
  const head = Buffer.from(await bytes.at(12, 18))
  const kind = head.toString('latin1', 0, 4)
  if (kind === 'VP8 ') return { width: head.readUInt16LE(14) & 0x3fff, height: head.readUInt16LE(16) & 0x3fff }
  if (kind === 'VP8L') {
    const bits = head.readUInt32LE(9)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (kind !== 'VP8X') throw new Unreadable()
  const size = { width: head.readUIntLE(12, 3) + 1, height: head.readUIntLE(15, 3) + 1 }
  const hasExif = ((head[8] ?? 0) & 8) !== 0
  for (let at = 30; hasExif; ) {
    const chunk = await bytes.at(at, 8)
    if (chunk.length < 8) break
    const length = chunk.readUInt32LE(4)
    if (chunk.toString('latin1', 0, 4) === 'EXIF') {
      const exif = await readExif(await exifIn(bytes, at + 8, Math.min(length, largestExif)))
      return { ...upright(size.width, size.height, exif?.orientation), ...photoOf(exif) }
    }
    at += 8 + length + (length % 2)
  }
  return size
}

/** Some programs write the name that only JPEG needs. */
async function exifIn(bytes: Bytes, start: number, length: number): Promise<Buffer> {
  const exif = Buffer.from(await bytes.at(start, length))
  return exif.toString('latin1', 0, 6) === exifName ? exif.subarray(6) : exif
}

/** The largest of the images that the properties describe: the others are its tiles and thumbnails. */
async function readHeif(bytes: Bytes): Promise<MediaFacts> {
  const meta = await find(boxesIn(bytes, 0, bytes.size), 'meta')
  const properties = await find(boxesIn(bytes, meta.start + 4, meta.end), 'iprp')
  const container = await find(boxesIn(bytes, properties.start, properties.end), 'ipco')
  let [width, height, isTurned] = [0, 0, false]
  for await (const { type, start } of boxesIn(bytes, container.start, container.end)) {
    if (type === 'irot') isTurned = (((await bytes.at(start, 1))[0] ?? 0) & 1) === 1
    if (type !== 'ispe') continue
    const size = await bytes.at(start + 4, 8)
    if (size.readUInt32BE(0) > width) [width, height] = [size.readUInt32BE(0), size.readUInt32BE(4)]
  }
  return upright(width, height, isTurned ? 6 : 1)
}

async function find(boxes: AsyncIterable<Box>, type: string): Promise<Box> {
  for await (const box of boxes) if (box.type === type) return box
  throw new Unreadable()
}

const lengthOf = (tag: string, name: string): number =>
  Number(new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(?:px)?\\s*["']`).exec(tag)?.[1] ?? Number.NaN)

/** A drawing has the size that it asks for, or else that of its coordinates. */
export async function readSvg(bytes: Bytes): Promise<MediaFacts> {
  const text = (await bytes.at(0, 16_384)).toString('utf8')
  // The first tag alone: looking for the end of each of many would take the square of their number.
  const start = text.search(/<svg\b/)
  const tag = start < 0 ? '' : text.slice(start, text.indexOf('>', start) + 1)
  const [width, height] = [lengthOf(tag, 'width'), lengthOf(tag, 'height')]
  if (width > 0 && height > 0) return { width, height }
  const [, , boxWidth = 0, boxHeight = 0] = (/\sviewBox\s*=\s*["']([^"']*)["']/.exec(tag)?.[1] ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  return { width: boxWidth, height: boxHeight }
}
