import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { FolderResource } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { fillFolder } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `file ${from + index}.txt`)

test('a listing of any length is complete, sorted and valid JSON', async () => {
  let made = 0
  for (const count of [999, 1000, 1001, 2000, 2001, 5000]) {
    fillFolder(join(server.root, 'five'), names(made, count))
    made = count
    const folder = await jsonIn<FolderResource>(alice('/api/resources/five'))
    expect([folder.items.length, folder.numFiles, folder.path]).toEqual([count, count, '/five'])
    expect(folder.items.every((item, index) => item.name === `file ${index}.txt`)).toBe(true)
    expect(Object.keys(folder).slice(0, 5)).toEqual(['items', 'numDirs', 'numFiles', 'sorting', 'path'])
  }
  fillFolder(join(server.root, 'small'), names(0, 999))
})

test('a large folder shows symlinks as what they lead to, at their place, in every order', async () => {
  const folder = join(server.root, 'linked')
  fillFolder(folder, names(0, 1500))
  mkdirSync(join(folder, 'a folder'))
  symlinkSync('a folder', join(folder, 'z link'))
  symlinkSync('file 3.txt', join(folder, 'file 3b.txt'))
  const get = async (ask: typeof alice) => (await jsonIn<FolderResource>(ask('/api/resources/linked'))).items
  const byName = await get(alice)
  expect(byName.slice(0, 2).map(({ name, isDir, isSymlink }) => [name, isDir, isSymlink])).toEqual([
    ['a folder', true, false],
    ['z link', true, true],
  ])
  expect(byName.slice(5, 7).map(({ name, isSymlink }) => [name, isSymlink])).toEqual([
    ['file 3.txt', false],
    ['file 3b.txt', true],
  ])
  await server.addUser('bob', { sorting: { by: 'size', asc: false } })
  const bySize = await get(await server.as('bob'))
  expect(bySize.map(({ name }) => name).sort()).toEqual(byName.map(({ name }) => name).sort())
  expect(bySize.slice(-2).map(({ name }) => name)).toEqual(['a folder', 'z link'])
})

test.each(['/api/resources/five', '/api/resources/five?recursive=true', '/api/resources/small'])(
  '%s has the same content in every encoding',
  async (path) => {
    const get = (encoding: string) =>
      alice(path, { headers: { 'accept-encoding': encoding }, decompress: false } as RequestInit)
    const plain = await get('identity')
    expect(plain.headers.get('content-encoding')).toBeNull()
    const text = await plain.text()
    for (const [encoding, unpack] of [
      ['gzip', gunzipSync],
      ['zstd', zstdDecompressSync],
    ] as const) {
      const packed = await get(encoding)
      expect(packed.headers.get('content-encoding')).toBe(encoding)
      expect(packed.headers.get('vary')).toBe('Accept-Encoding')
      const bytes = Buffer.from(await packed.arrayBuffer())
      expect(bytes.length).toBeLessThan(text.length / 4)
      expect(unpack(bytes).toString() === text).toBe(true)
    }
  },
)

test.each([
  ['zstd, gzip', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP', 'gzip'],
  ['zstd;q=0, gzip;q=0.5', 'gzip'],
  ['zstd;q=0, gzip;q=0.0', null],
  ['br', null],
  ['', null],
])('accept-encoding %j is answered with %p', async (accepted, encoding) => {
  const response = await alice('/api/resources/small', { headers: { 'accept-encoding': accepted } })
  expect(response.headers.get('content-encoding')).toBe(encoding)
  await response.arrayBuffer()
})

test('a client that disconnects in the middle of a listing leaves nothing behind', async () => {
  fillFolder(join(server.root, 'huge'), names(0, 20_000))
  const stop = new AbortController()
  const response = await alice('/api/resources/huge', {
    headers: { 'accept-encoding': 'identity' },
    signal: stop.signal,
  })
  stop.abort()
  await response.text().catch(() => {})
  expect((await jsonIn<FolderResource>(alice('/api/resources/small'))).numFiles).toBe(999)
  expect(server.logged.filter((entry) => JSON.stringify(entry).includes('Unexpected'))).toEqual([])
})

test('many listings at once are complete, also when some clients disconnect while they wait', async () => {
  fillFolder(join(server.root, 'wide'), names(0, 3000))
  const counts = Array.from({ length: 12 }, async (_, index) => {
    const stop = new AbortController()
    const listing = jsonIn<FolderResource>(alice('/api/resources/wide', { signal: stop.signal }))
    const found = alice('/api/search/wide?query=file', { signal: stop.signal }).then((response) => response.text())
    if (index % 3 === 0) {
      for (let turn = 0; turn < index; turn += 1) await new Promise(setImmediate)
      stop.abort()
      await Promise.allSettled([listing, found])
      return 'left'
    }
    return [(await listing).items.length, (await found).trim().split('\n').length]
  })
  const stayed = (await Promise.all(counts)).filter((count) => count !== 'left')
  expect(stayed).toEqual(Array.from({ length: 8 }, () => [3000, 3000]))
  expect((await jsonIn<FolderResource>(alice('/api/resources/wide'))).numFiles).toBe(3000)
}, 120_000)
