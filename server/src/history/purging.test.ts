import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { journalIn } from '../changes/journal.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { grantFollower } from '../grants/follow.ts'
import { grantsLike, putGrant } from '../grants/store.ts'
import { parseLocation } from '../mounts/location.ts'
import { keptPath, parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { storeNames } from '../storage/store-names.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { keptFollower } from './follow.ts'
import { purgeItem } from './purging.ts'
import { reconcile } from './reconcile.ts'
import { insertKept, type KeptItem, keptWithin } from './store.ts'

let db: Kysely<Database>
let storage: Storage
const place = keptPath(`/${storeNames.trash}/files/a.0198c2b0-1111-7000-8000-000000000000`)
const old = keptPath(`/${storeNames.versions}/files/old`)
const [a, root] = [parsePath('/a'), parseLocation('/')]
const storageAt = () => storage

const item: KeptItem = {
  ...{ id: 'a', mount: 1, store: 'trash', place, location: parseLocation(a), kind: 'folder', size: 1, modified: 0 },
  ...{ keptAt: 0, user: { id: 1, name: 'ann' }, door: 'web', by: 'remove', operation: undefined, isRestricted: false },
}

beforeEach(async () => {
  db = await testDatabase()
  storage = memoryStorage()
  for (const folder of [place, old]) await storage.createFolder(folder)
  const inside = { ...item, id: 'old', place: old, location: parseLocation(`${place}/in.txt`) }
  await insertKept(db, [item, { ...inside, store: 'versions' }])
  const location = parseLocation(place)
  await transaction(db, 'serializable', (trx) => putGrant(trx, { subject: 'everybody', location, rights: 0 }))
})
afterEach(() => db.destroy())

test.each([
  ['is just being ended for good', () => purgeItem({ db, storageAt }, item, { mayEnd: async () => false })],
  ['is found to be gone from the trash', () => reconcile({ db, storageAt }, 1, new AbortController().signal)],
])('a folder that is restored while it %s keeps its grants, and what was replaced in it its owner', async (_, work) => {
  const node = { id: Bun.randomUUIDv7(), isAlive: () => true }
  const followers = [grantFollower({ db, storageAt }), keptFollower({ db, storageAt, purgeSoon: () => {} })]
  const journal = journalIn({ db, clock: { unixSeconds: () => 0 }, node, log: { warn() {} }, followers })
  const [from, to] = [parseLocation(place), parseLocation(a)]
  await journal.record({ kind: 'restore', actor: { id: 1, name: 'ann' }, door: 'web', from, to }, async () => {
    await storage.rename(place, a, { replace: false })
    await work()
  })
  expect((await grantsLike(db)).map(({ location }) => location)).toEqual([to])
  const left = { id: 'old', location: parseLocation('/a/in.txt'), isRestricted: false, user: { id: 1, name: 'ann' } }
  expect(await keptWithin(db, root)).toMatchObject([left])
})
