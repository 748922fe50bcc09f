import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import type { Database } from '../database/schema.ts'
import { favouriteFollower } from '../favourites/follow.ts'
import { insertFavourite } from '../favourites/store.ts'
import { parseLocation } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { uploadFollower } from '../uploads/follow.ts'
import { heldUploads } from '../uploads/held.ts'
import { uploadStore } from '../uploads/store.ts'
import { createUser } from '../users/users.ts'
import type { Change } from './change.ts'
import { journalIn } from './journal.ts'

let db: Kysely<Database>
let storage: Storage
let dead: Set<string | null>
const [a, b, c, inside] = ['/p/a', '/b', '/c', '/p/a/in']

beforeEach(async () => {
  db = await testDatabase()
  storage = memoryStorage()
  dead = new Set()
  await storage.createFolder(parsePath(a))
  const location = parseLocation(inside)
  const ann = User.parse({ username: 'ann', scope: '/' })
  const clock = { unixSeconds: () => 0 }
  const { id: userId } = await createUser({ db, clock }, Settings.parse({}), ann, { readyHash: 'none' })
  await insertFavourite(db, { userId, location }, 0)
  await uploadStore(db).insert({
    ...{ id: 'up', userId, location, place: location, length: 1, override: false, mayRewind: false },
    ...{ expiresAt: 9_999_999_999, modified: undefined, trusted: undefined, metadata: undefined, node: undefined },
    ...{ synced: undefined, kernel: undefined },
  })
})
afterEach(() => db.destroy())

/** One of several servers over the same folders. */
function server(id = Bun.randomUUIDv7()) {
  const deps = { db, store: uploadStore(db), storageAt: () => storage }
  const followers = [favouriteFollower(deps), uploadFollower({ ...deps, held: heldUploads({ ...deps, most: 0 }) })]
  const node = { id, isAlive: (other: string | null) => !dead.has(other) }
  return journalIn({ db, clock: { unixSeconds: () => 0 }, node, log: { warn() {} }, followers, retryAfter: 5 })
}

const moving = (from: string, to: string): Change => ({
  ...{ kind: 'move', actor: { id: 1, name: 'ann' }, door: 'web' },
  ...{ from: parseLocation(from), to: parseLocation(to) },
})
const rename = (from: string, to: string) => storage.rename(parsePath(from), parsePath(to), { replace: false })

/** Where the favourite and the draft are, by their rows. */
const places = async (): Promise<string[]> => [
  ...(await db.selectFrom('favourite').select('location').execute()).map(({ location }) => location),
  ...(await db.selectFrom('upload').select('place').execute()).map(({ place }) => place),
]

const others: [string, string, string][] = [
  ['it is moved', a, c],
  ['the folder around is moved', '/p', c],
]

test.each(others)(
  'favourites and uploads go with a folder whose place another one takes, when %s first',
  async (_, from, to) => {
    await server().record(moving(a, b), async () => {
      await rename(a, b)
      await storage.createFolder(parsePath(a))
      await server().record(moving(from, to), () => rename(from, to))
      expect(await places()).toEqual([inside, inside])
    })
    expect(await places()).toEqual([`${b}/in`, `${b}/in`])
  },
)

test.each(others)(
  'favourites and uploads stay with a folder whose place another one takes, when %s last',
  async (_, from, to) => {
    const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let other: Promise<void> | undefined
    await server().record(moving(a, b), async () => {
      await rename(a, b)
      await storage.createFolder(parsePath(a))
      other = server().record(moving(from, to), async () => {
        await rename(from, to)
        begun.resolve()
        await stored.promise
      })
      await begun.promise
    })
    stored.resolve()
    await other
    expect(await places()).toEqual([`${b}/in`, `${b}/in`])
  },
)

test.each(['living', 'dead'])(
  'favourites and uploads go with a folder whose removal by a %s server came too late',
  async (state) => {
    const [begun, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { to: _, ...ends } = moving(a, b)
    const removal = server('remover').record({ ...ends, kind: 'remove' }, async () => {
      begun.resolve()
      await moved.promise
      await storage.remove(parsePath(a))
    })
    await begun.promise
    await server().record(moving(a, b), async () => {
      await rename(a, b)
      if (state === 'dead') {
        dead.add('remover')
        return server().recover()
      }
      moved.resolve()
      return removal.catch(() => {})
    })
    expect(await places()).toEqual([`${b}/in`, `${b}/in`])
  },
)

test('favourites and uploads go with their folder beside a change whose notes cannot be read', async () => {
  const broken = { id: '0', node: 'dead', kind: 'move', user_id: 1, username: 'ann', door: 'web' }
  const row = { ...broken, from_location: a, to_location: c, size: null, notes: '{', began_at: 0 }
  await db.insertInto('change').values(row).execute()
  await server().record(moving(a, b), () => rename(a, b))
  expect(await places()).toEqual([`${b}/in`, `${b}/in`])
})
