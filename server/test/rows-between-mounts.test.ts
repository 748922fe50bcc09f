import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Favourite, ShareLink } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { until } from './process.ts'
import type { Ask } from './server.ts'
import { tusOf } from './tus.ts'
import { startTwoMounts } from './two-mounts.ts'

const two = await startTwoMounts()
const { server, admin, folder, photos } = two
await server.addUser('ann', { scope: '/users/ann' })
await server.addUser('bob', { scope: '/users/bob' })
const [ann, bob] = [await server.as('ann'), await server.as('bob')]
const idOf = async (username: string) =>
  (await server.app.deps.db.selectFrom('user').select('id').where('username', '=', username).executeTakeFirstOrThrow())
    .id
const annSubject = `user:${await idOf('ann')}`
const everything = ['see', 'download', 'create', 'change', 'delete', 'share'] as const
afterAll(() => server.stop())

beforeEach(async () => {
  const { db } = server.app.deps
  for (const table of ['share', 'upload', 'favourite'] as const) await db.deleteFrom(table).execute()
  for (const { id } of await jsonIn<{ id: number }[]>(admin('/api/grants')))
    await admin(`/api/grants/${id}`, { method: 'DELETE' })
  for (const path of [join(server.root, 'users'), join(folder, 'album'), join(folder, 'open')])
    rmSync(path, { recursive: true, force: true })
  server.put({ 'users/ann/box/a.txt': 'A', 'users/ann/own.txt': 'own', 'users/bob/b.txt': 'B' })
  two.put({ 'album/sea.jpg': 'sea', 'album/deep/x.txt': 'x', 'open/y.txt': 'y' })
})

const share = async (ask: Ask, path: string) =>
  (await jsonIn<ShareLink>(ask(`/api/share${path}`, { method: 'POST', body: '{}' }))).hash
const shown = async (hash: string, rest = '') => {
  const response = await server.ask(`/api/public/dl/${hash}${rest}`)
  return response.status === 200 ? response.text() : response.status
}
const move = (ask: Ask, from: string, to: string) =>
  statusOf(ask(`/api/resources${from}?action=rename&destination=${encodeURIComponent(to)}`, { method: 'PATCH' }))
const pathsOf = async (ask: Ask) => (await jsonIn<ShareLink[]>(ask('/api/shares'))).map(({ path }) => path)
const favourites = async (ask: Ask) => (await jsonIn<Favourite[]>(ask('/api/favourites'))).map(({ path }) => path)

test('a link, an upload under way and a favourite follow their folder into another mount, and back', async () => {
  await two.grant(annSubject, `${photos}:/album`, everything)
  const hash = await share(ann, '/Home/box/a.txt')
  const tus = tusOf(ann)
  expect((await tus.create('/Home/box/up.bin', 6)).status).toBe(201)
  expect((await tus.append('/Home/box/up.bin', 0, 'one')).status).toBe(204)
  expect(await statusOf(ann('/api/favourites/Home/box', { method: 'PUT' }))).toBe(204)

  expect(await move(ann, '/Home/box', '/Photos/album/box')).toBe(200)
  expect(existsSync(join(server.root, 'users/ann/box'))).toBe(false)
  expect([await shown(hash), await pathsOf(ann)]).toEqual(['A', ['/Photos/album/box/a.txt']])
  await until(async () => (await favourites(ann))[0] === '/Photos/album/box')
  expect(await tus.offset('/Home/box/up.bin')).toBe(3)

  expect(await move(ann, '/Photos/album/box', '/Home/again')).toBe(200)
  expect([await shown(hash), await pathsOf(ann)]).toEqual(['A', ['/Home/again/a.txt']])
  await until(async () => (await favourites(ann))[0] === '/Home/again')
  expect((await tus.append('/Home/box/up.bin', 3, 'two')).status).toBe(204)
  expect(server.file('users/ann/again/up.bin')).toBe('onetwo')
})

test('an upload whose folder was moved into another mount becomes a file there', async () => {
  await two.grant(annSubject, `${photos}:/album`, everything)
  const tus = tusOf(ann)
  expect((await tus.create('/Home/box/up.bin', 6)).status).toBe(201)
  expect((await tus.append('/Home/box/up.bin', 0, 'one')).status).toBe(204)
  expect(await move(ann, '/Home/box', '/Photos/album/box')).toBe(200)
  expect((await tus.append('/Home/box/up.bin', 3, 'two')).status).toBe(204)
  expect(readFileSync(join(folder, 'album/box/up.bin'), 'utf8')).toBe('onetwo')
})

test('an upload whose folder was moved to where its sender has nothing is gone for the sender, who can begin anew', async () => {
  const tus = tusOf(ann)
  expect((await tus.create('/Home/box/up.bin', 6)).status).toBe(201)
  expect((await tus.append('/Home/box/up.bin', 0, 'one')).status).toBe(204)
  await two.grant(`user:${await idOf('admin')}`, `${photos}:/`, everything)
  expect(await move(admin, '/Files/users/ann/box', '/Photos/album/box')).toBe(200)
  expect(await tus.offset('/Home/box/up.bin')).toBe('status 404')
  expect((await tus.append('/Home/box/up.bin', 3, 'two')).status).toBe(404)
  server.put({ 'users/ann/box/': '' })
  expect((await tus.create('/Home/box/up.bin', 6)).status).toBe(201)
  expect(await tus.offset('/Home/box/up.bin')).toBe(0)
  expect((await tus.append('/Home/box/up.bin', 0, 'second')).status).toBe(204)
  expect(server.file('users/ann/box/up.bin')).toBe('second')
  expect(existsSync(join(folder, 'album/box/up.bin'))).toBe(false)
})

test('a link ends when its file is moved to where its owner has nothing', async () => {
  const hash = await share(ann, '/Home/own.txt')
  await two.grant(`user:${await idOf('admin')}`, `${photos}:/`, everything)
  expect(await move(admin, '/Files/users/ann/own.txt', '/Photos/own.txt')).toBe(200)
  expect([await shown(hash), await pathsOf(ann)]).toEqual([404, []])
  expect(await move(admin, '/Photos/own.txt', '/Files/users/ann/own.txt')).toBe(200)
  expect(await shown(hash)).toBe(404)
})

test('a link closes at once when its owner loses the right to share or to see, and opens when it is given back', async () => {
  let grant = await two.grant(annSubject, `${photos}:/album`, everything)
  const hash = await share(ann, '/Photos/album')
  expect(await shown(hash, '/sea.jpg')).toBe('sea')

  await two.grant(annSubject, `${photos}:/album`, ['see', 'download'])
  expect(await shown(hash, '/sea.jpg')).toBe(403)
  await two.grant(annSubject, `${photos}:/album`, everything)
  expect(await shown(hash, '/sea.jpg')).toBe('sea')

  await two.revoke(grant)
  expect(await shown(hash, '/sea.jpg')).toBe(404)
  expect((await jsonIn<ShareLink[]>(ann('/api/shares'))).map(({ hash: listed }) => listed)).toEqual([hash])
  grant = await two.grant('everybody', `${photos}:/`, everything)
  expect(await shown(hash, '/sea.jpg')).toBe('sea')
})

test('a link shows nothing of what its owner may not download', async () => {
  await two.grant(annSubject, `${photos}:/album`, everything)
  const hash = await share(ann, '/Photos/album')
  await two.grant(annSubject, `${photos}:/album/deep`, ['see'])
  const names = async () =>
    (await jsonIn<{ items: { name: string }[] }>(server.ask(`/api/public/share/${hash}`))).items.map(({ name }) => name)
  expect(await names()).toEqual(['sea.jpg'])
  expect([await shown(hash, '/deep/x.txt'), await shown(hash, '/deep')]).toEqual([403, 403])
  expect(await (await server.ask(`/api/public/dl/${hash}?algo=tar`)).text()).not.toContain('x.txt')
})

test('a link needs the rights to share and to download, and the top of several mounts cannot be shared', async () => {
  const post = (path: string) => statusOf(ann(`/api/share${path}`, { method: 'POST', body: '{}' }))
  const grant = await two.grant(annSubject, `${photos}:/album`, ['see', 'download', 'create', 'change', 'delete'])
  expect(await post('/Photos/album/sea.jpg')).toBe(403)
  await two.grant(annSubject, `${photos}:/album`, ['share'])
  expect(await post('/Photos/album/sea.jpg')).toBe(200)
  expect(await post('/')).toBe(403)
  expect(await post('/Nothing')).toBe(404)
  await two.revoke(grant)
  expect(await post('/Photos/album/sea.jpg')).toBe(404)
})

test('links are told by the paths of their owner, and found by where they lie', async () => {
  await two.grant(annSubject, `${photos}:/`, everything)
  await two.grant(`user:${await idOf('admin')}`, `${photos}:/`, everything)
  const [home, sea, root] = [
    await share(ann, '/Home/own.txt'),
    await share(ann, '/Photos/album'),
    await share(ann, '/Photos'),
  ]
  expect((await pathsOf(ann)).toSorted()).toEqual(['/Home/own.txt', '/Photos', '/Photos/album'])
  expect((await pathsOf(admin)).toSorted()).toEqual(['/Home/own.txt', '/Photos', '/Photos/album'])
  const hashesAt = async (ask: Ask, path: string) =>
    (await jsonIn<ShareLink[]>(ask(`/api/share${path}`))).map(({ hash }) => hash)
  expect(await hashesAt(admin, '/Files/users/ann/own.txt')).toEqual([home])
  expect(await hashesAt(ann, '/Photos/album')).toEqual([sea])
  expect([await hashesAt(ann, '/'), await hashesAt(bob, '/Photos/album')]).toEqual([[], []])
  const names = (path: string) => jsonIn<string[]>(ann(`/api/shared${path}`))
  expect([await names('/'), await names('/Photos/'), await names('/Home/')]).toEqual([
    ['Photos'],
    ['album'],
    ['own.txt'],
  ])
  expect(await shown(root, '/album/sea.jpg')).toBe('sea')
})

test('a favourite that its user does not see any more is left out, and is there again with the right', async () => {
  const grant = await two.grant(annSubject, `${photos}:/album`, ['see'])
  for (const path of ['/Home/box', '/Photos/album/deep'])
    expect(await statusOf(ann(`/api/favourites${path}`, { method: 'PUT' }))).toBe(204)
  expect((await favourites(ann)).toSorted()).toEqual(['/Home/box', '/Photos/album/deep'])
  await two.revoke(grant)
  expect(await favourites(ann)).toEqual(['/Home/box'])
  await two.grant('everybody', `${photos}:/album`, ['see'])
  expect((await favourites(ann)).toSorted()).toEqual(['/Home/box', '/Photos/album/deep'])
})

test('a letter box takes uploads in parts, tells their sender that they arrived, and replaces nothing', async () => {
  await two.grant(annSubject, `${photos}:/open`, ['create'])
  const tus = tusOf(ann)
  expect((await tus.create('/Photos/open/letter.bin', 6)).status).toBe(201)
  expect((await tus.append('/Photos/open/letter.bin', 0, 'one')).status).toBe(204)
  expect(await tus.offset('/Photos/open/letter.bin')).toBe(3)
  expect((await tus.append('/Photos/open/letter.bin', 3, 'two')).status).toBe(204)
  expect(readFileSync(join(folder, 'open/letter.bin'), 'utf8')).toBe('onetwo')
  expect(await tus.offset('/Photos/open/letter.bin')).toBe(6)

  for (const override of ['false', 'true'])
    expect(
      (
        await ann(`/api/tus/Photos/open/y.txt?override=${override}`, {
          method: 'POST',
          headers: { 'upload-length': '3' },
        })
      ).status,
    ).toBe(override === 'true' ? 403 : 409)
  expect(await statusOf(ann('/api/resources/Photos/open/y.txt?override=true', { method: 'POST', body: 'z' }))).toBe(403)
  expect(readFileSync(join(folder, 'open/y.txt'), 'utf8')).toBe('y')
  expect(await statusOf(ann('/api/raw/Photos/open/letter.bin'))).toBe(403)
})

test('with the right to change alone a file is replaced, and none is made', async () => {
  await two.grant(annSubject, `${photos}:/open`, ['see', 'change'])
  const post = (path: string) =>
    statusOf(ann(`/api/resources/Photos/open/${path}?override=true`, { method: 'POST', body: 'new' }))
  expect(await post('y.txt')).toBe(200)
  expect(await post('none.txt')).toBeGreaterThanOrEqual(400)
  expect(readFileSync(join(folder, 'open/y.txt'), 'utf8')).toBe('new')
  expect(existsSync(join(folder, 'open/none.txt'))).toBe(false)
})

test('a removal that grants refuse never shuts the links of others', async () => {
  const all = await two.grant('everybody', `${photos}:/`, ['see', 'download', 'share'])
  const hash = await share(bob, '/Photos/album')
  const { db } = server.app.deps
  const before = await db.selectFrom('share').selectAll().execute()
  expect(await statusOf(ann('/api/resources/Photos/album', { method: 'DELETE' }))).toBe(403)
  expect(await move(ann, '/Photos/album', '/Home/mine')).toBe(403)
  await two.grant(annSubject, `${photos}:/`, everything)
  expect(await statusOf(ann('/api/resources/Photos', { method: 'DELETE' }))).toBe(403)
  expect(await move(ann, '/Photos', '/Home/mine')).toBe(403)
  expect(await db.selectFrom('share').selectAll().execute()).toEqual(before)
  expect(await shown(hash, '/sea.jpg')).toBe('sea')
  await two.revoke(all)
})

test('a folder is not moved into itself by the other name of a home', async () => {
  await two.grant(annSubject, '/', everything)
  expect(await move(ann, '/Files/users', '/Home/users')).toBe(400)
  expect(await move(ann, '/Files/users/ann/box', '/Home/moved')).toBe(200)
  expect(server.file('users/ann/moved/a.txt')).toBe('A')
})
