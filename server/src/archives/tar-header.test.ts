import { expect, test } from 'bun:test'
import { extract, type Header } from 'tar-stream'
import { DiskEntry } from '../storage/disk/entry.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Member } from './members.ts'
import { paddingAfter, tarEnd, tarHeader } from './tar-header.ts'

const memberOf = (name: string, seconds = 1_700_000_000): Member => ({
  path: `/${name}` as VirtualPath,
  name,
  entry: new DiskEntry({
    name,
    kind: name.endsWith('/') ? 'folder' : 'file',
    isLink: false,
    size: 0,
    mode: 0o4751,
    seconds,
    nanoseconds: 5,
    inode: 1,
    device: 1,
  }),
})

/** What another reader finds in the first header. */
async function readBack(tar: Uint8Array): Promise<Header> {
  const reader = extract()
  const { promise, resolve, reject } = Promise.withResolvers<Header>()
  reader.on('entry', resolve)
  reader.on('error', reject)
  reader.write(tar)
  const header = await promise
  reader.on('error', () => {})
  reader.destroy()
  return header
}

const names = [
  'a',
  'box/',
  'ü.txt',
  `${'d'.repeat(60)}/${'n'.repeat(100)}`,
  `${'d'.repeat(60)}/${'n'.repeat(101)}`,
  `${'d'.repeat(155)}/${'n'.repeat(99)}`,
  `${'d'.repeat(156)}/${'n'.repeat(99)}`,
  `${'e/'.repeat(80)}f`,
  `${'long'.repeat(40)}/`,
  // The length of a pax record has one digit more with its own digits.
  ...[87, 88, 89, 90].map((length) => 'ä'.repeat(length / 2).padEnd(length - Math.ceil(length / 2), 'x')),
  'x'.repeat(985),
]

test.each(names)('a header for the name %p is read by others', async (name) => {
  const isFolder = name.endsWith('/')
  const header = tarHeader(memberOf(name), 5)
  expect(header.length % 512).toBe(0)
  expect(await readBack(Buffer.concat([header, Buffer.from('hello'), paddingAfter(5), tarEnd]))).toMatchObject({
    name,
    type: isFolder ? 'directory' : 'file',
    size: isFolder ? 0 : 5,
    mode: 0o751,
    mtime: new Date(1_700_000_000_000),
  })
})

test.each([0, 5, 8 * 2 ** 30 - 1, 8 * 2 ** 30, 9 * 2 ** 40])('a header tells the size %d', async (size) => {
  expect((await readBack(tarHeader(memberOf('a'), size))).size).toBe(size)
})

test.each([
  [-1, 0],
  [2 ** 40, 2 ** 31 - 1],
])('a header for the time %d tells %d', async (seconds, told) => {
  const header = await readBack(Buffer.concat([tarHeader(memberOf('a', seconds), 0), tarEnd]))
  expect(header.mtime).toEqual(new Date(told * 1000))
})

test.each([
  [0, 0],
  [1, 511],
  [511, 1],
  [512, 0],
  [513, 511],
])('a content of %d bytes is followed by %d', (size, padding) => {
  expect(paddingAfter(size).length).toBe(padding)
})
