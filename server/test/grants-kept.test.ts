import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Favourite, Grant } from '@filestead/contract'
import type { Change, Result } from '../src/changes/change.ts'
import type { Follower } from '../src/changes/follower.ts'
import { favouriteFollower } from '../src/favourites/follow.ts'
import { grantFollower } from '../src/grants/follow.ts'
import { parseLocation } from '../src/mounts/location.ts'
import { storeNames } from '../src/storage/store-names.ts'
import { jsonIn } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('boss', { isAdmin: true })
await server.addUser('ann', { scope: '/home/ann' })
const boss = await server.as('boss')
const { db, storageAt } = server.app.deps
const ann = 'user:2'
const place = `/${storeNames.trash}/files/a.0198c2b0-1111-7000-8000-000000000000`

const grant = (folder: string, rights: string[]) =>
  jsonIn<Grant>(
    boss('/api/grants', { method: 'POST', body: JSON.stringify({ subject: ann, mount: 1, folder, rights }) }),
  )
/** As they are stored, also those in a store. */
const grants = async () => {
  const rows = await db.selectFrom('grant').select(['location', 'rights']).orderBy('location').execute()
  return rows.map(({ location, rights }) => `${location} ${rights}`)
}
const shown = async () => (await jsonIn<Grant[]>(boss('/api/grants'))).map(({ folder }) => folder)

const actor = { id: 1, name: 'boss' }
const removal: Change = { kind: 'remove', actor, door: 'web', from: parseLocation('/a'), to: parseLocation(place) }
const restoreTo = (path: string): Change => ({
  kind: 'restore',
  actor,
  door: 'web',
  from: parseLocation(place),
  to: parseLocation(path),
})

function move(from: string, to: string): void {
  mkdirSync(dirname(join(server.root, to)), { recursive: true })
  renameSync(join(server.root, from), join(server.root, to))
}

/** As the journal does it. */
async function follow(follower: Follower, change: Change, work: () => void, result: Result = 'done') {
  const prepared = await follower.prepare(change)
  await db.transaction().execute(async (trx) => prepared?.mark?.(trx, 'change'))
  work()
  const write = await prepared?.conclude(result, { id: 'change', isStored: true })
  await db.transaction().execute(async (trx) => write?.(trx))
}

/** What the next start does about a change whose server died. */
async function recover(follower: Follower, change: Change, work: () => void) {
  const prepared = await follower.prepare(change)
  await db.transaction().execute(async (trx) => prepared?.mark?.(trx, 'dead'))
  work()
  const notes = JSON.parse(JSON.stringify(prepared?.notes))
  for (let times = 0; times < 2; times += 1) {
    const write = await follower.recover(change, notes, 'dead')
    await db.transaction().execute(async (trx) => write?.(trx))
  }
}

const grantsFollow = grantFollower({ db, storageAt })

beforeEach(async () => {
  await db.deleteFrom('grant').execute()
  await db.deleteFrom('favourite').execute()
  for (const name of ['a', 'b', storeNames.trash]) rmSync(join(server.root, name), { recursive: true, force: true })
  server.put({ 'a/deep/in.txt': 'x' })
})

test('grants go into the store with their folder, show nowhere, and come back with it', async () => {
  await grant('/a', ['see'])
  await grant('/a/deep', [])
  const [atTop, deep] = await grants()
  await follow(grantsFollow, removal, () => move('/a', place))
  expect(await grants()).toEqual([`${place} ${atTop?.slice(3)}`, `${place}/deep 0`])
  expect(await shown()).toEqual([])
  await follow(grantsFollow, restoreTo('/b/a'), () => move(place, '/b/a'))
  expect(await grants()).toEqual([`/b/a ${atTop?.slice(3)}`, `/b${deep}`])
})

test('a grant that is kept opens no tree, and takes no right away beside it', async () => {
  await grant('/a', ['see'])
  const listing = async () => jsonIn(server.as('ann').then((asAnn) => asAnn('/api/resources/')))
  expect(JSON.stringify(await listing())).toContain('"Files"')
  await follow(grantsFollow, removal, () => move('/a', place))
  await db
    .updateTable('counter')
    .set((is) => ({ value: is('value', '+', 1) }))
    .where('name', '=', 'access')
    .execute()
  expect(JSON.stringify(await listing())).not.toContain('"Files"')
})

test('a removal that fails leaves the grants where they were', async () => {
  await grant('/a', ['see'])
  const before = await grants()
  await follow(grantsFollow, removal, () => {}, 'failed')
  expect(await grants()).toEqual(before)
})

test('a removal goes on where no intent could be stored, and the grants go along in the end', async () => {
  await grant('/a/deep', [])
  const prepared = await grantsFollow.prepare(removal)
  expect(prepared?.intent).toBe('wanted')
  move('/a', place)
  const write = await prepared?.conclude('done', { id: 'change', isStored: false })
  await db.transaction().execute(async (trx) => write?.(trx))
  expect(await grants()).toEqual([`${place}/deep 0`])
})

test('grants end with a folder that is not kept', async () => {
  await grant('/a/deep', [])
  const { to: _to, ...forGood } = removal
  await follow(grantsFollow, forGood, () => rmSync(join(server.root, 'a'), { recursive: true }))
  expect(await grants()).toEqual([])
})

test('a restored folder with grants is not merged with another one', async () => {
  await grant('/a/deep', [])
  await follow(grantsFollow, removal, () => move('/a', place))
  server.put({ 'a/new.txt': 'y' })
  const refusal = await grantsFollow.prepare(restoreTo('/a')).catch(({ code }) => code)
  expect(refusal).toBe('already-exists')
})

test('a removal is not refused for what stands in its place in the store', async () => {
  await grant('/a/deep', [])
  mkdirSync(join(server.root, place), { recursive: true })
  expect((await grantsFollow.prepare(removal))?.intent).toBe('wanted')
})

test('a server that died before the rename of a removal leaves the grants with the folder', async () => {
  await grant('/a', ['see'])
  const before = await grants()
  await recover(grantsFollow, removal, () => {})
  expect(await grants()).toEqual(before)
})

test.each([
  ['', () => {}],
  [', also where a new folder has the name by then', () => server.put({ 'a/deep/other.txt': 'y' })],
])('a server that died after the rename of a removal leaves the grants in the store%s', async (_, since) => {
  await grant('/a/deep', [])
  await recover(grantsFollow, removal, () => {
    move('/a', place)
    since()
  })
  expect(await grants()).toEqual([`${place}/deep 0`])
})

test('a server that died in a removal ends the grants of what was purged since', async () => {
  await grant('/a/deep', [])
  await recover(grantsFollow, removal, () => rmSync(join(server.root, 'a'), { recursive: true }))
  expect(await grants()).toEqual([])
})

test.each([
  ['before', false],
  ['after', true],
])('a server that died %s the rename of a restore leaves the grants with the folder', async (_when, isMoved) => {
  await grant('/a/deep', [])
  await follow(grantsFollow, removal, () => move('/a', place))
  await recover(grantsFollow, restoreTo('/a'), () => {
    if (isMoved) move(place, '/a')
  })
  expect(await grants()).toEqual([isMoved ? '/a/deep 0' : `${place}/deep 0`])
})

test('favourites go into the store with their folder, show nowhere, and come back with it', async () => {
  const favourites = favouriteFollower({ db, storageAt })
  await boss('/api/favourites/a/deep', { method: 'PUT' })
  const listed = async () => (await jsonIn<Favourite[]>(boss('/api/favourites'))).map(({ path }) => path)
  expect(await listed()).toEqual(['/a/deep'])
  await follow(favourites, removal, () => move('/a', place))
  expect(await listed()).toEqual([])
  await follow(favourites, restoreTo('/b'), () => move(place, '/b'))
  expect(await listed()).toEqual(['/b/deep'])
})
