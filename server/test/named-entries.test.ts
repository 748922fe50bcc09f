import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, Resource } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice', { rules: [{ allow: false, path: '/box/secret.txt', regex: false, regexp: { raw: '' } }] })
const alice = await server.as('alice')
afterAll(() => server.stop())

const ask = (folder: string, names: unknown) =>
  alice(`/api/entries${folder}`, { method: 'POST', body: JSON.stringify({ names }) })

test('entries that are asked for by name look as they do in the listing of their folder', async () => {
  server.put({ 'box/a.txt': 'text', 'box/b.bin': '\0\0', 'box/noname': 'plain', 'box/other.txt': 'x' })
  mkdirSync(join(server.root, 'box/deep'))
  symlinkSync('a.txt', join(server.root, 'box/link'))
  symlinkSync('nowhere', join(server.root, 'box/broken'))
  const names = ['a.txt', 'b.bin', 'noname', 'deep', 'broken']
  const { items } = await jsonIn<FolderResource>(alice('/api/resources/box/'))
  const found = await jsonIn<Resource[]>(ask('/box', names))
  expect(found).toEqual(names.map((name) => items.find((item) => item.name === name) as Resource))
  // As where it is asked for alone, a symlink has its own mode and time.
  expect(await jsonIn<Resource[]>(ask('/box', ['link']))).toMatchObject([
    { name: 'link', isSymlink: true, size: 4, type: 'text' },
  ])
  expect(await jsonIn<Resource[]>(ask('/box/', ['a.txt']))).toEqual(found.slice(0, 1))
})

test('names that are missing, hidden, doubled or no names at all are left out', async () => {
  server.put({ 'box/a.txt': 'text', 'box/secret.txt': 'hidden', 'outside.txt': 'x' })
  const names = [
    'a.txt',
    'a.txt',
    'missing',
    'secret.txt',
    '../outside.txt',
    '..',
    '.',
    'deep/x',
    'a\0b',
    'ä'.repeat(300),
  ]
  expect((await jsonIn<Resource[]>(ask('/box', names))).map(({ name }) => name)).toEqual(['a.txt'])
  expect(await jsonIn<Resource[]>(ask('/', ['outside.txt', 'box']))).toMatchObject([
    { path: '/outside.txt' },
    { path: '/box' },
  ])
})

test.each([['text'], [undefined], [[1]], [Array(1001).fill('a')], [['']]])('a body of %p is refused', async (names) => {
  expect((await ask('/box', names)).status).toBe(400)
})
