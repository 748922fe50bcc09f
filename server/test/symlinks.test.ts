import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, Resource } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
await server.addUser('bob', { scope: '/home/bob' })
const [alice, bob] = [await server.as('alice'), await server.as('bob')]
afterAll(() => server.stop())

const outside = join(server.root, '../outside')
const at = (path: string) => join(server.root, path)

beforeEach(() => {
  for (const folder of [server.root, outside]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(outside, 'folder'), { recursive: true })
  writeFileSync(join(outside, 'secret.txt'), 'CANARY')
  server.put({
    'file.txt': 'hello',
    'box/in.txt': 'inside',
    'home/bob/own.txt': 'own',
    'home/carol/hers.txt': 'CANARY',
  })
})

const list = async (path: string, ask = alice) => jsonIn<FolderResource>(ask(`/api/resources${path}`))
const namesIn = async (path: string, ask = alice) => (await list(path, ask)).items.map(({ name }) => name)
const send = (method: string, path: string, body: string | null = null, ask = alice) =>
  statusOf(ask(`/api/resources${path}`, { method, body }))

test('a listing shows a symlink with the fields of its target', async () => {
  server.link('file.txt', 'link.txt')
  server.link('box', 'door')
  utimesSync(at('file.txt'), 1_700_000_000, 1_700_000_000)
  const { items } = await list('/')
  const [file, link, box, door] = ['file.txt', 'link.txt', 'box', 'door'].map((name) =>
    items.find((item) => item.name === name),
  )
  expect(link).toEqual({ ...file, name: 'link.txt', path: '/link.txt', isSymlink: true } as Resource)
  expect(door).toEqual({ ...box, name: 'door', path: '/door', isSymlink: true } as Resource)
  expect([file?.isSymlink, door?.isDir]).toEqual([false, true])
})

test('a symlink itself has its own mode and time, and the size of its target', async () => {
  server.link('file.txt', 'link.txt')
  server.link('box', 'door')
  utimesSync(at('file.txt'), 1_700_000_000, 1_700_000_000)
  const link = await jsonIn<Resource>(alice('/api/resources/link.txt'))
  expect(link).toMatchObject({ size: 5, isDir: false, isSymlink: true, type: 'text', content: 'hello' })
  expect(Math.floor(lstatSync(at('link.txt')).mtimeMs)).toBe(Date.parse(link.modified))
  const door = await list('/door')
  expect(door).toMatchObject({ name: 'door', isDir: true, isSymlink: true, items: [{ path: '/door/in.txt' }] })
  expect([link.mode, door.mode]).toEqual([2 ** 27 + 0o777, 2 ** 27 + 0o777])
})

test.each([
  ['relative', 'box/in.txt'],
  ['absolute', at('box/in.txt')],
  ['roundabout', 'home/../box/./in.txt'],
])('a %s symlink that stays inside is followed', async (_kind, target) => {
  server.link(target, 'link.txt')
  expect(await (await alice('/api/raw/link.txt')).text()).toBe('inside')
})

test('chains of symlinks are followed, and cycles are refused', async () => {
  server.link('file.txt', 'one')
  server.link('one', 'two')
  server.link('circle-b', 'circle-a')
  server.link('circle-a', 'circle-b')
  server.link('.', 'self')
  expect(await (await alice('/api/raw/two')).text()).toBe('hello')
  expect(await (await alice('/api/raw/self/self/self/box/in.txt')).text()).toBe('inside')
  expect(await statusOf(alice('/api/raw/circle-a'))).toBe(404)
  expect(await send('GET', '/circle-a/deeper')).toBe(404)
  const circle = (await list('/')).items.find(({ name }) => name === 'circle-a')
  expect(circle).toMatchObject({ type: 'invalid_link', isSymlink: true, isDir: false })
})

test('a dangling symlink is listed as such, is not found and can be removed', async () => {
  server.link('nothing.txt', 'dangling.txt')
  expect((await list('/')).items).toContainEqual(
    expect.objectContaining({ name: 'dangling.txt', type: 'invalid_link', isSymlink: true }),
  )
  expect(await send('GET', '/dangling.txt')).toBe(404)
  expect(await statusOf(alice('/api/raw/dangling.txt'))).toBe(404)
  expect(await send('POST', '/dangling.txt', 'x')).toBe(409)
  expect(existsSync(at('nothing.txt'))).toBe(false)
  expect(await send('DELETE', '/dangling.txt')).toBe(204)
  expect(await namesIn('/')).not.toContain('dangling.txt')
})

const escapes: [string, string][] = [
  ['relative', '../outside'],
  ['absolute', outside],
  ['through a folder', 'box/../../outside'],
  ['through another link', 'hop/outside'],
  ['through the file system of processes', `/proc/self/root${outside}`],
]

test.each(escapes)('a symlink that leads out (%s) is not listed and not followed', async (_kind, target) => {
  server.link('..', 'hop')
  server.link(target, 'out')
  server.link(`${target}/secret.txt`, 'out.txt')
  server.link(`${target}/new.txt`, 'new.txt')
  const before = [treeOf(server.root), treeOf(outside)]
  expect(await namesIn('/')).not.toContain('out')
  expect(await namesIn('/')).not.toContain('out.txt')

  for (const path of ['/out', '/out/secret.txt', '/out/missing', '/out.txt', '/new.txt']) {
    for (const address of [`/api/resources${path}`, `/api/raw${path}`, `/api/usage${path}`]) {
      const response = await alice(address)
      expect([address, response.status, await response.text()]).toEqual([address, 403, '403 Forbidden\n'])
    }
    for (const query of ['?recursive=true', '?checksum=md5']) expect(await send('GET', path + query)).toBe(403)
    expect(await send('PUT', path, 'overwritten')).toBe(403)
    expect(await send('POST', `${path}?override=true`, 'overwritten')).toBe(403)
    expect(await send('PATCH', `${path}?action=copy&destination=%2Fstolen`)).toBe(403)
    expect(
      await send('PATCH', `/file.txt?action=copy&destination=${encodeURIComponent(`/out/${path.slice(1)}`)}`),
    ).toBe(403)
  }
  expect(await send('POST', '/out/made/')).toBe(403)
  expect(await send('PATCH', '/file.txt?action=rename&destination=%2Fout%2Fmoved.txt')).toBe(403)
  expect(await send('PATCH', '/out/secret.txt?action=rename&destination=%2Fstolen.txt')).toBe(403)
  expect(await send('DELETE', '/out/secret.txt')).toBe(403)
  expect([treeOf(server.root), treeOf(outside)]).toEqual(before)
})

test('a symlink that leads out can be removed and renamed, and its target stays', async () => {
  server.link('../outside', 'out')
  expect(await send('PATCH', '/out?action=rename&destination=%2Fbox%2Faway')).toBe(200)
  expect(readlinkSync(at('box/away'))).toBe('../outside')
  expect(await send('DELETE', '/box/away')).toBe(204)
  expect(existsSync(at('box/away'))).toBe(false)
  expect(treeOf(outside)).toEqual({ 'folder/': '', 'secret.txt': 'CANARY' })
})

test('a symlink out of the scope of the user leads out, even to a folder of other users', async () => {
  server.link('../carol/hers.txt', 'home/bob/borrowed.txt')
  server.link('/', 'home/bob/root')
  server.link('/home/carol', 'home/bob/carol')
  server.link('own.txt', 'home/bob/mine.txt')
  expect(await namesIn('/', bob)).toEqual(['mine.txt', 'own.txt'])
  for (const path of ['/borrowed.txt', '/root/file.txt', '/root/home/carol/hers.txt', '/carol/hers.txt']) {
    const response = await bob(`/api/raw${path}`)
    expect([response.status, await response.text()]).toEqual([403, '403 Forbidden\n'])
  }
  expect(await (await alice('/api/raw/home/bob/borrowed.txt')).text()).toBe('CANARY')
})

test('a save through a symlink changes its target, and the symlink stays', async () => {
  server.link('box/in.txt', 'link.txt')
  expect(await send('PUT', '/link.txt', 'saved')).toBe(200)
  expect(server.file('box/in.txt')).toBe('saved')
  expect(await send('POST', '/link.txt?override=true', 'uploaded')).toBe(200)
  expect(server.file('box/in.txt')).toBe('uploaded')
  expect(readlinkSync(at('link.txt'))).toBe('box/in.txt')
})

test('new files and folders are created at the target of a symlink', async () => {
  server.link('box', 'door')
  expect(await send('POST', '/door/new.txt', 'new')).toBe(200)
  expect(await send('POST', '/door/deep/er/')).toBe(200)
  expect(await send('PATCH', '/file.txt?action=rename&destination=%2Fdoor%2Fmoved.txt')).toBe(200)
  expect(treeOf(at('box'))).toEqual({
    'deep/': '',
    'deep/er/': '',
    'in.txt': 'inside',
    'moved.txt': 'hello',
    'new.txt': 'new',
  })
  expect(readlinkSync(at('door'))).toBe('box')
})

test('removing or renaming a symlink keeps its target', async () => {
  server.link('box', 'door')
  server.link('file.txt', 'link.txt')
  expect(await send('PATCH', '/door?action=rename&destination=%2Fgate')).toBe(200)
  expect(readlinkSync(at('gate'))).toBe('box')
  expect([await send('DELETE', '/gate'), await send('DELETE', '/link.txt')]).toEqual([204, 204])
  expect([server.file('box/in.txt'), server.file('file.txt')]).toEqual(['inside', 'hello'])
})

test('removing a folder keeps the targets of its symlinks', async () => {
  server.put({ 'links/a.txt': 'a' })
  server.link('../box', 'links/door')
  server.link('../../outside', 'links/out')
  expect(await send('DELETE', '/links')).toBe(204)
  expect([existsSync(at('links')), server.file('box/in.txt')]).toEqual([false, 'inside'])
  expect(treeOf(outside)).toEqual({ 'folder/': '', 'secret.txt': 'CANARY' })
})

test('copying a symlink copies its target, and copying a folder keeps its symlinks', async () => {
  server.link('box/in.txt', 'link.txt')
  expect(await send('PATCH', '/link.txt?action=copy&destination=%2Fcopy.txt')).toBe(200)
  expect([lstatSync(at('copy.txt')).isFile(), server.file('copy.txt')]).toEqual([true, 'inside'])

  server.put({ 'links/a.txt': 'a' })
  server.link('a.txt', 'links/near')
  server.link('../box', 'links/far')
  server.link('../../outside', 'links/out')
  expect(await send('PATCH', '/links?action=copy&destination=%2Fdeep%2Fcopy')).toBe(200)
  expect(lstatSync(at('deep/copy/near')).isSymbolicLink()).toBe(true)
  expect(server.file('deep/copy/near')).toBe('a')
  expect(lstatSync(at('deep/copy/far')).isSymbolicLink()).toBe(true)
  expect(server.file('deep/copy/far/in.txt')).toBe('inside')
  expect(lstatSync(at('deep/copy/out')).isSymbolicLink()).toBe(true)
  expect(await statusOf(alice('/api/raw/deep/copy/out/secret.txt'))).toBe(403)
})

test('the administrator may put a symlink in place of the folder of a user', async () => {
  server.link('box', 'linked-home')
  await server.addUser('dora', { scope: '/linked-home' })
  const dora = await server.as('dora')
  expect(await (await dora('/api/raw/in.txt')).text()).toBe('inside')
  server.link('../file.txt', 'box/up')
  expect(await statusOf(dora('/api/raw/up'))).toBe(403)
})
