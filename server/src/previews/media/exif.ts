import type { Photo } from '@filestead/contract'
import { type Bytes, bytesIn, Unreadable } from './bytes.ts'

/** The values of a directory, by their tags. */
type Directory = ReadonlyMap<number, Value>
type Value = string | readonly number[]

interface Tiff {
  bytes: Bytes
  isLittle: boolean
}

export interface TiffFacts {
  width: number
  height: number
  /** 1 to 8, as EXIF counts the ways a picture can be stored turned. */
  orientation: number
  photo: Photo
}

const [exifPointer, gpsPointer] = [0x8769, 0x8825]

/** What the directories of a TIFF say. EXIF is one, whether in a JPEG, a PNG, a WebP, or the file itself. */
export async function readTiff(bytes: Bytes): Promise<TiffFacts> {
  const head = await bytes.at(0, 8)
  const order = head.toString('latin1', 0, 2)
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) throw new Unreadable()
  const tiff = { bytes, isLittle: order === 'II' }
  const main = await readDirectory(tiff, read32(tiff, head, 4))
  const [exif, gps] = [await pointed(tiff, main, exifPointer), await pointed(tiff, main, gpsPointer)]
  const orientation = numberOf(main, 0x0112) ?? 1
  return {
    width: numberOf(main, 0x0100) ?? 0,
    height: numberOf(main, 0x0101) ?? 0,
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    photo: photoIn(main, exif, gps),
  }
}

/** EXIF that lies in another file. What is damaged says nothing. */
export const readExif = (buffer: Buffer): Promise<TiffFacts | undefined> =>
  readTiff(bytesIn(buffer)).catch(() => undefined)

/** Orientations from 5 on lie on their side. */
export const upright = (width: number, height: number, orientation = 1): { width: number; height: number } =>
  orientation >= 5 ? { width: height, height: width } : { width, height }

function photoIn(main: Directory, exif: Directory, gps: Directory): Photo {
  const facts = {
    taken: timeOf(textOf(exif, 0x9003) ?? textOf(main, 0x0132)),
    camera: cameraOf(textOf(main, 0x010f), textOf(main, 0x0110)),
    lens: textOf(exif, 0xa434),
    exposure: positive(numberOf(exif, 0x829a)),
    aperture: positive(numberOf(exif, 0x829d)),
    iso: positive(numberOf(exif, 0x8827)),
    focalLength: positive(numberOf(exif, 0x920a)),
    ...placeIn(gps),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

const positive = (value: number | undefined) => (value !== undefined && value > 0 ? value : undefined)

/** 2024:05:17 18:03:22 as 2024-05-17T18:03:22. Cameras whose clock was never set write zeros. */
function timeOf(text: string | undefined): string | undefined {
  const found = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(text ?? '')
  if (found === null || found[1] === '0000') return undefined
  const time = `${found[1]}-${found[2]}-${found[3]}T${found[4]}`
  return Number.isNaN(Date.parse(`${time}Z`)) ? undefined : time
}

/** Many models begin with their maker's name. */
function cameraOf(maker: string | undefined, model: string | undefined): string | undefined {
  if (maker === undefined || model === undefined) return model ?? maker
  const [first = maker] = maker.split(' ')
  return model.toLowerCase().startsWith(first.toLowerCase()) ? model : `${maker} ${model}`
}

function placeIn(gps: Directory): Pick<Photo, 'latitude' | 'longitude'> {
  const [latitude, longitude] = [degreesOf(gps, 2, textOf(gps, 1)), degreesOf(gps, 4, textOf(gps, 3))]
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (latitude !== 0 || longitude !== 0)
  return isPlace ? { latitude, longitude } : {}
}

function degreesOf(gps: Directory, tag: number, side: string | undefined): number {
  const value = gps.get(tag)
  if (value === undefined || typeof value === 'string') return Number.NaN
  const [degrees = Number.NaN, minutes = 0, seconds = 0] = value
  const whole = degrees + minutes / 60 + seconds / 3600
  return Math.round((side === 'S' || side === 'W' ? -whole : whole) * 1e6) / 1e6
}

function textOf(directory: Directory, tag: number): string | undefined {
  const value = directory.get(tag)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberOf(directory: Directory, tag: number): number | undefined {
  const value = directory.get(tag)
  const first = typeof value === 'string' ? undefined : value?.[0]
  return first !== undefined && Number.isFinite(first) ? first : undefined
}

async function pointed(tiff: Tiff, from: Directory, tag: number): Promise<Directory> {
  const at = numberOf(from, tag)
  return at === undefined ? new Map() : readDirectory(tiff, at).catch(() => new Map())
}

const sizes: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8]
const mostEntries = 200
const longestValue = 256

async function readDirectory(tiff: Tiff, start: number): Promise<Directory> {
  const { bytes } = tiff
  const counted = await bytes.at(start, 2)
  if (counted.length < 2) throw new Unreadable()
  const count = Math.min(read16(tiff, counted, 0), mostEntries)
  const entries = Buffer.from(await bytes.at(start + 2, count * 12))
  const found = new Map<number, Value>()
  for (let at = 0; at + 12 <= entries.length; at += 12) {
    const [type, values] = [read16(tiff, entries, at + 2), read32(tiff, entries, at + 4)]
    const length = values * (sizes[type] ?? 0)
    if (length === 0 || length > longestValue) continue
    const value =
      length <= 4 ? entries.subarray(at + 8, at + 8 + length) : await bytes.at(read32(tiff, entries, at + 8), length)
    if (value.length === length) found.set(read16(tiff, entries, at), decode(tiff, type, value))
  }
  return found
}

/** A zero ends a text; other control characters have no place in one. */
const cleanText = (value: Buffer): string =>
  (value.toString('utf8').split('\0')[0] ?? '').replace(/\p{Cc}/gu, '').trim()

function decode(tiff: Tiff, type: number, value: Buffer): Value {
  if (type === 2) return cleanText(value)
  const size = sizes[type] ?? 1
  return Array.from({ length: value.length / size }, (_, index) => {
    const at = index * size
    if (type === 5) return read32(tiff, value, at) / read32(tiff, value, at + 4)
    if (type === 10) return (read32(tiff, value, at) | 0) / (read32(tiff, value, at + 4) | 0)
    return size === 2 ? read16(tiff, value, at) : size === 4 ? read32(tiff, value, at) : (value[at] ?? 0)
  })
}

const read16 = ({ isLittle }: Tiff, buffer: Buffer, at: number) =>
  isLittle ? buffer.readUInt16LE(at) : buffer.readUInt16BE(at)
const read32 = ({ isLittle }: Tiff, buffer: Buffer, at: number) =>
  isLittle ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at)
