import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Favourite, FolderNames } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice', { rules: [{ allow: false, path: '/secret', regex: false, regexp: { raw: '' } }] })
await server.addUser('bob', { scope: '/home' })
const alice = await server.as('alice')
const bob = await server.as('bob')
afterAll(() => server.stop())

type Ask = typeof alice

const favourites = async (ask: Ask) => (await jsonIn<Favourite[]>(ask('/api/favourites'))).map(({ path }) => path)
const add = async (ask: Ask, path: string) => (await ask(`/api/favourites${path}`, { method: 'PUT' })).status
const drop = async (ask: Ask, path: string) => (await ask(`/api/favourites${path}`, { method: 'DELETE' })).status
const move = (ask: Ask, from: string, to: string) =>
  ask(`/api/resources${from}?action=rename&destination=${encodeURIComponent(to)}`, { method: 'PATCH' })

beforeEach(async () => {
  server.put({ 'home/in.txt': 'x', 'secret/in.txt': 'x', 'box/in.txt': 'x', 'other/in.txt': 'x', 'file.txt': 'x' })
  for (const ask of [alice, bob]) for (const path of await favourites(ask)) await drop(ask, path)
})

test('favourites belong to their user, in the order in which they were added', async () => {
  expect(await add(alice, '/other')).toBe(204)
  expect(await add(alice, '/box')).toBe(204)
  expect(await add(alice, '/box')).toBe(204)
  expect(await favourites(alice)).toHaveLength(2)
  expect((await favourites(alice)).toSorted()).toEqual(['/box', '/other'])
  expect(await favourites(bob)).toEqual([])
  expect(await drop(alice, '/other')).toBe(204)
  expect(await drop(alice, '/other')).toBe(204)
  expect(await favourites(alice)).toEqual(['/box'])
})

test('of folders that are added at once, no more are kept than a user may have', async () => {
  const paths = Array.from({ length: 130 }, (_, index) => `/many/${index}`)
  for (const path of paths) mkdirSync(join(server.root, path), { recursive: true })
  const statuses = await Promise.all(paths.map((path) => add(alice, path)))
  expect(statuses.filter((status) => status === 400)).toHaveLength(30)
  expect(await favourites(alice)).toHaveLength(100)
})

test('what is no folder, missing, hidden by a rule or out of the scope is refused', async () => {
  expect(await add(alice, '/file.txt')).toBe(400)
  expect(await add(alice, '/missing')).toBe(404)
  expect(await add(alice, '/secret')).toBe(403)
  expect(await add(bob, '/box')).toBe(404)
  expect(await favourites(alice)).toEqual([])
  expect((await fetch(new URL('/api/favourites', server.url))).status).toBe(401)
})

test('favourites of all users follow a folder that is moved, and end where it is removed or leaves the scope', async () => {
  mkdirSync(join(server.root, 'home/deep/in'), { recursive: true })
  mkdirSync(join(server.root, 'home/deeper'), { recursive: true })
  await add(alice, '/home/deep/in')
  await add(bob, '/deep')
  await add(bob, '/deeper')
  expect((await move(bob, '/deep', '/flat')).status).toBe(200)
  // What became of favourites is stored beside the answer.
  await until(async () => (await favourites(alice)).join() === '/home/flat/in')
  expect((await favourites(bob)).toSorted()).toEqual(['/deeper', '/flat'])

  expect((await move(alice, '/home/flat', '/flat')).status).toBe(200)
  await until(async () => (await favourites(alice)).join() === '/flat/in')
  expect(await favourites(bob)).toEqual(['/deeper'])

  expect((await alice('/api/resources/flat', { method: 'DELETE' })).status).toBe(204)
  await until(async () => (await favourites(alice)).length === 0)
})

test('a move that is refused leaves the favourite where it is', async () => {
  await add(alice, '/box')
  expect((await move(alice, '/box', '/other')).status).toBe(409)
  expect(await favourites(alice)).toEqual(['/box'])
})

test('the folders of a folder are told by name, in natural order, without files and what rules hide', async () => {
  for (const name of ['part 10', 'part 9', 'Part 1', 'ärger']) mkdirSync(join(server.root, 'box', name))
  symlinkSync('../other', join(server.root, 'box/linked'))
  const names = async (path: string) => (await jsonIn<FolderNames>(alice(`/api/folders${path}`))).names
  expect(await names('/box/')).toEqual(['linked', 'Part 1', 'part 9', 'part 10', 'ärger'])
  expect(await names('/box/part%2010')).toEqual([])
  expect(await names('/')).not.toContain('secret')
  expect((await alice('/api/folders/file.txt')).status).toBe(400)
  expect((await alice('/api/folders/missing')).status).toBe(404)
  expect((await alice('/api/folders/secret')).status).toBe(403)
})

test('many folders arrive whole, in several pieces', async () => {
  const count = 10_001
  for (let index = 0; index < count; index += 1)
    mkdirSync(join(server.root, 'many', String(index)), { recursive: true })
  const { names } = await jsonIn<FolderNames>(alice('/api/folders/many'))
  expect(names).toEqual(Array.from({ length: count }, (_, index) => String(index)))
})
