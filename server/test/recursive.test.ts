import { afterAll, expect, test } from 'bun:test'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, RecursiveEntry } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
const denied = { regex: false, allow: false, path: '/tree/b/secret', regexp: null }
await server.addUser('alice')
await server.addUser('guarded', { rules: [denied], hideDotfiles: true })
const [alice, guarded] = [await server.as('alice'), await server.as('guarded')]
const other = await startServer()
await other.addUser('bob')
const bob = await other.as('bob')
other.put({ 'recursive/in.txt': 'in', 'recursive/deep/er.txt': 'er', 'in.txt': 'out', 'deep/wrong.txt': '' })
afterAll(() => Promise.all([server.stop(), other.stop()]))

server.put({
  'tree/b/x.txt': 'xx',
  'tree/b/secret/y.txt': 'y',
  'tree/b/.dot/z.txt': 'z',
  'tree/a.txt': 'a',
  'tree/b.txt': 'b',
  'tree/Z/': '',
  'elsewhere/deep/file.txt': 'far',
  'recursive-notes.txt': 'notes',
})

const flat = async (path: string, ask = alice) => jsonIn<RecursiveEntry[]>(ask(`/api/resources/${path}`))
const pathsIn = async (path: string, ask = alice) => (await flat(path, ask)).map((entry) => entry.path)

const whole = [
  '/tree/Z',
  '/tree/a.txt',
  '/tree/b',
  '/tree/b/.dot',
  '/tree/b/.dot/z.txt',
  '/tree/b/secret',
  '/tree/b/secret/y.txt',
  '/tree/b/x.txt',
  '/tree/b.txt',
]

test('everything below a folder is one list, folder by folder in the order of names', async () => {
  expect(await pathsIn('tree?recursive=true')).toEqual(whole)
  const entries = await flat('tree?recursive=true')
  for (const entry of entries) expect(Object.keys(entry)).toEqual(['path', 'name', 'size', 'modified', 'isDir'])
  expect(entries.find(({ path }) => path === '/tree/b/x.txt')).toMatchObject({ name: 'x.txt', size: 2, isDir: false })
  expect(entries.find(({ path }) => path === '/tree/b')).toMatchObject({ name: 'b', isDir: true })
})

test('the address of File Browser answers the same list', async () => {
  expect(await flat('recursive/tree')).toEqual(await flat('tree?recursive=true'))
  expect(await flat('recursive/tree/')).toEqual(await flat('tree/?recursive=true'))
  expect(await flat('recursive/')).toEqual(await flat('?recursive=true'))
  expect(await pathsIn('recursive/tree/Z')).toEqual([])
})

test('only recursive=true asks for the list', async () => {
  for (const query of ['recursive=1', 'recursive=TRUE', 'recursive'])
    expect(await jsonIn<FolderResource>(alice(`/api/resources/tree?${query}`))).toMatchObject({ name: 'tree' })
})

test('a file is refused as a folder, and a missing folder is not found', async () => {
  for (const path of ['recursive/tree/a.txt', 'tree/a.txt?recursive=true']) {
    const response = await alice(`/api/resources/${path}`)
    expect([response.status, await response.text()]).toEqual([400, '400 Bad Request (path is not a directory)\n'])
  }
  for (const path of ['recursive/none', 'none?recursive=true', 'recursive/tree/a.txt/x'])
    expect(await statusOf(alice(`/api/resources/${path}`))).toBe(404)
})

test('denied and hidden entries are left out with everything below them', async () => {
  const visible = whole.filter((path) => !path.includes('secret') && !path.includes('.dot'))
  expect(await pathsIn('recursive/tree', guarded)).toEqual(visible)
  for (const path of ['recursive/tree/b/secret', 'tree/b/secret?recursive=true', 'recursive/tree/b/.dot'])
    expect(await statusOf(guarded(`/api/resources/${path}`))).toBe(403)
})

test('symlinks are listed as symlinks and not followed', async () => {
  server.put({ 'linked/real.txt': 'content' })
  server.link('../elsewhere', 'linked/to-folder')
  server.link('real.txt', 'linked/to-file')
  server.link('.', 'linked/to-itself')
  server.link('nowhere', 'linked/dangling')
  const entries = await flat('recursive/linked')
  expect(entries.map(({ name, isDir }) => [name, isDir])).toEqual([
    ['dangling', false],
    ['real.txt', false],
    ['to-file', false],
    ['to-folder', false],
    ['to-itself', false],
  ])
  for (const { name, size, modified } of entries) {
    const link = lstatSync(join(server.root, 'linked', name))
    expect([name, size, Date.parse(modified)]).toEqual([name, link.size, Math.floor(link.mtimeMs)])
  }
})

test('a file whose name starts like the address of File Browser is a file', async () => {
  expect(await jsonIn<object>(alice('/api/resources/recursive-notes.txt'))).toMatchObject({ content: 'notes' })
})

test('an existing folder with the name wins over the address of File Browser', async () => {
  const folder = await jsonIn<FolderResource>(bob('/api/resources/recursive/'))
  expect(folder.items.map(({ path }) => path)).toEqual(['/recursive/deep', '/recursive/in.txt'])
  expect(folder.path).toBe('/recursive/')
  expect(await jsonIn<object>(bob('/api/resources/recursive/in.txt'))).toMatchObject({ content: 'in' })
  expect(await jsonIn<object>(bob('/api/resources/recursive/deep'))).toMatchObject({ path: '/recursive/deep' })
})

test('a folder with that name is listed recursively', async () => {
  expect(await pathsIn('recursive?recursive=true', bob)).toEqual([
    '/recursive/deep',
    '/recursive/deep/er.txt',
    '/recursive/in.txt',
  ])
  expect(await pathsIn('recursive/deep?recursive=true', bob)).toEqual(['/recursive/deep/er.txt'])
})

test('a long list arrives complete', async () => {
  for (let folder = 0; folder < 12; folder += 1)
    for (let file = 0; file < 100; file += 1) server.put({ [`long/${folder}/${file}.txt`]: '' })
  const paths = await pathsIn('recursive/long')
  expect([paths.length, new Set(paths).size]).toEqual([1212, 1212])
})
