import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import type { OpenFile } from '../storage/storage.ts'
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
  ['a TIFF', { format: 'tiff' }, 300],
  ['an AVIF', { format: 'heif' }, 1700],
] as const)('%s of a hundred million pixels %j takes %p MB', (_, more, megabytes) => {
  expect(memoryFor({ ...facts, ...more }) / 1e6).toBe(megabytes)
})

/** A picture of a few pixels that says it has many. */
async function boasting(width: number, height: number): Promise<OpenFile> {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png({ progressive: true })
    .toBuffer()
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return { entry: { size: bytes.length }, content: new Blob([new Uint8Array(bytes)]) } as unknown as OpenFile
}

test('an image that would have to be held as a whole and does not fit is refused before it is read', async () => {
  const recipe = { source: 'image/png', size: 'thumb', format: 'jpeg' } as const
  const small = resize(await boasting(800, 800), recipe, { maxPixels: 1e9 })
  await expect(small).rejects.toMatchObject({ code: 'invalid' })
  const large = resize(await boasting(9000, 9000), recipe, { maxPixels: 1e9 })
  await expect(large).rejects.toMatchObject({ code: 'too-large' })
})
