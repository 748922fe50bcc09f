import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant, Mount } from '@filestead/contract'
import { deleteIntent, insertIntent } from '../src/changes/store.ts'
import { grantFollower } from '../src/grants/follow.ts'
import { parseLocation } from '../src/mounts/location.ts'
import { jsonIn } from './answers.ts'
import { startServer } from './server.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-follow-')))
const server = await startServer({ mountable: [folder] })
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})
await server.addUser('boss', { isAdmin: true })
await server.addUser('ann', { scope: '/home/ann' })
const boss = await server.as('boss')
const { db, storageAt } = server.app.deps
await server.addUser('bob', { scope: '/home/bob' })
const [ann, bob] = ['user:2', 'user:3']

const grant = (path: string, rights: string[], subject = ann, mount = 1) =>
  jsonIn<Grant>(boss('/api/grants', { method: 'POST', body: JSON.stringify({ subject, mount, folder: path, rights }) }))
const grants = async () =>
  (await jsonIn<Grant[]>(boss('/api/grants'))).map(({ subject, mount, folder: at, rights }) =>
    [subject, `${mount}:${at}`, rights.join(' ')].join(' '),
  )
const move = async (from: string, to: string, query = '') =>
  (await boss(`/api/resources${from}?action=rename&destination=${encodeURIComponent(to)}${query}`, { method: 'PATCH' }))
    .status

beforeEach(async () => {
  for (const { id } of await jsonIn<Grant[]>(boss('/api/grants'))) await boss(`/api/grants/${id}`, { method: 'DELETE' })
  for (const name of ['a', 'b', 'c', 'über', 'link']) rmSync(join(server.root, name), { recursive: true, force: true })
  server.put({ 'a/deep/in.txt': 'x', 'b/there.txt': 'y' })
})

test('grants follow a folder that is moved, with all that are in it and none beside it', async () => {
  await grant('/a', ['see'])
  await grant('/a/deep', [])
  await grant('/a/deep', ['create'], bob)
  await grant('/ab', ['see'])
  expect(await move('/a', '/b/a')).toBe(200)
  expect(await grants()).toEqual([
    `${ann} 1:/ab see`,
    `${ann} 1:/b/a see`,
    `${ann} 1:/b/a/deep `,
    `${bob} 1:/b/a/deep create`,
  ])
})

test('names whose characters JavaScript and the database count differently are followed', async () => {
  server.put({ 'über/😀 é/in.txt': 'x' })
  await grant('/über/😀 é', ['see'])
  expect(await move(`/${encodeURIComponent('über')}`, '/c/größer 😀')).toBe(200)
  expect(await grants()).toEqual([`${ann} 1:/c/größer 😀/😀 é see`])
})

test('grants end with a removed folder, and one that comes again has what its parent has', async () => {
  await grant('/', ['see'], bob)
  await grant('/a', [], bob)
  await grant('/a/deep', ['see'])
  expect((await boss('/api/resources/a', { method: 'DELETE' })).status).toBe(204)
  expect(await grants()).toEqual([`${bob} 1:/ see`])
})

test('a move that is refused leaves the grants as they are', async () => {
  server.put({ 'b/a/x.txt': 'x' })
  await grant('/a', ['see'])
  await grant('/a/deep', ['see', 'change'])
  await grant('/b/a', ['download', 'delete'])
  const before = await grants()
  expect(await move('/a', '/b/a')).toBe(409)
  expect(await grants()).toEqual(before)
})

test('where the same subject has a grant for a folder that is yet to come, only what both allow is left', async () => {
  await grant('/a', ['download', 'create'])
  await grant('/b/a', ['download', 'delete'])
  expect(await move('/a', '/b/a')).toBe(200)
  expect(await grants()).toEqual([`${ann} 1:/b/a see download`])
})

test('a folder with grants is not merged with another, which they would open', async () => {
  server.put({ 'b/a/x.txt': 'x' })
  await grant('/a/deep', ['download'])
  const before = await grants()
  expect(await move('/a', '/b/a', '&override=true')).toBe(409)
  expect([await grants(), server.file('a/deep/in.txt')]).toEqual([before, 'x'])
  expect(await move('/b/a', '/a', '&override=true')).toBe(200)
  expect([await grants(), server.file('a/x.txt')]).toEqual([before, 'x'])
})

test('a folder moved by way of a symlink takes the grants of its real place along', async () => {
  server.link('a', 'link')
  await grant('/a/deep', ['see'])
  expect(await move('/link/deep', '/c')).toBe(200)
  expect(await grants()).toEqual([`${ann} 1:/c see`])
})

test('grants follow into another root folder, and back', async () => {
  mkdirSync(join(folder, 'photos'), { recursive: true })
  const body = JSON.stringify({ name: 'Photos', folder: join(folder, 'photos') })
  const { id } = await jsonIn<Mount>(boss('/api/mounts', { method: 'POST', body }))
  await grant('/', ['see', 'download', 'create', 'change', 'delete'], 'user:1', id)
  await grant('/a', ['see'])
  await grant('/a/deep', [])
  expect(await move('/Files/a', '/Photos/a')).toBe(200)
  expect(await grants()).toEqual([
    `user:1 ${id}:/ see download create change delete`,
    `${ann} ${id}:/a see`,
    `${ann} ${id}:/a/deep `,
  ])
  expect(await move('/Photos/a', '/Files/a')).toBe(200)
  expect((await grants()).slice(0, 2)).toEqual([`${ann} 1:/a see`, `${ann} 1:/a/deep `])
  expect((await boss(`/api/mounts/${id}`, { method: 'DELETE' })).status).toBe(204)
})

test('99,000 grants follow a folder', async () => {
  await db.transaction().execute(async (trx) => {
    for (let part = 0; part < 99; part += 1) {
      const rows = Array.from({ length: 1000 }, (_, index) => {
        const id = 100_000 + part * 1000 + index
        return { id, subject: ann, location: `/a/deep/${id}`, rights: 1 }
      })
      await trx.insertInto('grant').values(rows).execute()
    }
    await trx.updateTable('counter').set({ value: 500_000 }).where('name', '=', 'grant').execute()
  })
  expect(await move('/a', '/c')).toBe(200)
  const { count } = await db
    .selectFrom('grant')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('location', '>=', '/c/deep/')
    .where('location', '<', '/c/deep0')
    .executeTakeFirstOrThrow()
  expect(count).toBe(99_000)
  await db.deleteFrom('grant').execute()
})

test.each([
  ['before the work', false, '/a'],
  ['after the work', true, '/c'],
])('a server that died %s of a move leaves the grants with the folder', async (_when, isMoved, place) => {
  await grant('/a', ['see'])
  await grant('/a/deep', [])
  const follower = grantFollower({ db, storageAt })
  const change = {
    kind: 'move' as const,
    actor: { id: 1, name: 'boss' },
    door: 'web' as const,
    from: parseLocation('/a'),
    to: parseLocation('/c'),
  }
  const prepared = await follower.prepare(change)
  await db.transaction().execute(async (trx) => {
    await insertIntent(trx, { id: 'dead', node: 'gone', change, notes: {} }, 0)
    await prepared?.mark?.(trx, 'dead')
  })
  // What the grants withhold is withheld at both ends meanwhile.
  expect(await grants()).toEqual([`${ann} 1:/a see`, `${ann} 1:/a/deep `, `${ann} 1:/c see`, `${ann} 1:/c/deep `])
  if (isMoved)
    await storageAt('/').rename(parseLocation('/a') as never, parseLocation('/c') as never, { replace: false })
  const notes = JSON.parse(JSON.stringify(prepared?.notes))
  for (let times = 0; times < 2; times += 1) {
    const write = await follower.recover(change, notes, 'dead')
    await db.transaction().execute(async (trx) => write?.(trx))
  }
  await db.transaction().execute((trx) => deleteIntent(trx, 'dead'))
  expect(await grants()).toEqual([`${ann} 1:${place} see`, `${ann} 1:${place}/deep `])
})
