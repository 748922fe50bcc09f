import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { memoryFor } from './memory.ts'
import { resize } from './resize.ts'

const facts = {
  format: 'png',
  width: 10_000,
  height: 10_000,
  channels: 3,
  depth: 'uchar',
  isProgressive: false,
} as const

test.each([
  ['a PNG', {}, 51],
  ['one that comes in passes', { isProgressive: true }, 300],
  ['one with fine colours', { isProgressive: true, channels: 4, depth: 'ushort' }, 800],
  ['a very wide one', { width: 100_000, height: 1000 }, 300],
  ['a JPEG', { format: 'jpeg' }, 0],
  ['one that comes in passes', { format: 'jpeg', isProgressive: true, chromaSubsampling: '4:2:0' }, 300],
  ['one with all its colours', { format: 'jpeg', isProgressive: true, chromaSubsampling: '4:4:4' }, 600],
  ['a WebP', { format: 'webp' }, 400],
  ['a TIFF', { format: 'tiff' }, 450],
  ['an AVIF', { format: 'heif' }, 1700],
] as const)('%s of a hundred million pixels %j takes %p MB', (_, more, megabytes) => {
  expect(memoryFor({ ...facts, ...more }) / 1e6).toBe(megabytes)
})

/** A picture of a few pixels that says it has many. */
async function boasting(width: number, height: number): Promise<Uint8Array> {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png({ progressive: true })
    .toBuffer()
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}

test('an image that would have to be held as a whole and does not fit is refused before it is read', async () => {
  const task = { source: 'image/png', size: 'thumb', format: 'jpeg', maxPixels: 1e9, mayBeLarge: true } as const
  const small = resize(await boasting(800, 800), task)
  await expect(small).rejects.toMatchObject({ code: 'invalid' })
  const large = resize(await boasting(9000, 9000), task)
  await expect(large).rejects.toMatchObject({ code: 'too-large' })
})

const orientations = [1, 2, 3, 4, 5, 6, 7, 8]

/** Red above blue in the middle of a long strip, green at its ends. */
async function strip(width: number, height: number, orientation: number): Promise<Uint8Array> {
  const side = Math.min(width, height)
  const [left, top] = [Math.floor((width - side) / 2), Math.floor((height - side) / 2)]
  const half = (background: string) => ({ create: { width: side, height: side / 2, channels: 3 as const, background } })
  const bytes = await sharp({ create: { width, height, channels: 3, background: 'lime' } })
    .composite([
      { input: half('red'), left, top },
      { input: half('blue'), left, top: top + side / 2 },
    ])
    .withMetadata({ orientation })
    .jpeg({ chromaSubsampling: '4:4:4' })
    .toBuffer()
  return bytes
}

const thumbnail = { source: 'image/jpeg', size: 'thumb', format: 'png', maxPixels: 1e8, mayBeLarge: true } as const

test.each(orientations)(
  'the thumbnail of a long strip shows its middle, turned by orientation %p',
  async (orientation) => {
    const file = await strip(16, 640, orientation)
    const expected = sharp(file).autoOrient().resize(256, 256, { fit: 'cover' })
    const small = await resize(file, thumbnail)
    const colours = async (picture: ReturnType<typeof sharp>) => {
      const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true })
      expect([info.width, info.height]).toEqual([256, 256])
      const at = (x: number, y: number) =>
        [...data.subarray((y * 256 + x) * 3, (y * 256 + x) * 3 + 3)].map((c) => c > 127)
      return [at(128, 40), at(128, 216), at(40, 128), at(216, 128), at(40, 40), at(216, 40)]
    }
    expect(await colours(sharp(small))).toEqual(await colours(expected))
  },
)

const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024

test.each([
  [12, 20_000],
  [20_000, 12],
])('a thumbnail of a strip of %p x %p pixels that is stored turned takes little memory', async (width, height) => {
  const file = await strip(width, height, 6)
  await resize(file, thumbnail)
  // Sets the highest use so far back to the present one.
  writeFileSync('/proc/self/clear_refs', '5')
  const before = peak()
  await resize(file, thumbnail)
  expect(peak() - before).toBeLessThan(100 * 1024 * 1024)
})
