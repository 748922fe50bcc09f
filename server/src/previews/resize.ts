import type { Matrix3x3, Metadata, Sharp, SharpConstructor } from 'sharp'
import { queueOf } from '../concurrency/turns.ts'
import { Failure } from '../failure.ts'
import type { OpenFile } from '../storage/port.ts'
import { readBmp } from './bmp.ts'
import { memoryFor } from './memory.ts'
import type { Format, Recipe, Size } from './recipes.ts'

export interface ResizeOptions {
  maxPixels: number
}

/** Held as a whole only for readers that cannot do with pieces. */
const mostInMemory = 40 * 1024 * 1024
const readPiecewise = new Set(['image/jpeg', 'image/png', 'image/tiff'])
const secondsAtMost = 10

/** What one image may take while it is made smaller, and how much makes it one of those that take turns. */
const mostMemory = 200 * 1024 * 1024
const muchMemory = 64 * 1024 * 1024
const large = queueOf(1)

const white = '#fff'

/** A smaller picture of an open file. */
export async function resize(file: OpenFile, recipe: Recipe, options: ResizeOptions): Promise<Uint8Array<ArrayBuffer>> {
  using turn = large.turn()
  try {
    const image = await openImage(file, recipe.source, options)
    if (image.memory > mostMemory) throw tooLarge()
    if (image.memory > muchMemory) await turn.begun()
    const resized = sized[recipe.size](await upright(image, recipe.size))
    return new Uint8Array(await encodings[recipe.format](resized).toBuffer())
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = error instanceof Error ? error.message : ''
    if (/pixel limit|timeout/.test(reason)) throw tooLarge()
    throw new Failure('invalid', 'the file cannot be read as an image', { cause: error })
  }
}

/** `cover` scales a picture by its short side; beyond this ratio the long side would become many times the thumbnail. */
const longestSides = 16

/** The picture as a person holds it. */
async function upright({ picture, facts }: OpenImage, size: Size): Promise<Sharp> {
  const limited = picture.timeout({ seconds: secondsAtMost })
  if (facts === undefined) return limited
  const { width, height, orientation } = facts
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (size === 'big' || long <= short * longestSides) return limited.autoOrient()
  // Only its centre is seen, and the centre stays where it is however the picture is turned. Cut out and made small
  // first: the library turns pictures in memory, 1.4 million lines of one that is 12 wide and 65,500 high.
  const [left, top] = [Math.floor((width - short) / 2), Math.floor((height - short) / 2)]
  const centre = limited.extract({ left, top, width: short, height: short })
  const small = sized.thumb(centre).png()
  if (orientation !== undefined) small.withMetadata({ orientation })
  return (await library())(await small.toBuffer()).autoOrient()
}

const sized: Record<Size, (image: Sharp) => Sharp> = {
  thumb: (image) => image.resize(256, 256, { fit: 'cover' }),
  big: (image) => image.resize(1080, 1080, { fit: 'inside', withoutEnlargement: true }),
}

const encodings: Record<Format, (image: Sharp) => Sharp> = {
  jpeg: (image) => image.flatten({ background: white }).jpeg({ quality: 80 }),
  png: (image) => image.png({ compressionLevel: 6 }),
  webp: (image) => image.webp({ quality: 80, effort: 2 }),
  // Packed as the predecessor packed it: of the many ways there are, small readers know few.
  tiff: (image) => image.tiff({ compression: 'deflate', predictor: 'horizontal' }),
}

const tooLarge = () => new Failure('too-large', 'The image is too large for a preview')

interface OpenImage {
  picture: Sharp
  memory: number
  /** Of a picture that may be stored turned. */
  facts?: Pick<Metadata, 'width' | 'height' | 'orientation'>
}

async function openImage(file: OpenFile, source: string, { maxPixels }: ResizeOptions): Promise<OpenImage> {
  const sharp = await library()
  const options = { limitInputPixels: maxPixels, sequentialRead: true, failOn: 'error' } as const
  if (source !== 'image/bmp') {
    const picture = sharp(await inputOf(file, source), options)
    const facts = await picture.metadata()
    return { memory: memoryFor(facts), picture, facts }
  }
  const pixels = readBmp(await bytesOf(file))
  if (pixels === undefined) throw new Failure('invalid', 'the image is not complete')
  const { data, width, height, channels } = pixels
  if (width * height > maxPixels) throw tooLarge()
  const picture = sharp(data, { raw: { width, height, channels } }).removeAlpha().recomb(blueFirst)
  return { picture, memory: data.length }
}

const blueFirst: Matrix3x3 = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
]

async function inputOf(file: OpenFile, source: string): Promise<Uint8Array | string> {
  // The descriptor's own path: still the file that was opened, whatever its name leads to by now. The other readers
  // would map it into memory, where a file that shrinks ends the process.
  const { name } = file.content as { name?: string }
  if (readPiecewise.has(source) && name?.startsWith('/proc/self/fd/')) return name
  return bytesOf(file)
}

async function bytesOf({ entry, content }: OpenFile): Promise<Uint8Array> {
  if (entry.size > mostInMemory) throw new Failure('too-large', 'The file is too large for a preview')
  return new Uint8Array(await content.slice(0, mostInMemory).arrayBuffer())
}

let loading: Promise<SharpConstructor> | undefined

/** Only when the first image is asked for: the library is larger than the rest of the server at rest. */
function library(): Promise<SharpConstructor> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // One image, one thread: several images at a time are the better use of many cores.
    sharp.concurrency(1)
    sharp.cache(false)
    // Drawings can refer to other files and grow without end; only plain pictures are read.
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Tiff', 'Heif'].map((format) => `VipsForeignLoad${format}`) })
    return sharp
  }, notInstalled)
  return loading
}

function notInstalled(cause: unknown): never {
  throw new Failure('no-preview', 'The image library does not run on this machine', { cause })
}
