import { afterAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, Resource } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const list = (path: string) => jsonIn<FolderResource>(alice(`/api/resources${path}`))
const itemIn = async (folder: string, name: string): Promise<Resource> => {
  const item = (await list(folder)).items.find((entry) => entry.name === name)
  if (item === undefined) throw new Error(`${name} is not listed`)
  return item
}

const facts = ['path', 'name', 'size', 'extension', 'modified', 'mode', 'isDir', 'isSymlink', 'type']

test('a folder that is asked for again tells what has changed about itself, also where its entries have not', async () => {
  server.put({ 'own/a.txt': 'hello', 'own/box/': '' })
  const folder = join(server.root, 'own')
  const ask = async (path = '/own') => {
    const response = await alice(`/api/resources${path}`)
    const { items, ...own } = (await response.json()) as FolderResource
    return { names: items.map(({ name }) => name), own, etag: response.headers.get('etag') }
  }
  chmodSync(folder, 0o755)
  utimesSync(folder, 1_700_000_000, 1_700_000_000)
  const first = await ask()
  expect(await ask()).toEqual(first)
  chmodSync(folder, 0o700)
  const closed = await ask()
  expect([closed.own.mode, closed.names]).toEqual([2 ** 31 + 0o700, first.names])
  utimesSync(folder, 1_600_000_000, 1_600_000_000)
  const older = await ask()
  expect(Date.parse(older.own.modified)).toBe(1_600_000_000_000)
  expect((await ask('/own/')).own.path).not.toBe(older.own.path)
  expect((await ask()).own).toEqual(older.own)
  expect(new Set([first.etag, closed.etag, older.etag]).size).toBe(3)
})

test('a folder answers its listing and its own fields, in the order of File Browser', async () => {
  server.put({ 'shape/a.txt': 'hello', 'shape/box/': '' })
  chmodSync(join(server.root, 'shape'), 0o755)
  chmodSync(join(server.root, 'shape/a.txt'), 0o640)
  const response = await alice('/api/resources/shape')
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('cache-control')).toContain('no-store')

  const folder = (await response.json()) as FolderResource
  expect(Object.keys(folder)).toEqual(['items', 'numDirs', 'numFiles', 'sorting', ...facts])
  for (const item of folder.items) expect(Object.keys(item)).toEqual(facts)
  expect(folder).toMatchObject({
    numDirs: 1,
    numFiles: 1,
    sorting: { by: 'name', asc: false },
    path: '/shape',
    name: 'shape',
    extension: '',
    mode: 2147484141,
    isDir: true,
    isSymlink: false,
    type: '',
    size: statSync(join(server.root, 'shape')).size,
  })
  expect(folder.items).toMatchObject([
    { path: '/shape/box', name: 'box', isDir: true, type: '' },
    { path: '/shape/a.txt', name: 'a.txt', size: 5, extension: '.txt', mode: 0o640, isDir: false, type: 'text' },
  ])
})

test('a file answers its fields, with its text last', async () => {
  server.put({ 'one/a.txt': 'hello' })
  const response = await alice('/api/resources/one/a.txt')
  expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]+-[0-9a-f]+"$/)
  const file = (await response.json()) as Resource
  expect(Object.keys(file)).toEqual([...facts, 'content'])
  expect(file).toMatchObject({ path: '/one/a.txt', name: 'a.txt', content: 'hello', isDir: false, size: 5 })
})

test('the root has no name', async () => {
  for (const path of ['/', '//', '/./']) expect(await list(path)).toMatchObject({ path: '/', name: '', isDir: true })
})

test('the answer repeats the requested path, with the slash at its end', async () => {
  server.put({ 'slash/in.txt': 'in' })
  expect(await list('/slash/')).toMatchObject({ path: '/slash/', name: 'slash', items: [{ path: '/slash/in.txt' }] })
  expect(await list('/slash')).toMatchObject({ path: '/slash', name: 'slash', items: [{ path: '/slash/in.txt' }] })
  const file = await jsonIn<Resource>(alice('/api/resources/slash/in.txt/'))
  expect(file).toMatchObject({ path: '/slash/in.txt/', name: 'in.txt', content: 'in' })
})

test('an empty folder has an empty list', async () => {
  server.put({ 'empty/': '' })
  expect(await list('/empty')).toMatchObject({ items: [], numDirs: 0, numFiles: 0 })
})

test('folders and files are counted, symlinks to folders as folders', async () => {
  server.put({ 'count/a/': '', 'count/b/': '', 'count/1.txt': '', 'count/2.txt': '', 'count/3.txt': '' })
  server.link('a', 'count/link-to-folder')
  server.link('1.txt', 'count/link-to-file')
  const { numDirs, numFiles, items } = await list('/count')
  expect([numDirs, numFiles, items.length]).toEqual([3, 4, 7])
})

test('times have nanoseconds and a time zone', async () => {
  server.put({ 'times/a.txt': 'a', 'times/b.txt': 'b' })
  utimesSync(join(server.root, 'times/a.txt'), 1_700_000_000, 1_700_000_000)
  utimesSync(join(server.root, 'times/b.txt'), 1_700_000_000.125, 1_700_000_000.125)
  const [a, b] = [await itemIn('/times', 'a.txt'), await itemIn('/times', 'b.txt')]
  expect(Date.parse(a.modified)).toBe(1_700_000_000_000)
  expect(a.modified).toMatch(/T\d\d:\d\d:20(Z|[+-]\d\d:\d\d)$/)
  expect(Date.parse(b.modified)).toBe(1_700_000_000_125)
  expect(b.modified).toMatch(/T\d\d:\d\d:20\.125(Z|[+-]\d\d:\d\d)$/)
})

test('mode has the bits of Go', async () => {
  const bits = { setuid: 2 ** 23, setgid: 2 ** 22, sticky: 2 ** 20, folder: 2 ** 31, pipe: 2 ** 25 }
  mkdirSync(join(server.root, 'modes'))
  const make = (name: string, mode: number) => {
    writeFileSync(join(server.root, 'modes', name), '')
    chmodSync(join(server.root, 'modes', name), mode)
  }
  make('setuid', 0o4755)
  make('setgid', 0o2750)
  mkdirSync(join(server.root, 'modes/sticky'))
  chmodSync(join(server.root, 'modes/sticky'), 0o1777)
  execFileSync('mkfifo', ['-m', '600', join(server.root, 'modes/pipe')])

  expect((await itemIn('/modes', 'setuid')).mode).toBe(bits.setuid + 0o755)
  expect((await itemIn('/modes', 'setgid')).mode).toBe(bits.setgid + 0o750)
  expect((await itemIn('/modes', 'sticky')).mode).toBe(bits.folder + bits.sticky + 0o777)
  expect(await itemIn('/modes', 'pipe')).toMatchObject({ mode: bits.pipe + 0o600, type: 'blob', isDir: false })
  expect(await jsonIn<Resource>(alice('/api/resources/modes/pipe'))).toMatchObject({ type: 'blob' })
})

test.each([
  ['Photo.JPG', '.JPG'],
  ['a.tar.gz', '.gz'],
  ['.hidden', '.hidden'],
  ['Makefile', ''],
  ['ends.', '.'],
])('the extension of %s is %j', async (name, extension) => {
  server.put({ [`extensions/${name}`]: '' })
  expect((await itemIn('/extensions', name)).extension).toBe(extension)
})

test('a missing path and any path below a file are not found', async () => {
  server.put({ 'plain.txt': 'x' })
  for (const path of ['/none', '/none/deeper', '/plain.txt/below', '/plain.txt/below/'])
    expect([path, await statusOf(alice(`/api/resources${path}`))]).toEqual([path, 404])
})

test('drafts are not listed and not found', async () => {
  server.put({ 'drafts/.filestead-draft-1': 'half', 'drafts/whole.txt': 'whole' })
  const { items, numFiles } = await list('/drafts')
  expect([items.map(({ name }) => name), numFiles]).toEqual([['whole.txt'], 1])
  expect(await statusOf(alice('/api/resources/drafts/.filestead-draft-1'))).toBe(403)
  expect(await statusOf(alice('/api/resources/drafts/.filestead-draft-none'))).toBe(403)
})

test('a name that is not UTF-8 is listed with replacement characters, and moves with its folder', async () => {
  mkdirSync(join(server.root, 'odd'))
  const odd = Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x74, 0x78, 0x74])
  writeFileSync(Buffer.concat([Buffer.from(join(server.root, 'odd/')), odd]), 'odd')
  const { items } = await list('/odd')
  expect(items.map(({ name, size }) => [name, size])).toEqual([['a\ufffd\ufffd.txt', 3]])
  expect(await statusOf(alice('/api/resources/odd/a%EF%BF%BD%EF%BF%BD.txt'))).toBe(200)
  expect(await statusOf(alice('/api/resources/odd/a%FF%FE.txt'))).toBe(400)

  const copy = '/api/resources/odd?action=copy&destination=%2Fodd-copy'
  expect(await statusOf(alice(copy, { method: 'PATCH' }))).toBe(200)
  const there = statSync(Buffer.concat([Buffer.from(join(server.root, 'odd-copy/')), odd]))
  expect(there.size).toBe(3)
  expect(await statusOf(alice('/api/resources/odd', { method: 'DELETE' }))).toBe(204)
})

test('HEAD answers like GET, without a body', async () => {
  server.put({ 'head/a.txt': 'hello' })
  for (const path of ['/api/resources/head', '/api/resources/head/a.txt', '/api/usage/', '/health']) {
    const [head, get] = [await alice(path, { method: 'HEAD' }), await alice(path)]
    expect([path, head.status, head.headers.get('content-type'), head.headers.get('etag')]).toEqual([
      path,
      200,
      get.headers.get('content-type'),
      get.headers.get('etag'),
    ])
    expect(await head.text()).toBe('')
  }
  expect(await statusOf(alice('/api/resources/none', { method: 'HEAD' }))).toBe(404)
})
