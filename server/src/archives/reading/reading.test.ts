import { expect, test } from 'bun:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { memberOf, readIndex } from './archive.ts'
import { paxOf, sourceIn, type TarFacts, tarOf, type ZipFacts, zipOf } from './archives.fixture.ts'
import { formatOf } from './formats.ts'
import { fileIn, levelOf } from './level.ts'

async function look(bytes: Uint8Array, encoding?: 'shift_jis') {
  const source = sourceIn(bytes)
  const format = await formatOf(source)
  const index = await readIndex(source, format, { encoding })
  const paths = Array.from({ length: index.count }, (_, at) => index.at(at).path + (index.isFolder(at) ? '/' : ''))
  return { source, format, index, paths }
}

async function contents(bytes: Uint8Array): Promise<Record<string, string>> {
  const { source, format, index } = await look(bytes)
  const found: Record<string, string> = {}
  for (let at = 0; at < index.count; at += 1) {
    const entry = index.at(at)
    if (!entry.isFolder) found[entry.path] = Buffer.from(await all(memberOf(source, format, entry))).toString('latin1')
  }
  return found
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece.slice())
  return Buffer.concat(parts)
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error) => error.code ?? error,
  )

const some: (ZipFacts & TarFacts)[] = [
  { name: 'a.txt', content: 'first' },
  { name: 'folder/', content: '', mode: 0o040755, type: '5' },
  { name: 'folder/b.txt', content: 'second '.repeat(5000) },
  { name: 'implied/deep/c.txt', content: '' },
]
const expected = { 'a.txt': 'first', 'folder/b.txt': 'second '.repeat(5000), 'implied/deep/c.txt': '' }

test.each([
  ['zip', zipOf(some)],
  ['zip with a comment', zipOf(some, { comment: 'PK\x05\x06 is no end' })],
  ['zip behind a program', zipOf(some, { prefix: '#!/bin/sh\n' })],
  ['zip without compression', zipOf(some.map((entry) => ({ ...entry, method: 0 })))],
  ['tar', tarOf(some)],
  ['tar.gz', gzipSync(tarOf(some))],
  ['tar.zst', zstdCompressSync(tarOf(some))],
])('%s: all files are read', async (format, bytes) => {
  expect(await contents(bytes)).toEqual(expected)
  expect((await look(bytes)).format).toBe(format.split(' ')[0] as never)
})

test('a level shows what lies in one folder, implied folders included', async () => {
  const { index } = await look(zipOf(some))
  const names = async (inside: string) =>
    (await levelOf(index, inside)).entries.map(({ name, isFolder }) => (isFolder ? `${name}/` : name))
  expect(await names('/')).toEqual(['a.txt', 'folder/', 'implied/'])
  expect(await names('/folder/')).toEqual(['b.txt'])
  expect(await names('implied')).toEqual(['deep/'])
  expect(await codeOf(levelOf(index, '/missing'))).toBe('not-found')
  expect(await codeOf(levelOf(index, '/a.txt'))).toBe('not-found')
  expect(await codeOf(levelOf(index, '/folder/../..'))).toBe('not-found')
  expect((await fileIn(index, '/folder/b.txt')).size).toBe(35_000)
  expect(await codeOf(fileIn(index, '/folder'))).toBe('not-found')
})

const bad = [
  '../up',
  'a/../../up',
  'nul\0name',
  `${'x'.repeat(256)}`,
  `${'d/'.repeat(101)}f`,
  '.filestead-draft-1/x',
  '..\\up',
  '..',
]

test('names that lead out or cannot be are left out of a zip and counted', async () => {
  const { paths, index } = await look(zipOf([...bad, 'good'].map((name) => ({ name, content: 'x' }))))
  expect(paths).toEqual(['good'])
  expect(index.skipped).toBe(bad.length)
})

test('names that lead out or cannot be are left out of a tar and counted', async () => {
  const entries = [...bad, 'good'].flatMap((name) => [
    { name: 'pax', type: 'x', content: paxOf({ path: name }) },
    { name: 'short', content: 'x' },
  ])
  const { paths, index } = await look(tarOf(entries))
  // A record of pax may hold a zero byte, and is refused like any other name.
  expect([paths, index.skipped]).toEqual([['good'], bad.length])
})

test('absolute names and letters of drives begin in the archive', async () => {
  const names = ['/etc/passwd', './here', 'a//b', 'C:\\Windows\\x.dll', '\\\\server\\share\\y']
  const { paths } = await look(zipOf(names.map((name) => ({ name, content: 'x', host: 0, mode: 0 }))))
  expect(paths).toEqual(['etc/passwd', 'here', 'a/b', 'Windows/x.dll', 'server/share/y'])
  expect((await look(zipOf([{ name: 'back\\slash', content: 'x' }]))).paths).toEqual(['back\\slash'])
})

test('links, devices and pipes are left out and counted', async () => {
  const modes = [0o120777, 0o020666, 0o060666, 0o010666, 0o140666]
  const zip = await look(zipOf(modes.map((mode, at) => ({ name: `n${at}`, content: '/etc/passwd', mode }))))
  expect([zip.paths, zip.index.skipped]).toEqual([[], 5])
  const types = ['1', '2', '3', '4', '6', 'S', 'V']
  const tar = await look(tarOf(types.map((type) => ({ name: 'x', type, link: '/etc/passwd' }))))
  expect([tar.paths, tar.index.skipped]).toEqual([[], 7])
})

test('long names of pax and GNU are read', async () => {
  const long = `${'folder/'.repeat(30)}ü.txt`
  const pax = tarOf([
    { name: 'x', type: 'x', content: paxOf({ path: long, mtime: '1700000000.5' }) },
    { name: 'y', content: '1' },
  ])
  expect((await look(pax)).paths).toEqual([long])
  expect((await look(pax)).index.at(0).modified).toBe(1_700_000_000)
  const gnu = tarOf([
    { name: '././@LongLink', type: 'L', content: `${long}\0` },
    { name: 'y', content: '1' },
  ])
  expect((await look(gnu)).paths).toEqual([long])
})

const overlapping = () => {
  const kernel = zipOf([{ name: 'a', content: Buffer.alloc(1000) }])
  return zipOf([
    { name: 'a', content: Buffer.alloc(1000) },
    ...Array.from({ length: 100 }, (_, at) => ({
      name: `b${at}`,
      content: Buffer.alloc(1000),
      offset: 0,
      isOnlyListed: true,
    })),
  ]).subarray(0, kernel.length * 10_000)
}

test('entries of a zip that share bytes are refused', async () => {
  expect(await codeOf(look(overlapping()))).toBe('invalid')
  const nested = zipOf([
    { name: 'outer', method: 0, content: zipOf([{ name: 'inner', content: 'x' }]) },
    { name: 'inner', content: 'x', offset: 35, isOnlyListed: true },
  ])
  expect(await codeOf(look(nested))).toBe('invalid')
})

test('entries in another order than their bytes are fine', async () => {
  const plain = zipOf(some)
  const start = plain.readUInt32LE(plain.length - 6)
  const table = plain.subarray(start, plain.length - 22)
  const first = 46 + 'a.txt'.length
  const turned = Buffer.concat([
    plain.subarray(0, start),
    table.subarray(first),
    table.subarray(0, first),
    plain.subarray(-22),
  ])
  expect(await contents(turned)).toEqual(expected)
})

test.each([
  ['more bytes than declared', { size: 10 }],
  ['fewer bytes than declared', { size: 100_000 }],
  ['another checksum', { crc: 1 }],
  ['a content behind the end', { packedSize: 1_000_000 }],
  ['a place behind the end', { offset: 1_000_000 }],
  ['a place without a header', { offset: 3 }],
  ['rubbish instead of deflate', { packed: Buffer.from('rubbish rubbish') }],
])('a zip entry with %s is broken', async (_, lie) => {
  expect(await codeOf(contents(zipOf([{ name: 'a', content: 'x'.repeat(50), ...lie }])))).toBe('invalid')
})

test.each([
  ['a size below zero', [{ name: 'a', size: '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff' }]],
  ['a size beyond all numbers', [{ name: 'a', size: '\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff' }]],
  ['a size that is no number', [{ name: 'a', size: 'elf bytes..' }]],
  ['more content than there is', [{ name: 'a', size: 100_000 }]],
  ['a pax header that ends early', [{ name: 'a', type: 'x', content: '99 path=x\n' }]],
  ['a pax size below zero', [{ name: 'a', type: 'x', content: paxOf({ size: '-5' }) }, { name: 'b' }]],
])('a tar with %s is broken', async (_, entries) => {
  expect(await codeOf(look(tarOf(entries)))).toBe('invalid')
  expect(await codeOf(look(gzipSync(tarOf(entries))))).toBe('invalid')
})

test('an encrypted file is listed and not read', async () => {
  const bytes = zipOf([{ name: 'secret', content: 'x', flags: 0x801 }])
  expect((await look(bytes)).index.at(0).isEncrypted).toBe(true)
  expect(await codeOf(contents(bytes))).toBe('unsupported-type')
  expect(await codeOf(contents(zipOf([{ name: 'rar', content: 'x', method: 12 }])))).toBe('unsupported-type')
})

test.each([
  ['text', Buffer.from('no archive'.repeat(100))],
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from('P')],
  ['a compressed text', gzipSync('no tar'.repeat(1000))],
])('%s is no archive', async (_, bytes) => {
  expect(['unsupported-type']).toContain(await codeOf(look(bytes)))
})

test('more than a hundred times its size comes out of no archive', async () => {
  const zeros = Buffer.alloc(40 << 20)
  expect(await codeOf(contents(zipOf([{ name: 'zeros', content: zeros }])))).toBe('too-large')
  expect(await codeOf(look(gzipSync(tarOf([{ name: 'zeros', content: zeros }]))))).toBe('too-large')
  expect(await codeOf(look(zstdCompressSync(tarOf([{ name: 'zeros', content: zeros }]))))).toBe('too-large')
  // A small one may hold what compresses well.
  expect(await codeOf(contents(zipOf([{ name: 'zeros', content: zeros.subarray(0, 8 << 20) }])))).toBe('fine')
})

test.each([
  ['zip', zipOf(some), 22],
  ['tar', tarOf(some), 1024],
  ['tar.gz', gzipSync(tarOf(some)), 0],
  ['tar.zst', zstdCompressSync(tarOf(some)), 0],
])('a %s that is cut off anywhere fails, or has all of its files', async (format, bytes) => {
  for (let length = 0; length < bytes.length; length += format === 'tar' ? 100 : 7) {
    const result = await contents(bytes.subarray(0, length)).catch((error) => error.code ?? error)
    if (typeof result === 'object') expect([length, result]).toEqual([length, expected])
    else expect([length, ['invalid', 'unsupported-type'].includes(result)]).toEqual([length, true])
  }
})

/** The same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return state / 0x8000_0000
  }
}

test.each([
  ['zip', zipOf(some)],
  ['tar', tarOf(some)],
  ['tar.gz', gzipSync(tarOf(some))],
  ['tar.zst', zstdCompressSync(tarOf(some))],
])('a %s with wrong bytes is read or refused, and nothing else', async (_, bytes) => {
  const next = numbers(7)
  for (let round = 0; round < 400; round += 1) {
    const damaged = Buffer.from(bytes)
    for (let flips = 1 + next() * 4; flips > 0; flips -= 1)
      damaged[Math.floor(next() * damaged.length)] = Math.floor(next() * 256)
    const result = await contents(damaged).catch((error) => error.code ?? error)
    if (typeof result === 'object') for (const path of Object.keys(result)) expect(path.split('/')).not.toContain('..')
    else expect([round, ['invalid', 'unsupported-type', 'too-large'].includes(result)]).toEqual([round, true])
  }
})
