import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './server.ts'

const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-elsewhere-')))
const photos = join(elsewhere, 'photos')
for (const folder of ['photos/open', 'photos/put', 'photos/secret', 'free'])
  mkdirSync(join(elsewhere, folder), { recursive: true })
for (const file of ['photos/open/a.txt', 'photos/secret/b.txt', 'free/c.txt'])
  writeFileSync(join(elsewhere, file), file)

const server = await startServer({ followExternalSymlinks: true, mount: `Photos=${photos}` } as never)
afterAll(async () => {
  await server.stop()
  rmSync(elsewhere, { recursive: true, force: true })
})

server.put({ 'bob/own.txt': 'own', 'bob/private/d.txt': 'd', 'alice/e.txt': 'e', 'alice/shown/f.txt': 'f' })
symlinkSync(photos, join(server.root, 'bob/to-photos'))
symlinkSync(join(photos, 'secret/b.txt'), join(server.root, 'bob/to-file.txt'))
symlinkSync(join(elsewhere, 'free'), join(server.root, 'bob/to-free'))
symlinkSync('../alice', join(server.root, 'bob/to-alice'))
symlinkSync('private', join(server.root, 'bob/to-private'))

await server.addUser('admin', { isAdmin: true })
await server.addUser('bob', { scope: '/bob' })
await server.addUser('mike', { scope: '/bob' })
const admin = await server.as('admin')
const users = (await (await admin('/api/users')).json()) as { id: number; username: string }[]
const idOf = (name: string) => users.find(({ username }) => username === name)?.id
const grant = async (mount: number, folder: string, rights: readonly string[]) => {
  const body = JSON.stringify({ subject: `user:${idOf('bob')}`, mount, folder, rights })
  expect((await admin('/api/grants', { method: 'POST', body })).status).toBe(201)
}
await grant(2, '/open', ['see', 'download'])
await grant(2, '/put', ['see', 'download', 'create', 'change'])
await grant(1, '/alice/shown', ['see', 'download'])
await grant(1, '/bob/private', [])
const bob = await server.as('bob')
const mike = await server.as('mike')
const statusOf = async (path: string, who = bob) => (await who(`/api/raw${path}`)).status

test('a symlink into another root folder leads to what the grants there allow, and to nothing else', async () => {
  expect(await (await bob('/api/raw/Home/to-photos/open/a.txt')).text()).toBe('photos/open/a.txt')
  expect(await statusOf('/Home/to-photos/secret/b.txt')).toBe(403)
  expect(await statusOf('/Home/to-file.txt')).toBe(403)
  expect(await statusOf('/Home/to-photos/open/a.txt', mike)).toBe(403)
})

test('a symlink out of the home, but in the same root folder, is asked about as well', async () => {
  expect(await statusOf('/Home/to-alice/e.txt')).toBe(403)
  expect(await (await bob('/api/raw/Home/to-alice/shown/f.txt')).text()).toBe('f')
  expect(await statusOf('/Home/to-alice/shown/f.txt', mike)).toBe(403)
})

test('a symlink within the home does not lead around a grant', async () => {
  expect(await statusOf('/Home/private/d.txt')).toBe(403)
  expect(await statusOf('/Home/to-private/d.txt')).toBe(403)
  expect(await (await mike('/api/raw/Home/to-private/d.txt')).text()).toBe('d')
})

test('what symlinks lead to outside of all root folders is read and changed', async () => {
  expect(await (await bob('/api/raw/Home/to-free/c.txt')).text()).toBe('free/c.txt')
  const saved = await bob('/api/resources/Home/to-free/new.txt', { method: 'POST', body: 'new' })
  expect(saved.status).toBe(200)
  expect(await Bun.file(join(elsewhere, 'free/new.txt')).text()).toBe('new')
})

test('nothing is written through a symlink where no grant allows it, and nothing is told of it', async () => {
  const saved = await bob('/api/resources/Home/to-photos/secret/new.txt', { method: 'POST', body: 'new' })
  expect(saved.status).toBe(403)
  expect(await Bun.file(join(photos, 'secret/new.txt')).exists()).toBe(false)
  for (const path of ['/Home/to-photos/secret', '/Home/to-photos/nothing'])
    expect([path, (await bob(`/api/resources${path}`)).status]).toEqual([path, 403])
})

test('a small upload goes through a symlink into another root folder, however it is sent', async () => {
  const tus = async (path: string, method: string, headers: Record<string, string>, body?: string) =>
    (await bob(`/api/tus${path}`, { method, headers, ...(body !== undefined && { body }) })).status
  const piece = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  const inTwo = '/Home/to-photos/put/in-two.txt'
  expect(await tus(inTwo, 'POST', { 'upload-length': '3' })).toBe(201)
  expect(await tus(inTwo, 'PATCH', piece, 'new')).toBe(204)
  expect(await Bun.file(join(photos, 'put/in-two.txt')).text()).toBe('new')
  expect(await tus('/Home/to-photos/put/in-one.txt', 'POST', { ...piece, 'upload-length': '3' }, 'new')).toBe(201)
  expect(await Bun.file(join(photos, 'put/in-one.txt')).text()).toBe('new')
})
