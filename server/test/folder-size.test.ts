import { afterAll, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderSize } from '@filestead/contract'
import { statusOf } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
const denied = { regex: false, allow: false, path: '/tree/secret', regexp: null }
await server.addUser('alice')
await server.addUser('guarded', { rules: [denied], hideDotfiles: true })
await server.addUser('inside', { scope: '/tree/open' })
const [alice, guarded, inside] = [await server.as('alice'), await server.as('guarded'), await server.as('inside')]
afterAll(() => server.stop())

server.put({
  'tree/a.txt': '12345',
  'tree/open/b.txt': '123',
  'tree/open/deep/c.txt': '1',
  'tree/secret/d.txt': '1234567',
  'tree/.hidden/e.txt': '12',
})

const lastLine = async (answer: Promise<Response>): Promise<FolderSize> =>
  JSON.parse((await (await answer).text()).trim().split('\n').at(-1) ?? '')

test('everything below a folder is added up', async () => {
  expect(await lastLine(alice('/api/folder-size/tree'))).toEqual({ bytes: 18, files: 5, folders: 4, isWhole: true })
  expect(await lastLine(alice('/api/folder-size/tree/open/'))).toEqual({
    bytes: 4,
    files: 2,
    folders: 1,
    isWhole: true,
  })
})

test('what an account does not see does not count, and nothing above its folder', async () => {
  expect(await lastLine(guarded('/api/folder-size/tree'))).toMatchObject({ bytes: 9, files: 3 })
  expect(await statusOf(guarded('/api/folder-size/tree/secret'))).toBe(403)
  expect(await lastLine(inside('/api/folder-size/'))).toMatchObject({ bytes: 4, files: 2, folders: 1 })
  expect(await statusOf(server.ask('/api/folder-size/tree'))).toBe(401)
})

test('a link that leads around in a circle is counted once, as itself', async () => {
  symlinkSync('..', join(server.root, 'tree/open/deep/up'))
  expect(await lastLine(alice('/api/folder-size/tree/open'))).toMatchObject({ files: 3, folders: 1, isWhole: true })
})

test('a file and what is not there have no sum', async () => {
  expect(await statusOf(alice('/api/folder-size/tree/a.txt'))).toBe(400)
  expect(await statusOf(alice('/api/folder-size/nowhere'))).toBe(404)
})

test('a folder that is asked for again with its tag is sent only when something in it has changed', async () => {
  server.put({ 'live/a.txt': 'a' })
  const first = await alice('/api/resources/live/')
  const tag = first.headers.get('etag') ?? ''
  const again = () => alice('/api/resources/live/', { headers: { 'if-none-match': tag } })
  const same = await again()
  expect([first.status, same.status, await same.text()]).toEqual([200, 304, ''])
  server.put({ 'live/a.txt': 'longer' })
  expect((await again()).status).toBe(200)
  server.put({ 'live/b.txt': 'b' })
  const other = await again()
  expect([other.status, other.headers.get('etag') === tag]).toEqual([200, false])
})
