import { afterAll, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const files = { 'a.txt': 'a', 'box/b.txt': 'b', 'box/deep/er/c.txt': 'c', 'boxer/d.txt': 'd' }

beforeEach(() => {
  rmSync(server.root, { recursive: true, force: true })
  server.put({ ...files, 'empty/': '' })
})

const remove = (path: string) => alice(`/api/resources${path}`, { method: 'DELETE' })
const left = () => Object.keys(treeOf(server.root)).filter((path) => !path.endsWith('/'))

test('a file is removed without many words', async () => {
  const response = await remove('/a.txt')
  expect([response.status, await response.text()]).toEqual([204, ''])
  expect(left()).toEqual(['box/b.txt', 'box/deep/er/c.txt', 'boxer/d.txt'])
})

test('a folder is removed with all that is in it, and with nothing else', async () => {
  for (const path of ['/box', '/empty/']) expect(await statusOf(remove(path))).toBe(204)
  expect(treeOf(server.root)).toEqual({ 'a.txt': 'a', 'boxer/': '', 'boxer/d.txt': 'd' })
})

test('a large folder is removed whole', async () => {
  for (let number = 0; number < 600; number += 1) server.put({ [`many/${number % 7}/${number}.txt`]: '' })
  expect(await statusOf(remove('/many'))).toBe(204)
  expect(left().filter((path) => path.startsWith('many'))).toEqual([])
})

test.each(['/', '//', '', '/?x=1', '/%2f'])('the root cannot be removed as %j', async (path) => {
  const before = treeOf(server.root)
  expect(await statusOf(remove(path))).toBe(403)
  expect(treeOf(server.root)).toEqual(before)
})

test.each(['/none', '/none/deeper', '/a.txt/below', '/box/none'])('%s is not there to be removed', async (path) => {
  const before = treeOf(server.root)
  expect(await statusOf(remove(path))).toBe(404)
  expect(treeOf(server.root)).toEqual(before)
})
