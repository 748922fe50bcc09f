import type { Metadata } from 'sharp'

type Facts = Pick<
  Metadata,
  'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive' | 'chromaSubsampling'
>

/** So many lines of an image are held while it is read from top to bottom. */
const linesHeld = 1700

/**
 * About how many bytes the image library holds at once to make this image smaller, as measured. A few kilobytes can
 * stand for a picture that has to be held as a whole: its first and its last line may be in any part of the file.
 */
export function memoryFor({ format, width, height, channels, depth, isProgressive, chromaSubsampling }: Facts): number {
  const pixels = width * height
  const pixelSize = channels * (bytesOf[depth] ?? 4)
  if (format === 'png') return width * pixelSize * (isProgressive ? height : Math.min(height, linesHeld))
  if (format === 'webp') return pixels * 4
  if (format === 'heif') return pixels * 17
  // Tiles are read a row of them at a time, and they may be half as high as the picture.
  if (format !== 'jpeg') return pixels * pixelSize * 1.5
  // What is not progressive is made smaller while it is read.
  return isProgressive ? pixels * (chromaSubsampling === '4:2:0' ? 3 : 2 * channels) : 0
}

const bytesOf: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 }
