import { expect, test } from 'bun:test'
import { type ReadPiece, readTags } from './tags.ts'

const png = Buffer.from('\x89PNG\r\n\x1a\nand so on', 'latin1')

const readFrom =
  (file: Buffer): ReadPiece =>
  async (start, length) =>
    new Uint8Array(file.subarray(start, start + length))

const big = (value: number) => Buffer.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)
const little = (value: number) => Buffer.from(big(value)).reverse()
const safe = (value: number) => Buffer.of((value >> 21) & 127, (value >> 14) & 127, (value >> 7) & 127, value & 127)
const text = (value: string) => Buffer.from(value, 'latin1')

function id3(version: number, frames: [string, Buffer][]): Buffer {
  const size = version === 4 ? safe : big
  const body = Buffer.concat(frames.flatMap(([id, data]) => [text(id), size(data.length), Buffer.of(0, 0), data]))
  return Buffer.concat([text('ID3'), Buffer.of(version, 0, 0), safe(body.length), body, Buffer.alloc(100)])
}

test.each([3, 4])('ID3v2.%d: texts of every encoding, and the cover', async (version) => {
  const cover = Buffer.concat([text('\x00image/png\x00\x03front\x00'), png])
  const tags = await readTags(
    readFrom(
      id3(version, [
        ['TIT2', Buffer.concat([Buffer.of(1, 0xff, 0xfe), Buffer.from('Über uns', 'utf16le')])],
        ['TPE1', Buffer.concat([Buffer.of(3), Buffer.from('Jürgen')])],
        ['TALB', Buffer.concat([Buffer.of(0), text('Gr\xfcn')])],
        ['APIC', cover],
      ]),
    ),
  )
  expect(tags).toMatchObject({ title: 'Über uns', artist: 'Jürgen', album: 'Grün', cover: { type: 'image/png' } })
  expect(Buffer.from(tags.cover?.data ?? []).equals(png)).toBeTrue()
})

test('FLAC: comments and the cover', async () => {
  const comment = (value: string) => Buffer.concat([little(Buffer.byteLength(value)), Buffer.from(value)])
  const comments = Buffer.concat([comment('maker'), little(2), comment('TITLE=One = two'), comment('artist=Ana')])
  const picture = Buffer.concat([big(3), big(9), text('image/png'), big(0), Buffer.alloc(16), big(png.length), png])
  const block = (kind: number, data: Buffer) => Buffer.concat([big((kind << 24) | data.length), data])
  const file = Buffer.concat([
    text('fLaC'),
    block(0, Buffer.alloc(34)),
    block(4, comments),
    block(128 + 6, picture),
    Buffer.alloc(50),
  ])
  const tags = await readTags(readFrom(file))
  expect(tags).toMatchObject({ title: 'One = two', artist: 'Ana', cover: { type: 'image/png' } })
  expect(Buffer.from(tags.cover?.data ?? []).equals(png)).toBeTrue()
})

test('MP4: the tags may stand behind the sound', async () => {
  const box = (name: string, ...inner: Buffer[]) => {
    const body = Buffer.concat(inner)
    return Buffer.concat([big(8 + body.length), text(name), body])
  }
  const item = (name: string, value: Buffer) => box(name, box('data', Buffer.alloc(8), value))
  const items = box('ilst', item('\xa9nam', Buffer.from('Näher')), item('\xa9ART', text('Ben')), item('covr', png))
  const file = Buffer.concat([
    box('ftyp', text('M4A ')),
    box('mdat', Buffer.alloc(5000)),
    box('moov', box('mvhd', Buffer.alloc(20)), box('udta', box('meta', Buffer.alloc(4), items))),
  ])
  const tags = await readTags(readFrom(file))
  expect(tags).toMatchObject({ title: 'Näher', artist: 'Ben', cover: { type: 'image/png' } })
})

test('a cover that is no image is left out', async () => {
  const page = Buffer.concat([text('\x00image/svg+xml\x00\x03\x00'), text('<svg onload="alert(1)"/>')])
  expect(await readTags(readFrom(id3(3, [['APIC', page]])))).toEqual({})
})

test('whatever the bytes are, reading ends', async () => {
  for (const start of [
    'ID3\x03\x00\x00\x7f\x7f\x7f\x7f',
    'ID3\x04\x00\x40\x00\x00\x00\x7f',
    'fLaC',
    '\x00\x00\x00\x08ftyp',
  ]) {
    for (const filler of [0, 1, 0x7f, 0xff]) {
      expect(await readTags(readFrom(Buffer.concat([text(start), Buffer.alloc(4000, filler)])))).toBeObject()
    }
  }
  expect(await readTags(readFrom(Buffer.alloc(0)))).toEqual({})
})
