import { afterAll, expect, test } from 'bun:test'
import sharp from 'sharp'
import { statusOf } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('alice')
await server.addUser('bob', { lacks: ['download', 'share'] })
await server.addUser('ruled', { rules: [{ regex: false, allow: false, path: '/denied', regexp: null }] })
const alice = await server.as('alice')

const blank = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#f00' } })

const camera = {
  IFD0: { Make: 'Lumen', Model: 'Lumen L1' },
  IFD2: {
    DateTimeOriginal: '2024:05:17 18:03:22',
    ExposureTime: '1/250',
    FNumber: '28/10',
    ISOSpeedRatings: '200',
    FocalLength: '35/1',
    LensModel: '35mm F2.8',
  },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 48/1 0/1',
    GPSLongitudeRef: 'W',
    GPSLongitude: '10/1 30/1 36/1',
  },
}

const box = (type: string, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}
const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value | 0, index * 4)
  return bytes
}
/** An hour of a film, the picture stored on its side, its headers behind the content. */
const film = Buffer.concat([
  box('ftyp', Buffer.from('isom\0\0\0\0isom')),
  box('mdat', Buffer.alloc(9000)),
  box(
    'moov',
    box('mvhd', words(0, 0, 0, 1000, 3_600_500), Buffer.alloc(80)),
    box(
      'trak',
      box(
        'tkhd',
        words(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 65536, 0, -65536),
        Buffer.alloc(20),
        words(1920 << 16, 1080 << 16),
      ),
    ),
  ),
])
const element = (id: string, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([0x40 | (content.length >> 8), content.length & 255]), content])
const seconds = Buffer.alloc(4)
seconds.writeFloatBE(34_000)
const webm = Buffer.concat([
  element('1a45dfa3', element('4282', Buffer.from('webm'))),
  Buffer.from('1853806701ffffffffffffff', 'hex'),
  element('1549a966', Buffer.concat([element('2ad7b1', Buffer.from('0f4240', 'hex')), element('4489', seconds)])),
  element('1654ae6b', element('ae', element('e0', Buffer.from('b0820280ba820168', 'hex')))),
  Buffer.from('1f43b675', 'hex'),
  Buffer.alloc(5000),
])

const pixels = { width: 60, height: 40 }
const jpeg = await blank(60, 40).jpeg().toBuffer()
server.put({
  'a.jpg': await blank(60, 40).withMetadata({ orientation: 6, exif: camera }).jpeg().toBuffer(),
  'long.jpg': Buffer.concat([
    jpeg.subarray(0, 2),
    ...Array.from({ length: 5 }, () => Buffer.concat([Buffer.from('ffe2fff0', 'hex'), Buffer.alloc(0xffee)])),
    jpeg.subarray(2),
  ]),
  'a.png': await blank(60, 40).png().toBuffer(),
  'turned.png': await blank(60, 40).withMetadata({ orientation: 8 }).png().toBuffer(),
  'a.gif': await blank(60, 40).gif().toBuffer(),
  'lossy.webp': await blank(60, 40).webp().toBuffer(),
  'lossless.webp': await blank(60, 40).webp({ lossless: true }).toBuffer(),
  'turned.webp': await blank(60, 40).withMetadata({ orientation: 6 }).webp().toBuffer(),
  'a.avif': await blank(60, 40).avif().toBuffer(),
  'a.tiff': await blank(60, 40).tiff().toBuffer(),
  'sized.svg': '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="60px" height="40"/>',
  'boxed.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 60 40"></svg>',
  'film.mp4': film,
  'film.webm': webm,
  'a.txt': 'words',
  'cut.jpg': jpeg.subarray(0, 40),
  'cut.mp4': film.subarray(0, -150),
  'empty.png': '',
  'folder.png/': '',
  'denied/a.jpg': jpeg,
})

const ask = async (names: string[], as = alice, at = '/api/media/') => {
  const response = await as(at, { method: 'POST', body: JSON.stringify({ names }) })
  expect(response.status).toBe(200)
  return (await response.json()) as { name: string }[]
}

test.each([
  ['a.jpg', { width: 40, height: 60 }],
  ['long.jpg', pixels],
  ['a.png', pixels],
  ['turned.png', { width: 40, height: 60 }],
  ['a.gif', pixels],
  ['lossy.webp', pixels],
  ['lossless.webp', pixels],
  ['turned.webp', { width: 40, height: 60 }],
  ['a.avif', pixels],
  ['a.tiff', pixels],
  ['sized.svg', pixels],
  ['boxed.svg', pixels],
  ['film.mp4', { width: 1080, height: 1920, duration: 3600.5 }],
  ['film.webm', { width: 640, height: 360, duration: 34 }],
])('the headers of %s tell its size as it is shown', async (name, facts) => {
  expect(await ask([name])).toEqual([{ name, ...facts }])
})

test('names of what has no size are left out', async () => {
  const names = ['a.txt', 'cut.jpg', 'cut.mp4', 'empty.png', 'folder.png', 'missing.png', '..', 'x/../a.jpg', 'a.gif']
  expect((await ask(names)).map(({ name }) => name)).toEqual(['a.gif'])
})

test('a picture tells what its camera has noted', async () => {
  expect(await (await alice('/api/media/a.jpg')).json()).toEqual({
    width: 40,
    height: 60,
    photo: {
      taken: '2024-05-17T18:03:22',
      camera: 'Lumen L1',
      lens: '35mm F2.8',
      exposure: 1 / 250,
      aperture: 2.8,
      iso: 200,
      focalLength: 35,
      latitude: 51.8,
      longitude: -10.51,
    },
  })
  expect(await statusOf(alice('/api/media/a.txt'))).toBe(501)
})

test('a changed picture has its new size', async () => {
  server.put({ 'changing.png': await blank(10, 20).png().toBuffer() })
  expect(await ask(['changing.png'])).toMatchObject([{ width: 10 }])
  server.put({ 'changing.png': await blank(33, 20).png().toBuffer() })
  expect(await ask(['changing.png'])).toMatchObject([{ width: 33 }])
})

test('the facts need the permission to download, and obey rules', async () => {
  const body = JSON.stringify({ names: ['a.jpg'] })
  expect(await statusOf((await server.as('bob'))('/api/media/a.jpg'))).toBe(202)
  expect(await statusOf((await server.as('bob'))('/api/media/', { method: 'POST', body }))).toBe(202)
  const ruled = await server.as('ruled')
  expect(await statusOf(ruled('/api/media/denied/a.jpg'))).toBe(403)
  expect(await ask(['a.jpg'], ruled, '/api/media/denied/')).toEqual([])
})

test('a name that no entry can have is left out, and the others are told', async () => {
  server.put({ 'named.png': await blank(10, 20).png().toBuffer() })
  const names = ['a\0b', '..', 'x/y', 'x'.repeat(5000), 'named.png']
  expect((await ask(names)).map(({ name }) => name)).toEqual(['named.png'])
})

test('random bytes behind any beginning never fail', async () => {
  const beginnings = [
    'ffd8ffe1',
    '89504e470d0a1a0a',
    '49492a0008000000',
    '4d4d002a00000008',
    '1a45dfa3',
    '000000186674797061766966',
  ]
  const files = beginnings.flatMap((start, index) =>
    Array.from({ length: 20 }, (_, round) => {
      const bytes = Buffer.alloc(600, start, 'hex')
      for (let at = start.length / 2; at < bytes.length; at += 1)
        bytes[at] = (at * (round + 3) * 7919 + index) >> (round % 5)
      return [`noise/${index}-${round}.jpg`, bytes] as const
    }),
  )
  server.put(Object.fromEntries(files))
  const names = files.map(([path]) => path.slice(6))
  expect((await ask(names, alice, '/api/media/noise/')).length).toBeLessThanOrEqual(names.length)
})
