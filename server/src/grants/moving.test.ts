import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Right } from '@filestead/contract'
import { type Kysely, sql } from 'kysely'
import { isOnPostgres, testDatabase } from '../../test/database.ts'
import { until } from '../../test/process.ts'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import { type Commit, groupCommit } from '../changes/group-commit.ts'
import { type Journal, journalIn } from '../changes/journal.ts'
import { deleteIntentsInto } from '../changes/store.ts'
import { touchAccess } from '../database/counters.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { type Location, mountOf, parseLocation } from '../mounts/location.ts'
import { deleteMount, insertMount } from '../mounts/store.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { grantFollower } from './follow.ts'
import { changeGrant, removeGrant, saveGrant } from './grants.ts'
import { deleteGrantsInMount, grantsLike, putGrant } from './store.ts'

let db: Kysely<Database>
let storage: Storage
/** Those that were removed. */
let gone: Set<string>
const [a, b, c] = ['/p/a', '/b', '/c']

beforeEach(async () => {
  db = await testDatabase()
  storage = memoryStorage()
  gone = new Set()
  await storage.createFolder(parsePath(a))
  const grant = { subject: 'everybody' as const, location: parseLocation(a), rights: 0 }
  const other = { name: 'Other', folder: '/other', links: 'inside', readOnly: false, source: 'stored' } as const
  await transaction(db, 'serializable', async (trx) => {
    await putGrant(trx, grant)
    expect(await insertMount(trx, other)).toBe(2)
  })
})
afterEach(() => db.destroy())

function storageAt(base: string): Storage {
  if (gone.has(base)) throw new Failure('not-found', '')
  return storage
}

/** One of several servers over the same folders. */
function server(commit = groupCommit(db), isAlive = () => true, others: Follower[] = []): Journal {
  const node = { id: Bun.randomUUIDv7(), isAlive }
  const followers = [grantFollower({ db, storageAt }), ...others]
  const clock = { unixSeconds: () => 0 }
  return journalIn({ db, clock, node, log: { warn() {} }, followers, commit, retryAfter: 5 })
}

const changeOf = (kind: Change['kind'], from: string, to?: string): Change => ({
  ...{ kind, actor: { id: 1, name: 'ann' }, door: 'web', from: parseLocation(from) },
  ...(to !== undefined && { to: parseLocation(to) }),
})

const rename = (from: string, to: string) => storage.rename(parsePath(from), parsePath(to), { replace: false })
const granted = async (): Promise<Location[]> => (await grantsLike(db)).map(({ location }) => location)

const changes: [string, Change, () => Promise<unknown>][] = [
  ['moves', changeOf('move', a, c), () => rename(a, c)],
  ['moves the folder around', changeOf('move', '/p', c), () => rename('/p', c)],
  ['removes', changeOf('remove', a), () => storage.remove(parsePath(a))],
  ['keeps', changeOf('remove', a, '/kept'), () => rename(a, '/kept')],
]

test.each(changes)(
  'grants stay with the folder that one server moves while another one %s what replaces it',
  async (_, change, work) => {
    const other = () =>
      server()
        .record(change, work)
        .then(
          () => 'done',
          ({ code }) => code,
        )
    await server().record(changeOf('move', a, b), async () => {
      await rename(a, b)
      await storage.createFolder(parsePath(a))
      expect(await other()).toBe('locked')
    })
    expect(await granted()).toEqual([parseLocation(b)])
    expect(await other()).toBe('done')
    expect(await granted()).toEqual([parseLocation(b)])
  },
)

type Gate = PromiseWithResolvers<void>

/** As mounting/ does it. */
async function removeMount(root: Location): Promise<void> {
  await transaction(db, 'serializable', async (trx) => {
    await deleteIntentsInto(trx, root)
    await deleteGrantsInMount(trx, root)
    await deleteMount(trx, mountOf(root))
  })
  gone.add(root)
}

const grantAt = (path: string) => {
  const grant = { subject: 'guests' as const, location: parseLocation(path), rights: 1 }
  return transaction(db, 'serializable', (trx) => putGrant(trx, grant))
}
const code = (change: Promise<unknown>): Promise<string> =>
  change.then(
    () => 'done',
    (error) => error.code,
  )

test.each([
  ['comes to the place that it leaves', a],
  ['is moved to where it goes', b],
  ['is moved into it there', `${b}/in`],
])('while a folder with grants is being moved, none with grants %s', async (_, to) => {
  await storage.createFolder(parsePath('/x'))
  await grantAt('/x')
  const other = () => code(server().record(changeOf('move', '/x', to), () => rename('/x', to)))
  await server().record(changeOf('move', a, b), async () => {
    if (to !== b) await rename(a, b)
    expect(await other()).toBe('locked')
    if (to === b) await rename(a, b)
  })
  expect((await granted()).toSorted()).toEqual([b, '/x'].map(parseLocation))
})

test('a folder is not moved while another server brings one with grants into it', async () => {
  await storage.createFolder(parsePath('/x'))
  await grantAt('/x')
  const into = server()
  const around = server(async (write) => {
    arrived ??= into.record(changeOf('move', '/x', `${a}/x`), async () => {
      begun.resolve()
      await told.promise
      await rename('/x', `${a}/x`)
    })
    await begun.promise
    return groupCommit(db)(write)
  })
  let arrived: Promise<void> | undefined
  const [begun, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  expect(await code(around.record(changeOf('move', a, b), () => rename(a, b)))).toBe('locked')
  told.resolve()
  await arrived
  expect(await granted()).toEqual([a, `${a}/x`].map(parseLocation))
})

test('a grant that is made for a folder in one that is on its way goes along', async () => {
  await server().record(changeOf('move', '/p', b), async () => {
    await grantAt('/p/n')
    await rename('/p', b)
  })
  expect((await granted()).toSorted()).toEqual([`${b}/a`, `${b}/n`].map(parseLocation))
})

test('the first grant that a folder gets while it is being copied to another root folder goes along', async () => {
  await storage.createFolder(parsePath('/n'))
  await server().record(changeOf('move', '/n', '2:/n'), async () => {
    await grantAt('/n/in')
    await storage.remove(parsePath('/n'))
  })
  expect((await granted()).toSorted()).toEqual([a, '2:/n/in'].map(parseLocation))
})

test.each([
  ['changed', a],
  ['changed', b],
  ['saved', a],
  ['saved', b],
  ['removed', a],
  ['removed', b],
])('a grant of a folder that is on its way is %s at both ends, by way of %s', async (how, end) => {
  await grantAt(`${a}/in`)
  const subject = 'guests'
  const rights: Right[] = ['see', 'download']
  await server().record(changeOf('move', a, b), async () => {
    const [{ id } = { id: 0 }] = await grantsLike(db, { subject, at: parseLocation(`${end}/in`) })
    if (how === 'changed') await changeGrant({ db }, id, rights)
    else if (how === 'saved') await saveGrant({ db }, { subject, mount: 1, folder: `${end}/in`, rights })
    else await removeGrant({ db }, id)
    const now = await grantsLike(db, { subject })
    expect(now.map((grant) => grant.rights)).toEqual(how === 'removed' ? [] : [3, 3])
    await rename(a, b)
  })
  const left = (await grantsLike(db, { subject })).map(({ location, rights: each }) => [location, each])
  expect(left).toEqual(how === 'removed' ? [] : [[parseLocation(`${b}/in`), 3]])
})

test('the grants of a removed folder end where its server was taken for dead meanwhile', async () => {
  await server().record(changeOf('remove', a), async () => {
    await server(undefined, () => false).recover()
    expect(await granted()).toEqual([parseLocation(a)])
    await storage.remove(parsePath(a))
  })
  expect(await granted()).toEqual([])
})

test.if(isOnPostgres).each(changes)(
  'of two servers that begin at the same time, where the other one %s it, one moves a folder',
  async (_, change) => {
    const [marked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const told: string[] = []
    // The rows of the first are there, and not committed before the second one has looked or waits for that.
    const slow: Commit = (rows) =>
      groupCommit(db)(async (trx) => {
        await rows(trx)
        marked.resolve()
        await until(async () => told.length > 0 || (await isAnyWaiting()))
      })
    const begin = (journal: Journal, each: Change) =>
      journal
        .record(each, async () => {
          told.push('begun')
          if (told.length === 2) ended.resolve()
          await ended.promise
        })
        .catch(({ code }) => {
          told.push(code)
          ended.resolve()
        })
    const first = begin(server(slow), changeOf('move', a, b))
    await marked.promise
    await Promise.all([first, begin(server(), change)])
    expect(told.toSorted()).toEqual(['begun', 'locked'])
  },
)

test.each([
  ['moved', changeOf('move', '/o', c), () => rename('/o', c), [`${c}/a`]],
  ['put into the trash', changeOf('remove', '/o', '/kept'), () => rename('/o', '/kept'), ['/kept/a']],
  ['removed', changeOf('remove', '/o'), () => storage.remove(parsePath('/o')), []],
] as const)('grants go with a folder that comes into one which is just being %s', async (_, change, work, expected) => {
  await storage.createFolder(parsePath('/o'))
  const told = Promise.withResolvers<void>()
  let moving: Promise<void> | undefined
  await server().record(change, async () => {
    const arrived = Promise.withResolvers<void>()
    moving = server().record(changeOf('move', a, '/o/a'), async () => {
      await rename(a, '/o/a')
      arrived.resolve()
      await told.promise
    })
    await arrived.promise
    await work()
  })
  told.resolve()
  await moving
  expect(await granted()).toEqual(expected.map(parseLocation))
})

test('a folder that comes to a new one of the name keeps its grants where the copies went with the old one', async () => {
  await storage.createFolder(parsePath('/o'))
  await server().record(changeOf('move', a, '/o/a'), async () => {
    await server().record(changeOf('move', '/o', c), () => rename('/o', c))
    await storage.createFolder(parsePath('/o'))
    await rename(a, '/o/a')
  })
  expect(await granted()).toEqual([parseLocation('/o/a')])
})

test.each([
  ['moved', changeOf('move', '/o', c), () => rename('/o', c), [c, '/o/a']],
  ['put into the trash', changeOf('remove', '/o', '/kept'), () => rename('/o', '/kept'), ['/kept', '/o/a']],
] as const)(
  'a folder keeps its grants that has come too late for one which is %s, and did not go along',
  async (_, change, work, expected) => {
    await storage.createFolder(parsePath('/o'))
    await grantAt('/o')
    const [begun, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const into = server().record(changeOf('move', a, '/o/a'), async () => {
      begun.resolve()
      await gone.promise
      await storage.createFolder(parsePath('/o'))
      await rename(a, '/o/a')
    })
    await begun.promise
    await server().record(change, async () => {
      await work()
      gone.resolve()
      await into
    })
    expect((await granted()).toSorted()).toEqual(expected.map(parseLocation))
  },
)

test('nothing is left of the grants of a folder that did not come into one which was moved to another root folder', async () => {
  await storage.createFolder(parsePath('/o'))
  const [begun, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let around: Promise<void> | undefined
  const into = server().record(changeOf('move', a, '/o/a'), async () => {
    around = server().record(changeOf('move', '/o', '2:/q'), async () => {
      begun.resolve()
      await failed.promise
      await rename('/o', '/q')
    })
    await begun.promise
    throw new Failure('not-found', '')
  })
  expect(await code(into)).toBe('not-found')
  failed.resolve()
  await around
  expect(await granted()).toEqual([parseLocation(a)])
})

test.each([
  ['moved', changeOf('move', '/o', c), () => rename('/o', c)],
  ['put into the trash', changeOf('remove', '/o', '/kept'), () => rename('/o', '/kept')],
  ['removed', changeOf('remove', '/o'), () => storage.remove(parsePath('/o'))],
] as const)(
  'a folder keeps its grants that is to come into one which is %s, and is moved on with a new one of the name',
  async (_, change, work) => {
    await storage.createFolder(parsePath('/o'))
    const [begun, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let moving: Promise<void> | undefined
    await server().record(change, async () => {
      await work()
      moving = server().record(changeOf('move', a, '/o/a'), async () => {
        begun.resolve()
        await told.promise
        await storage.createFolder(parsePath('/o'))
        await rename(a, '/o/a')
        await server().record(changeOf('move', '/o', '/d'), () => rename('/o', '/d'))
      })
      await begun.promise
    })
    told.resolve()
    await moving
    expect(await granted()).toEqual([parseLocation('/d/a')])
  },
)

test.each(['before', 'after'])(
  'a folder keeps its grants where those of the name went elsewhere and that is stored %s its outcome',
  async (order) => {
    await storage.createFolder(parsePath('/o/a'))
    const [begun, looked, stored] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Gate, Gate, Gate]
    let moving: Promise<void> | undefined
    let commits = 0
    const around = server(async (write) => {
      begun.resolve()
      await (order === 'before' ? looked.promise : moving)
      await groupCommit(db)(write)
      stored.resolve()
    })
    const into = server(async (write) => {
      commits += 1
      if (commits === 2) looked.resolve()
      if (commits === 2 && order === 'before') await stored.promise
      await groupCommit(db)(write)
    })
    await around.record(changeOf('move', '/o', c), async () => {
      await rename('/o', c)
      const onItsWay = Promise.withResolvers<void>()
      moving = into.record(changeOf('move', a, '/o/a'), async () => {
        onItsWay.resolve()
        await begun.promise
        await storage.createFolder(parsePath('/o'))
        await rename(a, '/o/a')
      })
      await onItsWay.promise
    })
    await moving
    expect(await granted()).toContain(parseLocation('/o/a'))
  },
)

test('a folder keeps its grants that comes out of a mount which is removed meanwhile', async () => {
  await grantAt(`2:${a}`)
  const [root, kept] = [parseLocation('2:/'), parseLocation(b)]
  await server().record(changeOf('move', `2:${a}`, b), async () => {
    await rename(a, b)
    await removeMount(root)
  })
  expect(await grantsLike(db, { subject: 'guests' })).toMatchObject([{ location: kept, rights: 1 }])
})

test.each([
  ['has come', () => rename(a, b), [b]],
  ['has not come', async () => {}, []],
])(
  'where a folder %s from a mount that is removed after the end of its server, it has its grants',
  async (_, work, at) => {
    await grantAt(`2:${a}`)
    const begun = Promise.withResolvers<void>()
    void server().record(changeOf('move', `2:${a}`, b), async () => {
      await work()
      begun.resolve()
      await new Promise(() => {})
    })
    await begun.promise
    await removeMount(parseLocation('2:/'))
    await server(undefined, () => false).recover()
    expect((await grantsLike(db, { subject: 'guests' })).map(({ location }) => location)).toEqual(at.map(parseLocation))
  },
)

test.each([
  ['is known', true],
  ['is not known yet', false],
])(
  'the grants of a folder end that goes into a mount which is removed meanwhile, where that %s',
  async (_, isKnown) => {
    await grantAt(`${a}/in`)
    await server().record(changeOf('move', a, '2:/b'), async () => {
      await rename(a, b)
      await removeMount(parseLocation('2:/'))
      if (!isKnown) gone.clear()
    })
    expect(await granted()).toEqual([])
  },
)

test('what comes out of a mount that is removed meanwhile, and has no grants, is stored', async () => {
  const move = await grantFollower({ db, storageAt }).prepare(changeOf('move', '2:/n', '/n'))
  gone.add('2:/')
  expect(await move?.conclude('done', { id: '', isStored: false })).toBeUndefined()
})

test.if(isOnPostgres)('a grant that is being stored while its folder arrives goes along', async () => {
  const given = Promise.withResolvers<void>()
  let giving: Promise<void> | undefined
  await server().record(changeOf('move', a, b), async () => {
    await rename(a, b)
    giving = transaction(db, 'serializable', async (trx) => {
      await touchAccess(trx)
      await putGrant(trx, { subject: 'guests', location: parseLocation(`${a}/n`), rights: 1 })
      given.resolve()
      await until(isAnyWaiting)
    })
    await given.promise
  })
  await giving
  expect((await granted()).toSorted()).toEqual([b, `${b}/n`].map(parseLocation))
})

const isAnyWaiting = async (): Promise<boolean> =>
  (
    await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
      db,
    )
  ).rows.length > 0

test.each([
  ['moved', changeOf('move', a, b), () => rename(a, b), [a, b]],
  ['removed', changeOf('remove', a), () => storage.remove(parsePath(a)), [a]],
] as const)(
  'what comes to the place of a folder that was %s keeps its grants where links are looked after once more',
  async (_, change, work, expected) => {
    await storage.createFolder(parsePath('/x'))
    await grantAt('/x')
    let looks = 0
    const links: Follower = {
      name: 'links',
      kinds: new Set([change.kind]),
      prepare: async () => ({
        intent: 'none',
        conclude: async () => async () => {},
        async isOutdated() {
          looks += 1
          if (looks === 1) await server().record(changeOf('move', '/x', a), () => rename('/x', a))
          return looks === 1
        },
      }),
      recover: async () => undefined,
    }
    await server(groupCommit(db), () => true, [links]).record(change, work)
    expect([looks, (await granted()).toSorted()]).toEqual([2, expected.map(parseLocation).toSorted()])
  },
)

test.each([
  ['was moved on', changeOf('move', `${b}/in`, c), () => rename(`${b}/in`, c), [b, c]],
  ['was removed', changeOf('remove', `${b}/in`), () => storage.remove(parsePath(`${b}/in`)), [b]],
] as const)(
  'no grants come to where a folder %s from, before the outcome for the one around it was stored',
  async (_, change, work, expected) => {
    await storage.createFolder(parsePath(`${a}/in`))
    await grantAt(`${a}/in`)
    const moved = Promise.withResolvers<void>()
    void server().record(changeOf('move', a, b), async () => {
      await rename(a, b)
      moved.resolve()
      await new Promise(() => {})
    })
    await moved.promise
    await server().record(change, work)
    await server(undefined, () => false).recover()
    expect((await granted()).toSorted()).toEqual(expected.map(parseLocation).toSorted())
  },
)

test('a folder has its grants alone where it was moved on before the end of the server that had moved it', async () => {
  const moved = Promise.withResolvers<void>()
  void server().record(changeOf('move', a, b), async () => {
    await rename(a, b)
    moved.resolve()
    await new Promise(() => {})
  })
  await moved.promise
  await server().record(changeOf('move', b, c), () => rename(b, c))
  await server(undefined, () => false).recover()
  expect(await granted()).toEqual([parseLocation(c)])
})

test('a folder that has come to the place of another one since is not moved without its grants', async () => {
  await storage.createFolder(parsePath('/x'))
  await grantAt('/x')
  const [begun, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let arrival: Promise<void> | undefined
  const late = server(async (write) => {
    await server().record(changeOf('remove', a), () => storage.remove(parsePath(a)))
    arrival = server().record(changeOf('move', '/x', a), async () => {
      await rename('/x', a)
      begun.resolve()
      await told.promise
    })
    await begun.promise
    return groupCommit(db)(write)
  })
  expect(await code(late.record(changeOf('move', a, b), () => rename(a, b)))).toBe('locked')
  told.resolve()
  await arrival
  expect(await granted()).toEqual([parseLocation(a)])
})

test('what comes to the place that a folder does not get to takes no rights of that folder along', async () => {
  const first = server().record(changeOf('move', a, b), async () => {
    await storage.createFolder(parsePath(b))
    await server().record(changeOf('move', b, c), () => rename(b, c))
    throw new Failure('already-exists', '')
  })
  expect(await code(first)).toBe('already-exists')
  expect(await granted()).toEqual([parseLocation(a)])
})

test('a folder that is called by another case keeps the grants that were spelled like that before', async () => {
  const disk = memoryStorage({ ...storage.capabilities, foldsCase: true })
  await disk.createFolder(parsePath('/Q'))
  storage = disk
  await grantAt('/q')
  await server().record(changeOf('move', '/Q', '/q'), async () => {})
  expect(await granted()).toContain(parseLocation('/q'))
})
