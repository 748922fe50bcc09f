import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from './server.ts'

const server = await startServer({ followExternalSymlinks: true })
afterAll(() => server.stop())

const outside = join(server.root, '..', 'elsewhere')
mkdirSync(join(outside, 'deep'), { recursive: true })
writeFileSync(join(outside, 'note.txt'), 'from elsewhere')
writeFileSync(join(outside, 'deep/film.mp4'), '')
server.link(outside, 'folder-link')
server.link(join(outside, 'note.txt'), 'file-link.txt')
server.link(join(outside, 'gone'), 'dead-link')
server.put({ 'own.txt': 'own' })
await server.addUser('alice')
const alice = await server.as('alice')

interface Item {
  name: string
  isDir: boolean
  isSymlink: boolean
  type: string
}
const list = async (path: string) => ((await (await alice(`/api/resources${path}`)).json()) as { items: Item[] }).items

test('symlinks that lead out are listed as their targets', async () => {
  const items = (await list('/')).map(({ name, isDir, isSymlink, type }) => [name, isDir, isSymlink, type])
  expect(items).toEqual([
    ['folder-link', true, true, ''],
    ['dead-link', false, true, 'invalid_link'],
    ['file-link.txt', false, true, 'text'],
    ['own.txt', false, false, 'text'],
  ])
  expect((await list('/folder-link')).map(({ name }) => name)).toEqual(['deep', 'note.txt'])
})

test('targets of symlinks that lead out are read and changed', async () => {
  expect(await (await alice('/api/raw/file-link.txt')).text()).toBe('from elsewhere')
  expect(await (await alice('/api/raw/folder-link/note.txt')).text()).toBe('from elsewhere')
  expect((await alice('/api/resources/folder-link/new.txt', { method: 'POST', body: 'new' })).status).toBe(200)
  expect(readFileSync(join(outside, 'new.txt'), 'utf8')).toBe('new')
  expect((await alice('/api/resources/folder-link/new.txt', { method: 'DELETE' })).status).toBe(204)
  expect(readdirSync(outside).sort()).toEqual(['deep', 'note.txt'])
})

test('removing a symlink that leads out keeps its target', async () => {
  server.link(outside, 'second-link')
  expect((await alice('/api/resources/second-link', { method: 'DELETE' })).status).toBe(204)
  expect(readdirSync(outside).sort()).toEqual(['deep', 'note.txt'])
})

test('a path with dot segments is refused with external symlinks too', async () => {
  expect((await alice('/api/raw/..%2felsewhere%2fnote.txt')).status).toBe(400)
})
