import { afterAll, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ShareLink } from '@filestead/contract'
import { joinNodes } from '../src/nodes/node.ts'
import { jsonIn, statusOf } from './answers.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('admin', { isAdmin: true })
await server.addUser('alice', { scope: '/home' })
const [admin, alice] = [await server.as('admin'), await server.as('alice')]

beforeEach(async () => {
  rmSync(`${server.root}/home`, { recursive: true, force: true })
  await server.app.deps.db.deleteFrom('share').execute()
  server.put({
    'home/a.txt': 'A',
    'home/ab.txt': 'AB',
    'home/d/in.txt': 'in',
    'home/d/e/f.txt': 'f',
    'home/dd/x.txt': 'x',
  })
})

const share = async (ask: Ask, path: string) =>
  (await jsonIn<ShareLink>(ask(`/api/share${path}`, { method: 'POST', body: '{}' }))).hash
const move = (ask: Ask, from: string, to: string, more = '') =>
  statusOf(ask(`/api/resources${from}?action=rename&destination=${encodeURIComponent(to)}${more}`, { method: 'PATCH' }))
const remove = (ask: Ask, path: string) => statusOf(ask(`/api/resources${path}`, { method: 'DELETE' }))
const put = (ask: Ask, path: string, body: string) => statusOf(ask(`/api/resources${path}`, { method: 'POST', body }))
const pathOf = async (hash: string) =>
  (await jsonIn<ShareLink[]>(admin('/api/shares'))).find((link) => link.hash === hash)?.path
const textOf = async (hash: string, rest = '') => {
  const response = await server.ask(`/api/public/dl/${hash}${rest}`)
  return response.ok ? response.text() : response.status
}

test('a renamed file takes its share along; what gets its old name is not shared', async () => {
  const hash = await share(alice, '/a.txt')
  expect(await move(alice, '/a.txt', '/moved.txt')).toBe(200)
  expect(await put(alice, '/a.txt', 'PRIVATE')).toBe(200)
  expect([await pathOf(hash), await textOf(hash)]).toEqual(['/moved.txt', 'A'])
})

test('shares below a moved folder go with it, those of names that only begin alike stay', async () => {
  const [folder, inner, file, alike] = [
    await share(alice, '/d'),
    await share(admin, '/home/d/e'),
    await share(alice, '/d/e/f.txt'),
    await share(alice, '/dd'),
  ]
  expect(await move(alice, '/d/', '/box/new')).toBe(200)
  expect(await pathOf(folder)).toBe('/box/new')
  expect(await pathOf(inner)).toBe('/home/box/new/e')
  expect(await pathOf(file)).toBe('/box/new/e/f.txt')
  expect(await pathOf(alike)).toBe('/dd')
  expect([await textOf(inner, '/f.txt'), await textOf(file)]).toEqual(['f', 'f'])
})

test('a move under a free name is followed to that name', async () => {
  const hash = await share(alice, '/a.txt')
  expect(await move(alice, '/a.txt', '/ab.txt', '&rename=true')).toBe(200)
  expect([await pathOf(hash), await textOf(hash)]).toEqual(['/ab(1).txt', 'A'])
})

test('what leaves the scope of the owner is no longer shared', async () => {
  const [own, foreign] = [await share(alice, '/a.txt'), await share(admin, '/home/a.txt')]
  expect(await move(admin, '/home/a.txt', '/outside.txt')).toBe(200)
  expect([await pathOf(own), await pathOf(foreign)]).toEqual([undefined, '/outside.txt'])
  const root = await share(alice, '/')
  expect(await move(admin, '/home', '/elsewhere')).toBe(200)
  expect(await pathOf(root)).toBeUndefined()
  await move(admin, '/elsewhere', '/home')
})

test('a removed file or folder ends its shares, of all owners, and no others', async () => {
  const gone = [await share(alice, '/d'), await share(alice, '/d/in.txt'), await share(admin, '/home/d/e/f.txt')]
  const kept = [await share(alice, '/dd'), await share(admin, '/home'), await share(alice, '/a.txt')]
  expect(await remove(alice, '/d/')).toBe(204)
  expect(await put(alice, '/d/in.txt', 'PRIVATE')).toBe(200)
  for (const hash of gone) expect([await pathOf(hash), await textOf(hash)]).toEqual([undefined, 404])
  for (const hash of kept) expect(await pathOf(hash)).toBeString()
})

test('a file that another one replaces by a move is no longer shared; the mover keeps its share', async () => {
  const [replaced, moved] = [await share(alice, '/ab.txt'), await share(alice, '/a.txt')]
  expect(await move(alice, '/a.txt', '/ab.txt', '&override=true')).toBe(200)
  expect([await textOf(replaced), await textOf(moved)]).toEqual([404, 'A'])
})

test('merged folders keep their shares, replaced files in them do not', async () => {
  server.put({ 'home/d/x.txt': 'other', 'home/dd/kept.txt': 'kept' })
  const [folder, replaced, kept] = [
    await share(alice, '/dd'),
    await share(alice, '/dd/x.txt'),
    await share(alice, '/dd/kept.txt'),
  ]
  const moved = await share(alice, '/d/x.txt')
  expect(await move(alice, '/d', '/dd', '&override=true')).toBe(200)
  expect(await textOf(replaced)).toBe(404)
  expect([await textOf(folder, '/in.txt'), await textOf(kept), await textOf(moved)]).toEqual(['in', 'kept', 'other'])
})

test('a new version of a file is still the shared file', async () => {
  const hash = await share(alice, '/a.txt')
  expect(await statusOf(alice('/api/resources/a.txt', { method: 'PUT', body: 'saved' }))).toBe(200)
  expect(await textOf(hash)).toBe('saved')
  expect(await put(alice, '/a.txt?override=true', 'uploaded')).toBe(200)
  expect(await textOf(hash)).toBe('uploaded')
})

test('a refused change leaves the shares as they are', async () => {
  const [one, two] = [await share(alice, '/a.txt'), await share(alice, '/ab.txt')]
  expect(await move(alice, '/a.txt', '/ab.txt')).toBe(409)
  expect(await move(alice, '/a.txt', '/d', '&override=true')).toBe(409)
  expect(await move(alice, '/a.txt', '/a.txt')).toBe(200)
  expect(await remove(alice, '/none')).toBe(404)
  expect([await textOf(one), await textOf(two)]).toEqual(['A', 'AB'])
})

test('a link takes its share along, and a share through a link follows its file', async () => {
  server.link('d', 'home/way')
  const [through, link] = [await share(alice, '/way/in.txt'), await share(alice, '/way')]
  expect(await move(alice, '/d/in.txt', '/out.txt')).toBe(200)
  expect([await pathOf(through), await textOf(through)]).toEqual(['/out.txt', 'in'])
  expect(await move(alice, '/way', '/path')).toBe(200)
  expect([await pathOf(link), await textOf(link, '/e/f.txt')]).toEqual(['/path', 'f'])
  expect(await remove(alice, '/d')).toBe(204)
  expect(await textOf(link)).toBe(404)
})

test('a share that was in doubt when the server died is shut, and gone with the next start', async () => {
  const [hash, other] = [await share(alice, '/a.txt'), await share(alice, '/ab.txt')]
  await server.app.deps.db.updateTable('share').set({ in_doubt: 1 }).where('hash', '=', hash).execute()
  expect([await textOf(hash), await textOf(other)]).toEqual([404, 'AB'])
  await server.app.tidy()
  expect([await pathOf(hash), await pathOf(other)]).toEqual([undefined, '/ab.txt'])
})

test('a share that another server is moving stays until that server is gone', async () => {
  const hash = await share(alice, '/ab.txt')
  const another = joinNodes(join(server.root, '../filestead.db-drafts'))
  const doubt = { in_doubt: 1, doubted_by: another.id }
  await server.app.deps.db.updateTable('share').set(doubt).where('hash', '=', hash).execute()
  await server.app.tidy()
  const known = () => server.app.deps.db.selectFrom('share').select('hash').where('hash', '=', hash).execute()
  expect([await known(), await textOf(hash)]).toEqual([[{ hash }], 404])
  another.leave()
  await server.app.tidy()
  expect(await known()).toEqual([])
})
