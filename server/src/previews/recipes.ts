import { sniffMediaType } from '../entries/sniff.ts'
import { Failure } from '../failure.ts'
import { mediaTypeOf } from '../http/media-types.ts'
import { isUsualBmp } from './decoder/bmp.ts'

/**
 * The predecessor's: a square of 256 pixels, and 1080 at most. Our own, named by their longest side: they keep the shape of
 * the picture, for galleries.
 */
export const sizes = ['thumb', 'big', '512', '1024'] as const
export type Size = (typeof sizes)[number]

export type Format = 'jpeg' | 'png' | 'webp' | 'tiff'

/** What the client can display, as its `Accept` header says. */
export interface Wanted {
  takesWebp: boolean
  /** The request is for an image element of a browser; other programs may read the format themselves. */
  isForShow: boolean
}

/** How a preview is made: from what, in which size, as what. */
export interface Recipe {
  source: string
  size: Size
  format: Format
}

/**
 * The recipe for an image that begins with these bytes. Undefined where the file itself is sent: animations, vector
 * graphics, and formats that the image library cannot read.
 */
export function recipeFor(size: Size, name: string, head: Uint8Array, wanted: Wanted): Recipe | undefined {
  const { takesWebp, isForShow } = wanted
  const source = sniffMediaType(head)
  if (!source.startsWith('image/') && readable.has(mediaTypeOf(name) ?? ''))
    throw new Failure('invalid', 'the file is not the image that its name promises')
  if (!readable.has(source) || (source === 'image/bmp' && !isUsualBmp(head))) return undefined
  if (size === 'big' && isAnimated(source, head)) return undefined
  if (size === 'thumb') return { source, size, format: takesWebp ? 'webp' : 'jpeg' }
  if (size !== 'big') return { source, size, format: takesWebp ? 'webp' : photographs.has(source) ? 'jpeg' : 'png' }
  // The predecessor's client reads TIFF by itself, and nothing else where it expects that.
  if (source === 'image/tiff' && !isForShow) return { source, size, format: 'tiff' }
  if (photographs.has(source)) return { source, size, format: 'jpeg' }
  // These may be transparent, and JPEG blurs the lines of drawings.
  return { source, size, format: takesWebp ? 'webp' : 'png' }
}

/** A still from a film is a photograph. */
export const recipeForStill = (size: Size, { takesWebp }: Wanted): Recipe => ({
  source: 'image/jpeg',
  size,
  format: takesWebp ? 'webp' : 'jpeg',
})

/** The number changes whenever the same recipe gives another picture. */
export const nameOfRecipe = ({ size, format }: Recipe): string => `${size}-${format}-1`

const photographs = new Set(['image/jpeg', 'image/tiff', 'image/bmp'])
const readable = new Set([...photographs, 'image/png', 'image/webp', 'image/avif'])

/** By the flag in the header of an extended WebP, or because it is a sequence. */
function isAnimated(source: string, head: Uint8Array): boolean {
  const isExtended = Buffer.from(head.subarray(12, 16)).toString('latin1') === 'VP8X'
  return source === 'image/webp' && isExtended && ((head[20] ?? 0) & 2) !== 0
}
