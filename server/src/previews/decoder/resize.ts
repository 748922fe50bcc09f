import type { Matrix3x3, Metadata, Sharp, SharpConstructor } from 'sharp'
import { Failure } from '../../failure.ts'
import type { Format, Size } from '../recipes.ts'
import { readBmp } from './bmp.ts'
import { memoryFor } from './memory.ts'
import type { Task } from './wire.ts'

const secondsAtMost = 10

/** How much memory resizing one image may take, and from how much on only one image is resized at a time. */
const mostMemory = 200 * 1024 * 1024
const muchMemory = 64 * 1024 * 1024

/** Thrown before the pixels are read, where the task did not allow for so much memory. */
export class LargeImage extends Error {}

const white = '#fff'

/** A smaller picture of the image in these bytes. */
export async function resize(bytes: Uint8Array, task: Task): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const image = await openImage(bytes, task)
    if (image.memory > mostMemory) throw tooLarge()
    if (image.memory > muchMemory && !task.mayBeLarge) throw new LargeImage()
    const resized = sized[task.size](await upright(image, task.size))
    return new Uint8Array(await encodings[task.format](resized).toBuffer())
  } catch (error) {
    if (error instanceof Failure || error instanceof LargeImage) throw error
    const reason = error instanceof Error ? error.message : ''
    if (/pixel limit|timeout/.test(reason)) throw tooLarge()
    throw new Failure('invalid', 'the file cannot be read as an image', { cause: error })
  }
}

/** `cover` scales a picture by its short side; beyond this ratio the long side would become many times the thumbnail. */
const longestSides = 16

/** Turned as the orientation in its metadata says. */
async function upright({ picture, facts }: OpenImage, size: Size): Promise<Sharp> {
  const limited = picture.timeout({ seconds: secondsAtMost })
  if (facts === undefined) return limited
  const { width, height, orientation } = facts
  const [short, long] = [Math.min(width, height), Math.max(width, height)]
  if (size !== 'thumb' || long <= short * longestSides) return limited.autoOrient()
  // Only its centre is seen, and the centre stays where it is however the picture is turned. Cut out and made small
  // first: the library turns pictures in memory, 1.4 million lines of one that is 12 wide and 65,500 high.
  const [left, top] = [Math.floor((width - short) / 2), Math.floor((height - short) / 2)]
  const centre = limited.extract({ left, top, width: short, height: short })
  const small = sized.thumb(centre).png()
  if (orientation !== undefined) small.withMetadata({ orientation })
  return (await imageLibrary())(await small.toBuffer()).autoOrient()
}

const sized: Record<Size, (image: Sharp) => Sharp> = {
  thumb: (image) => image.resize(256, 256, { fit: 'cover' }),
  big: within(1080),
  512: within(512),
  1024: within(1024),
}

function within(longest: number): (image: Sharp) => Sharp {
  return (image) => image.resize(longest, longest, { fit: 'inside', withoutEnlargement: true })
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

async function openImage(bytes: Uint8Array, { source, maxPixels }: Task): Promise<OpenImage> {
  const sharp = await imageLibrary()
  const options = { limitInputPixels: maxPixels, sequentialRead: true, failOn: 'error' } as const
  if (source !== 'image/bmp') {
    const picture = sharp(bytes, options)
    const facts = await picture.metadata()
    return { memory: memoryFor(facts), picture, facts }
  }
  const pixels = readBmp(bytes)
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

let loading: Promise<SharpConstructor> | undefined

export function imageLibrary(): Promise<SharpConstructor> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // One image, one thread: several images at a time are the better use of many cores.
    sharp.concurrency(1)
    sharp.cache(false)
    // Drawings can refer to other files and grow without end; only plain pictures are read.
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Tiff', 'Heif'].map((format) => `VipsForeignLoad${format}`) })
    return sharp
  })
  return loading
}
