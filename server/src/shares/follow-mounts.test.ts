import { afterEach, beforeEach, expect, test } from 'bun:test'
import { allRights, Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { accessTo, oneMount } from '../access/access.fixture.ts'
import type { AccessReader } from '../access/access.ts'
import { homeOf } from '../access/tree.ts'
import type { Change } from '../changes/change.ts'
import { journalIn } from '../changes/journal.ts'
import type { Database } from '../database/schema.ts'
import { type Location, parseLocation } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { createUser } from '../users/users.ts'
import { shareFollower } from './follow.ts'
import { insertShare, shareWithHash } from './store.ts'

let db: Kysely<Database>
let user: User
let mounts: { first: Storage; second: Storage; third: Storage }
const clock = { unixSeconds: () => 0 }
const [from, to] = [parseLocation('/a.txt'), parseLocation('2:/b.txt')]
const then = 1_700_000_000_123

beforeEach(async () => {
  db = await testDatabase()
  const wanted = User.parse({ username: 'ann', scope: '/', perm: { share: true, download: true } })
  user = await createUser({ db, clock }, Settings.parse({}), wanted, { readyHash: 'none' })
  mounts = { first: memoryStorage(), second: memoryStorage(), third: memoryStorage() }
  await write(mounts.first, '/a.txt', 'mine')
  await shareAt(from)
})
afterEach(() => db.destroy())

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
const write = (storage: Storage, path: string, text: string, modified = then) =>
  storage.write(parsePath(path), bytesOf(text), { precondition: 'any', modified })

const shareAt = (location: Location, hash = 'hash') =>
  insertShare(db, {
    ...{ link: { hash, userID: user.id, expire: 0, hasPassword: false }, location },
    ...{ passwordHash: '', isThroughSymlink: false },
  })

const storageAt = (base: string): Storage =>
  base.startsWith('3:') ? mounts.third : base.startsWith('2:') ? mounts.second : mounts.first

/** The owner has both mounts, or the home in the first one alone. */
const accessWith = (grants: readonly Location[], home = '/'): Pick<AccessReader, 'ofUser'> => ({
  ofUser: async () =>
    accessTo(mounts.first, {
      home: homeOf(home),
      mounts: [
        ...oneMount,
        ...[2, 3].map((id) => ({ ...(oneMount[0] as (typeof oneMount)[number]), id, name: `m${id}` })),
      ],
      grants: grants.map((location) => ({ location, rights: allRights })),
    }),
})

function serverNamed(name: string, access = accessWith([parseLocation('2:/')]), { isOneOfSeveral = false } = {}) {
  const node = { id: name, isAlive: (id: string | null) => id === name }
  const follower = shareFollower({ db, node, storageAt, access, isOneOfSeveral })
  return journalIn({ db, clock, node, log: { warn() {} }, followers: [follower], retryAfter: 5 })
}

const moving = (source = from, target = to): Change => ({
  ...{ kind: 'move', actor: { id: 1, name: 'ann' }, door: 'web', from: source, to: target },
})

/** As between two disks: a copy with the time of the original, which then goes. */
async function transfer(): Promise<void> {
  await write(mounts.second, '/b.txt', 'mine')
  await mounts.first.remove(parsePath('/a.txt'))
}

test.each([false, true])(
  'a link follows its file into another mount (one of several processes: %p)',
  async (isOneOfSeveral) => {
    await serverNamed('one', undefined, { isOneOfSeveral }).record(moving(), transfer)
    expect(await shareWithHash(db, 'hash')).toMatchObject({ location: to, isShut: false })
  },
)

test('of several processes, one that finds another file where its own went to ends the link', async () => {
  await serverNamed('one', undefined, { isOneOfSeveral: true }).record(moving(), async () => {
    await transfer()
    await write(mounts.second, '/b.txt', 'PRIVATE', then + 5)
  })
  expect(await shareWithHash(db, 'hash')).toBeUndefined()
})

test.each([
  ['before anything happened', async () => {}, from],
  ['when the copy was there and the original was not gone', () => write(mounts.second, '/b.txt', 'mine'), from],
  ['when the original was gone', transfer, to],
])('a link is found again after a crash in a move between mounts %s', async (_, work, expected) => {
  const begun = Promise.withResolvers<void>()
  void serverNamed('dead').record(moving(), async () => {
    await work()
    begun.resolve()
    await new Promise(() => {})
  })
  await begun.promise
  await serverNamed('next').recover()
  expect(await shareWithHash(db, 'hash')).toMatchObject({ location: expected, isShut: false })
})

test('a link ends after a crash when another file is where its own should have arrived', async () => {
  const begun = Promise.withResolvers<void>()
  void serverNamed('dead').record(moving(), async () => {
    await mounts.first.remove(parsePath('/a.txt'))
    await write(mounts.second, '/b.txt', 'other')
    begun.resolve()
    await new Promise(() => {})
  })
  await begun.promise
  await serverNamed('next').recover()
  expect(await shareWithHash(db, 'hash')).toBeUndefined()
})

test('a link goes along where the grant of its owner does, and ends where its owner has nothing', async () => {
  await mounts.second.createFolder(parsePath('/album'))
  const [album, inside] = [parseLocation('2:/album'), parseLocation('2:/album/x')]
  await write(mounts.second, '/album/x', 'x')
  await shareAt(inside, 'granted here')
  const byGrant = accessWith([album], '/home')
  await serverNamed('one', byGrant).record(moving(album, parseLocation('3:/album')), async () => {})
  expect(await shareWithHash(db, 'granted here')).toMatchObject({ location: parseLocation('3:/album/x') })

  await shareAt(inside, 'granted above')
  const byMount = accessWith([parseLocation('2:/')], '/home')
  await serverNamed('one', byMount).record(moving(album, parseLocation('3:/album')), async () => {})
  expect(await shareWithHash(db, 'granted above')).toBeUndefined()
})

test('a mount that does not answer keeps no change in another one from its links', async () => {
  const never = () => new Promise<never>(() => {})
  mounts.third = { ...mounts.third, stat: never, resolve: never }
  await db.updateTable('share').set({ through_link: 1 }).execute()
  await shareAt(parseLocation('3:/far'), 'far')
  await db.updateTable('share').set({ through_link: 1 }).where('hash', '=', 'far').execute()
  await serverNamed('one').record(moving(), transfer)
  expect(await shareWithHash(db, 'hash')).toMatchObject({ location: to })
  expect(await shareWithHash(db, 'far')).toMatchObject({ location: parseLocation('3:/far'), isShut: false })
})
