import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { filesOfAnswers } from '../src/http/held-files.ts'
import { openBeneath } from '../src/storage/testing/open-files.fixture.ts'
import { statusOf } from './answers.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer({ maxImagePixels: 5_000_000 })
afterAll(() => server.stop())
await server.addUser('alice')
await server.addUser('bob', { lacks: ['download', 'share'] })
await server.addUser('ruled', { rules: [{ regex: false, allow: false, path: '/denied', regexp: null }] })
const alice = await server.as('alice')
const cache = join(server.root, '../filestead.db-cache/previews')

const red = { r: 255, g: 0, b: 0 }
const blank = (width: number, height: number, background: object = red) =>
  sharp({ create: { width, height, channels: 3, background } })

/** So large a file that it is mapped into memory and not read. */
const noise = sharp(randomBytes(1500 * 1400 * 3), { raw: { width: 1500, height: 1400, channels: 3 } })

/** Blue first, from the bottom up, rows padded to four bytes. */
function bmp(width: number, height: number, bits: 24 | 32): Buffer {
  const stride = Math.ceil((width * bits) / 32) * 4
  const file = Buffer.alloc(54 + stride * height)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(bits, 28)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) file[54 + y * stride + (x * bits) / 8 + (y < height / 2 ? 2 : 0)] = 255
  return file
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>'
server.put({
  'wide.jpg': await blank(1600, 800).jpeg().toBuffer(),
  'turned.jpg': await blank(600, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
  'wide.png': await blank(1600, 800).png().toBuffer(),
  'clear.png': await sharp({ create: { width: 40, height: 30, channels: 4, background: '#0000' } })
    .png()
    .toBuffer(),
  'wide.webp': await blank(1600, 800).webp().toBuffer(),
  'wide.avif': await blank(200, 100).avif().toBuffer(),
  'wide.tiff': await blank(1600, 800).tiff().toBuffer(),
  'noise.png': await noise.png({ compressionLevel: 1 }).toBuffer(),
  'noise.tiff': await noise.tiff({ compression: 'none' }).toBuffer(),
  'a.bmp': bmp(301, 200, 24),
  'b.bmp': bmp(301, 200, 32),
  'palette.bmp': bmp(301, 200, 24).fill(8, 28, 29),
  'short.bmp': bmp(301, 200, 24).subarray(0, -9),
  'a.gif': await blank(20, 20).gif().toBuffer(),
  'a.svg': svg,
  'lies.png': svg,
  'moves.png': await blank(20, 20).gif().toBuffer(),
  'huge.png': await blank(3000, 2000).png().toBuffer(),
  'broken.png': 'not an image',
  'cut.png': (await blank(600, 400, { r: 1, g: 2, b: 3 }).png().toBuffer()).subarray(0, 60),
  'empty.jpg': '',
  'a.txt': 'words',
  'folder.png/': '',
  'denied/a.png': await blank(20, 20).png().toBuffer(),
})

const webp = { accept: 'image/avif,image/webp,*/*;q=0.8' }

async function look(size: string, path: string, headers: Record<string, string> = {}, ask: Ask = alice) {
  const response = await ask(`/api/preview/${size}/${path}?inline=true`, { headers })
  expect(response.status).toBe(200)
  const bytes: Buffer<ArrayBuffer> = Buffer.from(await response.arrayBuffer())
  const { format, width, height } = await sharp(bytes).metadata()
  expect(response.headers.get('content-type')).toBe(`image/${format}`)
  return { response, bytes, shape: `${format} ${width}x${height}` }
}

test.each([
  ['thumb', 'wide.jpg', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'wide.png', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'clear.png', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'wide.webp', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'wide.avif', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'wide.tiff', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'noise.png', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'noise.tiff', 'jpeg 256x256', 'webp 256x256'],
  ['thumb', 'a.bmp', 'jpeg 256x256', 'webp 256x256'],
  ['big', 'wide.jpg', 'jpeg 1080x540', 'jpeg 1080x540'],
  ['big', 'turned.jpg', 'jpeg 300x600', 'jpeg 300x600'],
  ['big', 'wide.png', 'png 1080x540', 'webp 1080x540'],
  ['big', 'clear.png', 'png 40x30', 'webp 40x30'],
  ['big', 'wide.webp', 'png 1080x540', 'webp 1080x540'],
  ['big', 'wide.tiff', 'tiff 1080x540', 'jpeg 1080x540'],
  ['big', 'b.bmp', 'jpeg 301x200', 'jpeg 301x200'],
  ['512', 'wide.jpg', 'jpeg 512x256', 'webp 512x256'],
  ['512', 'turned.jpg', 'jpeg 256x512', 'webp 256x512'],
  ['512', 'clear.png', 'png 40x30', 'webp 40x30'],
  ['1024', 'wide.tiff', 'jpeg 1024x512', 'webp 1024x512'],
  ['1024', 'wide.avif', 'png 200x100', 'webp 200x100'],
])('%s of %s is a %s, or a %s for clients that accept it', async (size, path, plain, modern) => {
  expect((await look(size, path)).shape).toBe(plain)
  const { shape, response } = await look(size, path, webp)
  expect(shape).toBe(modern)
  expect(response.headers.get('vary')).toBe('Accept')
})

test('a preview has the colours of its image', async () => {
  const colourOf = async (bytes: Buffer, top: number) =>
    [...(await sharp(bytes).extract({ left: 9, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer())].map(
      (value) => Math.round(value / 255),
    )
  expect(await colourOf((await look('thumb', 'wide.jpg')).bytes, 9)).toEqual([1, 0, 0])
  expect(await colourOf((await look('thumb', 'clear.png')).bytes, 9)).toEqual([1, 1, 1])
  for (const path of ['a.bmp', 'b.bmp']) {
    const { bytes } = await look('big', path)
    expect([await colourOf(bytes, 9), await colourOf(bytes, 190)]).toEqual([
      [0, 0, 1],
      [1, 0, 0],
    ])
  }
})

test.each(['a.gif', 'a.svg', 'moves.png', 'palette.bmp'])('%s is sent unchanged', async (path) => {
  for (const size of ['thumb', 'big', '512']) {
    const response = await alice(`/api/preview/${size}/${path}?inline=true`, { headers: webp })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(await response.bytes()).toEqual(new Uint8Array(await Bun.file(join(server.root, path)).arrayBuffer()))
  }
})

test.each([
  ['a.txt', 501],
  ['folder.png', 501],
  ['missing.png', 404],
  ['broken.png', 400],
  ['cut.png', 400],
  ['empty.jpg', 400],
  ['short.bmp', 400],
  ['lies.png', 400],
  ['huge.png', 413],
])('%s is refused with %i', async (path, status) => {
  for (const size of ['thumb', 'big']) expect(await statusOf(alice(`/api/preview/${size}/${path}`))).toBe(status)
})

test('other sizes of previews are refused', async () => {
  const response = await alice('/api/preview/medium/wide.jpg')
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('medium is not a valid PreviewSize')
  expect(await statusOf(alice('/api/preview/'))).toBe(400)
})

test('a preview needs the permission to download and obeys rules', async () => {
  expect(await statusOf((await server.as('bob'))('/api/preview/thumb/wide.jpg'))).toBe(202)
  const ruled = await server.as('ruled')
  for (const path of ['denied/a.png', 'denied/none.png', 'denied/a.txt'])
    expect(await statusOf(ruled(`/api/preview/thumb/${path}`))).toBe(403)
})

test('a preview is private and named after its file', async () => {
  const { headers } = await alice('/api/preview/thumb/wide.jpg?inline=true&key=123')
  expect(headers.get('cache-control')).toBe('private, no-cache')
  expect(headers.get('content-disposition')).toBe("inline; filename*=utf-8''wide.jpg")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect((await alice('/api/preview/thumb/wide.jpg')).headers.get('content-disposition')).toStartWith('attachment')
  const head = await alice('/api/preview/thumb/wide.jpg', { method: 'HEAD' })
  expect(Number(head.headers.get('content-length'))).toBe((await look('thumb', 'wide.jpg')).bytes.length)
})

test('a current copy of a preview answers 304, and a changed image 200', async () => {
  server.put({ 'changing.png': await blank(50, 50).png({ compressionLevel: 0 }).toBuffer() })
  const tagOf = async (headers = {}) =>
    (await look('thumb', 'changing.png', headers)).response.headers.get('etag') ?? ''
  const etag = await tagOf()
  const ask = () => alice('/api/preview/thumb/changing.png', { headers: { 'if-none-match': etag } })
  expect(await statusOf(ask())).toBe(304)
  expect(await tagOf(webp)).not.toBe(etag)

  // The same name, size and time, in the same place on the disk.
  const path = join(server.root, 'changing.png')
  const { mtime, size } = statSync(path)
  server.put({ 'changing.png': await blank(50, 50, { r: 0, g: 255, b: 0 }).png({ compressionLevel: 0 }).toBuffer() })
  utimesSync(path, mtime, mtime)
  expect(statSync(path).size).toBe(size)
  expect(await statusOf(ask())).toBe(200)
})

test('a preview is made once, cached, and found under another name of its file', async () => {
  server.put({ 'kept.jpg': await blank(700, 700).jpeg().toBuffer() })
  const before = cached().length
  const [first] = await Promise.all(Array.from({ length: 8 }, () => look('thumb', 'kept.jpg')))
  await until(() => cached().length > before)
  expect(cached()).toHaveLength(before + 1)
  renameSync(join(server.root, 'kept.jpg'), join(server.root, 'moved.jpg'))
  expect((await look('thumb', 'moved.jpg')).bytes).toEqual(first?.bytes ?? Buffer.alloc(0))
  await Bun.sleep(50)
  expect(cached()).toHaveLength(before + 1)
  expect(statSync(cache).mode & 0o777).toBe(0o700)
})

const cached = () =>
  readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((path) => /[0-9a-f]{64}$/.test(path))

test('cancelled requests leave no file open and no broken preview', async () => {
  server.put({ 'slow.jpg': await blank(2200, 2200).jpeg().toBuffer() })
  for (let round = 0; round < 10; round += 1)
    await alice('/api/preview/thumb/slow.jpg', { signal: AbortSignal.timeout(round) }).catch(() => {})
  expect((await look('thumb', 'slow.jpg')).shape).toBe('jpeg 256x256')
  for (let round = 0; round < 20; round += 1) await look('thumb', 'slow.jpg')
  filesOfAnswers.closeAll()
  await until(() => openBeneath(server.root).length === 0)
  expect(openBeneath(server.root)).toEqual([])
})

test('without thumbnails images are sent unchanged; without a cache previews are still made', async () => {
  const plain = await startServer({ disableThumbnails: true, cacheDir: '' })
  try {
    await plain.addUser('alice')
    const ask = await plain.as('alice')
    plain.put({ 'a.jpg': await blank(1600, 800).jpeg().toBuffer() })
    expect((await look('thumb', 'a.jpg', {}, ask)).shape).toBe('jpeg 1600x800')
    expect((await look('512', 'a.jpg', {}, ask)).shape).toBe('jpeg 1600x800')
    expect((await look('big', 'a.jpg', {}, ask)).shape).toBe('jpeg 1080x540')
    expect(readdirSync(join(plain.root, '..')).filter((name) => name.includes('cache'))).toEqual([])
  } finally {
    await plain.stop()
  }
})
