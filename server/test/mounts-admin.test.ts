import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant, Mount } from '@filestead/contract'
import { transaction } from '../src/database/port.ts'
import { removeMount } from '../src/mounting/mounts.ts'
import { usualHistory } from '../src/mounts/history.ts'
import { locationIn } from '../src/mounts/location.ts'
import { isThere } from '../src/mounts/resolved.ts'
import { insertMount } from '../src/mounts/store.ts'
import { rootPath } from '../src/storage/path.ts'
import { jsonIn } from './answers.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'
import { tusOf } from './tus.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-mounts-')))
const server = await startServer({ mountable: [folder] })
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})
await server.addUser('boss', { isAdmin: true })
await server.addUser('ann', { scope: '/home/ann' })
await server.addUser('deputy', { scope: '/home/deputy', isAdmin: true })
const [boss, ann, deputy] = [await server.as('boss'), await server.as('ann'), await server.as('deputy')]
const annId = 2

const send = (method: string, path: string, body?: unknown) =>
  boss(path, { method, body: body === undefined ? null : JSON.stringify(body) })
const mounts = (ask: Ask = boss) => jsonIn<Mount[]>(ask('/api/mounts'))
const folderNamed = (name: string) => {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  return path
}
const added = (name: string, more: object = {}) =>
  jsonIn<Mount>(send('POST', '/api/mounts', { name, folder: folderNamed(name), ...more }))
const grant = (mount: number, rights: string[], path = '/') =>
  jsonIn<Grant>(send('POST', '/api/grants', { subject: `user:${annId}`, mount, folder: path, rights }))

afterEach(async () => {
  for (const { id } of await mounts()) if (id !== 1) await send('DELETE', `/api/mounts/${id}`)
})

test('one mount alone is told with the path /, and its folder only to administrators', async () => {
  const facts = { id: 1, name: 'Files', path: '/', isHome: true, isAway: false, readOnly: false }
  const files = { ...facts, hasTrash: false, hasVersions: false }
  const known = {
    history: { ...usualHistory, trash: 'off', versions: false } as const,
    folder: server.root,
    links: 'inside' as const,
    isFixed: false,
    subjects: 0,
  }
  expect(await mounts()).toEqual([{ ...files, ...known, base: '/' }])
  expect(await mounts(ann)).toEqual([files])
  expect(await mounts(deputy)).toEqual([{ ...files, ...known, base: '/home/deputy' }])
})

test('a second mount is added, seen by a grant alone, changed, and removed without a file being touched', async () => {
  const photos = await added('Photos', { readOnly: true })
  writeFileSync(join(folder, 'Photos/sea.jpg'), 'sea')
  expect(photos).toMatchObject({ name: 'Photos', isAway: false, readOnly: true, links: 'inside', isFixed: false })
  expect((await mounts()).map(({ id, path }) => [id, path])).toEqual([
    [1, '/Files'],
    [photos.id, undefined],
  ])
  expect((await mounts(ann)).map(({ name, path, isHome }) => [name, path, isHome])).toEqual([['Home', '/Home', true]])
  expect((await mounts(deputy)).map(({ name, path, base, folder: at }) => [name, path, base, at])).toEqual([
    ['Home', '/Home', '/home/deputy', undefined],
    ['Files', undefined, undefined, server.root],
    ['Photos', undefined, undefined, join(folder, 'Photos')],
  ])

  await grant(photos.id, ['download'])
  expect((await mounts(ann)).map(({ name, path, folder: at }) => [name, path, at])).toEqual([
    ['Home', '/Home', undefined],
    ['Photos', '/Photos', undefined],
  ])
  expect((await mounts()).find(({ id }) => id === photos.id)?.subjects).toBe(1)
  expect(await (await ann('/api/raw/Photos/sea.jpg')).text()).toBe('sea')

  const renamed = await send('PUT', `/api/mounts/${photos.id}`, { name: 'Pictures', links: 'outside' })
  expect(await renamed.json()).toMatchObject({ id: photos.id, name: 'Pictures', links: 'outside', readOnly: false })
  expect((await ann('/api/raw/Pictures/sea.jpg')).status).toBe(200)
  expect((await ann('/api/raw/Photos/sea.jpg')).status).toBe(404)

  expect((await send('DELETE', `/api/mounts/${photos.id}`)).status).toBe(204)
  expect(existsSync(join(folder, 'Photos/sea.jpg'))).toBe(true)
  expect(await jsonIn<Grant[]>(boss('/api/grants'))).toEqual([])
  expect((await mounts(ann)).map(({ path }) => path)).toEqual(['/'])
  const next = await added('Photos')
  expect(next.id).toBeGreaterThan(photos.id)
})

test('links, favourites and unfinished uploads in a mount end with it, and those elsewhere stay', async () => {
  const { db } = server.app.deps
  const photos = await added('Photos')
  mkdirSync(join(folder, 'Photos/sea'))
  server.put({ 'own/a.txt': 'a' })
  await jsonIn<Grant>(
    send('POST', '/api/grants', { subject: 'user:1', mount: photos.id, folder: '/', rights: ['share', 'create'] }),
  )
  for (const path of ['/Photos/sea', '/Files/own']) {
    expect((await boss(`/api/share${path}`, { method: 'POST', body: '{}' })).status).toBe(200)
    expect((await boss(`/api/favourites${path}`, { method: 'PUT' })).status).toBe(204)
    expect((await tusOf(boss).create(`${path}/film.mp4`, 100_000)).status).toBe(201)
  }
  const rows = async () => [
    (await db.selectFrom('share').select('location').execute()).map(({ location }) => location),
    (await db.selectFrom('favourite').select('location').execute()).map(({ location }) => location),
    (await db.selectFrom('upload').select('location').execute()).map(({ location }) => location),
  ]
  expect((await rows()).map(({ length }) => length)).toEqual([2, 2, 2])
  expect(readdirSync(join(folder, 'Photos/sea'))).toHaveLength(1)
  expect((await send('DELETE', `/api/mounts/${photos.id}`)).status).toBe(204)
  expect(await rows()).toEqual([['/own'], ['/own'], ['/own/film.mp4']])
  expect(readdirSync(join(folder, 'Photos/sea'))).toEqual([])
})

test('the first mount gets a name and becomes read-only, but keeps its folder and cannot be removed', async () => {
  const renamed = await send('PUT', '/api/mounts/1', { name: 'Documents', readOnly: true })
  expect([renamed.status, await renamed.json()]).toEqual([
    200,
    expect.objectContaining({ name: 'Documents', readOnly: true, folder: server.root }),
  ])
  expect((await boss('/api/resources/new/', { method: 'POST' })).status).toBe(403)
  expect((await send('PUT', '/api/mounts/1', { name: 'Files', folder: server.root })).status).toBe(200)
  expect((await send('PUT', '/api/mounts/1', { name: 'Files', folder })).status).toBe(400)
  expect((await send('DELETE', '/api/mounts/1')).status).toBe(400)
  expect((await mounts()).map(({ name }) => name)).toEqual(['Files'])
})

test('a name that is taken, that of a home or no name of a folder is refused', async () => {
  await added('Photos')
  const other = folderNamed('other')
  for (const [name, status] of [
    ['photos', 409],
    ['FILES', 409],
    ['home', 400],
    ['Home', 400],
    [' ', 400],
    ['a/b', 400],
    ['..', 400],
    ['.', 400],
    ['a\u202eb', 400],
    ['.filestead-draft-x', 400],
  ] as const)
    expect([name, (await send('POST', '/api/mounts', { name, folder: other })).status]).toEqual([name, status])
  expect((await send('POST', '/api/mounts', { name: 'Relative', folder: 'srv' })).status).toBe(400)
  expect((await send('PUT', '/api/mounts/99', { name: 'Nothing' })).status).toBe(404)
  expect((await send('DELETE', '/api/mounts/99')).status).toBe(404)
  expect(await mounts()).toHaveLength(2)
})

test('a mount of a config file is shown as fixed and not edited', async () => {
  const { db } = server.app.deps
  const row = { id: 700, name: 'Fixed', folder: folderNamed('fixed'), links: 'inside', read_only: 0, source: 'config' }
  await db.insertInto('mount').values(row).execute()
  await added('Photos')
  expect((await mounts()).find(({ id }) => id === 700)?.isFixed).toBe(true)
  expect((await send('PUT', '/api/mounts/700', { name: 'Other' })).status).toBe(400)
  await grant(700, ['create'])
  const tus = tusOf(ann)
  expect((await tus.create('/Fixed/film.mp4', 6)).status).toBe(201)
  expect((await tus.append('/Fixed/film.mp4', 0, 'one')).status).toBe(204)
  expect((await send('DELETE', '/api/mounts/700')).status).toBe(400)
  // Refused, it has taken nothing of an upload that is under way.
  expect(await tus.offset('/Fixed/film.mp4')).toBe(3)
  await db.deleteFrom('mount').where('id', '=', 700).execute()
})

test('mounts that are added at once with one name are one mount', async () => {
  folderNamed('race')
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => send('POST', '/api/mounts', { name: 'Race', folder: join(folder, 'race') })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(await mounts()).toHaveLength(2)
})

test('grants that left their place are forgotten with the root folder, and with the person', async () => {
  const { db } = server.app.deps
  const former = async () =>
    (await db.selectFrom('former_grant').select(['subject', 'location']).execute()).map((row) => Object.values(row))
  await server.addUser('eve')
  const eveId = 4
  const [one, two] = [await added('One'), await added('Two')]
  for (const { id, name } of [one, two]) {
    mkdirSync(join(folder, name, 'box'))
    await grant(id, ['see'], '/box')
    await send('POST', '/api/grants', { subject: `user:${eveId}`, mount: id, folder: '/box', rights: ['see'] })
    const all = ['see', 'download', 'create', 'change', 'delete']
    await send('POST', '/api/grants', { subject: 'user:1', mount: id, folder: '/', rights: all })
    const moved = await boss(`/api/resources/${name}/box?action=rename&destination=/${name}/crate`, { method: 'PATCH' })
    expect(moved.status).toBe(200)
  }
  const at = (id: number) => `${id}:/box`
  expect(await former()).toEqual(
    expect.arrayContaining([
      [`user:${annId}`, at(one.id)],
      [`user:${eveId}`, at(two.id)],
    ]),
  )
  await send('DELETE', `/api/mounts/${one.id}`)
  expect((await former()).map(([, location]) => location)).not.toContain(at(one.id))
  expect((await former()).map(([subject]) => subject)).toContain(`user:${eveId}`)
  const body = JSON.stringify({ current_password: 'correct horse battery' })
  expect((await boss(`/api/users/${eveId}`, { method: 'DELETE', body })).status).toBe(200)
  expect(await former()).toEqual([[`user:${annId}`, at(two.id)]])
})

test('in a root folder that is removed there is nothing, and one whose disk is away says so', async () => {
  const { mounts } = server.app.deps
  const [gone, away] = [await added('Gone'), await added('Away')]
  expect((await send('DELETE', `/api/mounts/${gone.id}`)).status).toBe(204)
  rmSync(join(folder, 'Away'), { recursive: true })
  await mounts.all()
  const codeAt = (id: number) => isThere(mounts.storageAt, locationIn(id, rootPath)).catch(({ code }) => code)
  expect(await codeAt(gone.id)).toBe(false)
  await until(async () => (await codeAt(away.id)) === 'unavailable')
  expect(await codeAt(gone.id + 100)).toBe('unavailable')
})

test('what a dead server was moving into a mount that is removed since can be moved', async () => {
  const { db } = server.app.deps
  const { id } = await added('Photos')
  server.put({ 'moving/a.txt': 'a' })
  await grant(1, ['see'], '/moving')
  const ends = { from: '/moving', to: `${id}:/moving` }
  const notes = JSON.stringify({ grants: { moves: [{ ...ends, first: 1000, count: 1, met: [] }] } })
  const begun = { id: Bun.randomUUIDv7(), node: 'dead', kind: 'move', user_id: 1, username: 'boss', door: 'web' }
  const located = { from_location: ends.from, to_location: ends.to, size: null, notes, began_at: 0 }
  await db
    .insertInto('change')
    .values({ ...begun, ...located })
    .execute()
  const move = (from: string, to: string) =>
    boss(`/api/resources${from}?action=rename&destination=${encodeURIComponent(to)}`, { method: 'PATCH' })
  expect((await move('/Files/moving', '/Files/moved')).status).toBe(423)
  expect((await send('DELETE', `/api/mounts/${id}`)).status).toBe(204)
  expect((await move('/moving', '/moved')).status).toBe(200)
})

test('what a dead server was moving into a mount by a symlink can be moved once that is removed, whoever knew it', async () => {
  const { db } = server.app.deps
  server.put({ 'linked/a.txt': 'a' })
  await grant(1, ['see'], '/linked')
  const facts = { links: 'inside', readOnly: false, source: 'stored' } as const
  const id = await transaction(db, 'serializable', (trx) => insertMount(trx, { ...facts, name: 'Linked', folder }))
  const moves = [{ from: '/linked', to: `${id}:/linked`, first: 1000, count: 1, met: [] }]
  const begun = { id: Bun.randomUUIDv7(), node: 'dead', kind: 'move', user_id: 1, username: 'boss', door: 'web' }
  const located = { from_location: '/linked', to_location: '/link/linked', size: null, began_at: 0 }
  await db
    .insertInto('change')
    .values({ ...begun, ...located, notes: JSON.stringify({ grants: { moves } }) })
    .execute()
  await removeMount({ db, dropDrafts: async () => {} }, id)
  const move = () => boss('/api/resources/linked?action=rename&destination=%2Fmoved-on', { method: 'PATCH' })
  expect((await move()).status).toBe(423)
  await server.app.tidy()
  expect((await move()).status).toBe(200)
})
