import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import { journalIn } from '../changes/journal.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { grantFollower } from '../grants/follow.ts'
import { putGrant } from '../grants/store.ts'
import { type Location, parseLocation } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { keptFollower } from './follow.ts'
import { insertKept, keptWithin } from './store.ts'

let db: Kysely<Database>
let storage: Storage
let purged: string[]
let dead: Set<string | null>
const [a, b, c] = ['/p/a', '/b', '/c']

beforeEach(async () => {
  db = await testDatabase()
  storage = memoryStorage()
  purged = []
  dead = new Set()
  await storage.createFolder(parsePath(a))
  await insertKept(db, [version('old', `${a}/in.txt`)])
})
afterEach(() => {
  setSystemTime()
  return db.destroy()
})

const version = (id: string, path: string) => ({
  ...{ id, mount: 1, store: 'versions' as const, place: parsePath(`/store/${id}`), location: parseLocation(path) },
  ...{ kind: 'file' as const, size: 1, modified: 0, keptAt: 0, user: undefined, door: 'web', by: 'save' as const },
  ...{ operation: undefined, isRestricted: false },
})

/** One of several servers over the same folders. */
function server(id = Bun.randomUUIDv7(), others: Follower[] = []) {
  const node = { id, isAlive: (id: string | null) => !dead.has(id) }
  const purgeSoon = (items: readonly { id: string }[]) => void purged.push(...items.map(({ id }) => id))
  const followers = [...others, keptFollower({ db, storageAt: () => storage, purgeSoon })]
  return journalIn({ db, clock: { unixSeconds: () => 0 }, node, log: { warn() {} }, followers, retryAfter: 5 })
}

const changeOf = (kind: Change['kind'], from: string, to?: string): Change => ({
  ...{ kind, actor: { id: 1, name: 'ann' }, door: 'web', from: parseLocation(from) },
  ...(to !== undefined && { to: parseLocation(to) }),
})

const rename = (from: string, to: string) => storage.rename(parsePath(from), parsePath(to), { replace: false })
const keptAt = async (): Promise<Location[]> =>
  (await keptWithin(db, parseLocation('/'))).map(({ location }) => location)

test.each([
  ['moves', changeOf('move', a, c), () => rename(a, c)],
  ['moves the folder around', changeOf('move', '/p', c), () => rename('/p', c)],
  ['removes', changeOf('remove', a), () => storage.remove(parsePath(a))],
  ['keeps', changeOf('remove', a, '/kept'), () => rename(a, '/kept')],
])(
  'versions go with the folder that one server moves while another one %s what replaces it',
  async (_, change, work) => {
    await server().record(changeOf('move', a, b), async () => {
      await rename(a, b)
      await storage.createFolder(parsePath(a))
      await server().record(change, work)
      expect(await keptAt()).toEqual([parseLocation(`${a}/in.txt`)])
    })
    expect([await keptAt(), purged]).toEqual([[parseLocation(`${b}/in.txt`)], []])
  },
)

test('versions go with the first of two moves, also where the clock of its server is minutes ahead', async () => {
  setSystemTime(Date.now() + 300_000)
  await server().record(changeOf('move', a, b), async () => {
    setSystemTime()
    await rename(a, b)
    await storage.createFolder(parsePath(a))
    await server().record(changeOf('move', a, c), () => rename(a, c))
  })
  expect(await keptAt()).toEqual([parseLocation(`${b}/in.txt`)])
})

test('versions go with the folder whose move is stored while what has replaced it is on its way', async () => {
  const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let other: Promise<void> | undefined
  await server().record(changeOf('move', a, b), async () => {
    await rename(a, b)
    await storage.createFolder(parsePath(a))
    other = server().record(changeOf('move', a, c), async () => {
      await rename(a, c)
      begun.resolve()
      await stored.promise
    })
    await begun.promise
  })
  stored.resolve()
  await other
  expect(await keptAt()).toEqual([parseLocation(`${b}/in.txt`)])
})

test('versions go with what is moved inside a folder of which another server has moved nothing yet', async () => {
  await server().record(changeOf('move', '/p', b), async () => {
    await server().record(changeOf('move', a, '/p/d'), () => rename(a, '/p/d'))
    expect(await keptAt()).toEqual([parseLocation('/p/d/in.txt')])
    await rename('/p', b)
  })
  expect(await keptAt()).toEqual([parseLocation(`${b}/d/in.txt`)])
})

test.each(['living', 'dead'])('versions go with a file whose removal by a %s server comes too late', async (state) => {
  const [begun, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const removal = server('remover').record(changeOf('remove', a), async () => {
    begun.resolve()
    await moved.promise
    await storage.remove(parsePath(a))
  })
  await begun.promise
  await server().record(changeOf('move', a, b), async () => {
    await rename(a, b)
    if (state === 'dead') {
      dead.add('remover')
      return server().recover()
    }
    moved.resolve()
    return removal.catch(() => {})
  })
  expect([await keptAt(), purged]).toEqual([[parseLocation(`${b}/in.txt`)], []])
})

test('versions go with a file that another server moves while it is found out why its removal failed', async () => {
  const disk = storage
  let looks = 0
  const movedAfterOneLook: Storage = {
    ...disk,
    async stat(path) {
      const found = await disk.stat(path).catch((error) => error)
      looks += 1
      if (looks === 1) await rename(a, b)
      if (found instanceof Error) throw found
      return found
    },
  }
  await server().record(changeOf('move', a, b), async () => {
    const removal = server().record(changeOf('remove', a), async () => {
      storage = movedAfterOneLook
      throw new Failure('locked', '')
    })
    await removal.catch(() => {})
  })
  expect([looks > 0, await keptAt(), purged]).toEqual([true, [parseLocation(`${b}/in.txt`)], []])
})

test('what was in a folder with grants is for administrators also where its outcome is stored in parts', async () => {
  const location = parseLocation(a)
  await transaction(db, 'serializable', (trx) => putGrant(trx, { subject: 'everybody', location, rights: 0 }))
  await insertKept(db, [{ ...version('mine', `${a}/gone.txt`), store: 'trash', user: { id: 1, name: 'ann' } }])
  let tries = 0
  const broken: Follower = {
    name: 'broken',
    kinds: new Set(['remove']),
    prepare: async () => ({
      intent: 'none',
      async conclude() {
        tries += 1
        if (tries === 1) throw new Error('another time')
        return undefined
      },
    }),
    recover: async () => undefined,
  }
  const others = [grantFollower({ db, storageAt: () => storage }), broken]
  await server(undefined, others).record(changeOf('remove', a), () => storage.remove(parsePath(a)))
  const item = (await keptWithin(db, location)).find(({ id }) => id === 'mine')
  expect([tries, item?.isRestricted, item?.user?.id]).toEqual([2, true, undefined])
})
