import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { until } from '../../test/process.ts'
import { readerOf } from '../access/access.fixture.ts'
import { DatabaseRefusal } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { favouriteFollower } from '../favourites/follow.ts'
import { favouritesOf, insertFavourite } from '../favourites/store.ts'
import { parseLocation, pathIn } from '../mounts/location.ts'
import { type ShareFollower, shareFollower } from '../shares/follow.ts'
import { insertShare, shareWithHash } from '../shares/store.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { createUser } from '../users/users.ts'
import type { Change } from './change.ts'
import type { Follower, Preparation } from './follower.ts'
import { type Commit, groupCommit, UnsyncedCommit } from './group-commit.ts'
import { type Journal, journalIn } from './journal.ts'

const clock = { unixSeconds: () => 0 }
let db: Kysely<Database>
let userId = 0
let storage: Storage

beforeEach(async () => {
  db = await testDatabase()
  storage = memoryStorage()
  const wanted = User.parse({ username: 'ann', scope: '/' })
  userId = (await createUser({ db, clock }, Settings.parse({}), wanted, { readyHash: 'none' })).id
})
afterEach(() => db.destroy())

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
const put = (path: string, text: string) => storage.write(parsePath(path), bytesOf(text), { precondition: 'any' })
const remove = (path: string) => storage.remove(parsePath(path))
const rename = (from: string, to: string) =>
  storage.rename(parsePath(from), parsePath(to), { replace: true, signal: undefined })

async function share(path: string): Promise<void> {
  const link = { hash: path, userID: userId, expire: 0, hasPassword: false }
  await insertShare(db, { link, location: parseLocation(path), passwordHash: '', isThroughSymlink: false })
}

const changeOf = (kind: Change['kind'], from: string, to?: string): Change => ({
  ...{ kind, actor: { id: userId, name: 'ann' }, door: 'web', from: parseLocation(from) },
  ...(to !== undefined && { to: parseLocation(to) }),
})

interface Server {
  journal: Journal
  shares: ShareFollower
  shown(hash: string): Promise<string>
}

/** One process over the database. Processes with another name are dead to it. */
function serverNamed(
  name: string,
  commit: Commit = groupCommit(db),
  others: Follower[] = [],
  { retryAfter = 5 } = {},
): Server {
  const node = { id: name, isAlive: (id: string | null) => id === name }
  const shares = shareFollower({ db, node, storageAt: () => storage, access: readerOf(storage) })
  const followers = [shares, ...others]
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers, commit, retryAfter })
  const shown = async (hash: string) => {
    const row = await shareWithHash(db, hash)
    if (row === undefined || row.isShut || shares.isShut(hash)) return ''
    const file = await storage.open(pathIn(row.location)).catch(() => undefined)
    return (await file?.content.text()) ?? ''
  }
  return { journal, shares, shown }
}

const intents = async () => (await db.selectFrom('change').selectAll().execute()).length

/** Stops for ever before or behind the nth commit, as a process that is killed does. */
function dyingCommit(at: number, when: 'before' | 'behind') {
  const { promise: died, resolve: die } = Promise.withResolvers<void>()
  const never = new Promise<never>(() => {})
  const real = groupCommit(db)
  let calls = 0
  const commit: Commit = async (write) => {
    calls += 1
    if (calls === at && when === 'before') {
      die()
      await never
    }
    await real(write)
    if (calls === at) {
      die()
      await never
    }
  }
  return { commit, died }
}

const deaths: { what: string; at: number; when: 'before' | 'behind'; isDone: boolean }[] = [
  { what: 'before the intent', at: 1, when: 'before', isDone: false },
  { what: 'between intent and work', at: 1, when: 'behind', isDone: false },
  { what: 'between work and outcome', at: 2, when: 'before', isDone: true },
  { what: 'behind the outcome', at: 2, when: 'behind', isDone: true },
]

test.each(deaths)('a move whose server dies $what takes its share along or leaves it', async ({ at, when, isDone }) => {
  await put('/a', 'mine')
  await share('/a')
  const { commit, died } = dyingCommit(at, when)
  void serverNamed('dead', commit).journal.record(changeOf('move', '/a', '/b'), () => rename('/a', '/b'))
  await died

  const next = serverNamed('next')
  await put(isDone ? '/a' : '/b', 'PRIVATE')
  expect(await next.shown('/a')).toBeOneOf(['', 'mine'])
  await next.journal.recover()
  expect([await next.shown('/a'), await intents()]).toEqual(['mine', 0])
})

test.each(deaths)('a removal whose server dies $what ends the share or leaves it', async ({ at, when, isDone }) => {
  await put('/a', 'mine')
  await share('/a')
  const { commit, died } = dyingCommit(at, when)
  void serverNamed('dead', commit).journal.record(changeOf('remove', '/a'), () => remove('/a'))
  await died

  const next = serverNamed('next')
  if (isDone) await put('/a', 'PRIVATE')
  expect(await next.shown('/a')).toBeOneOf(isDone ? [''] : ['', 'mine'])
  await next.journal.recover()
  expect([await next.shown('/a'), await intents()]).toEqual([isDone ? '' : 'mine', 0])
})

test('a share does not show a file that took the place between crash and recovery', async () => {
  await put('/a', 'mine')
  await share('/a')
  const { commit, died } = dyingCommit(1, 'behind')
  void serverNamed('dead', commit).journal.record(changeOf('remove', '/a'), () => remove('/a'))
  await died
  await put('/a', 'another one')
  const next = serverNamed('next')
  await next.journal.recover()
  expect([await next.shown('/a'), await shareWithHash(db, '/a')]).toEqual(['', undefined])
})

/** Commits only when the test says so, from the nth on. */
function gatedCommit(from = 1) {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const real = groupCommit(db)
  let calls = 0
  const commit: Commit = async (write) => {
    calls += 1
    if (calls >= from) {
      reached.resolve()
      await gate.promise
    }
    await real(write)
  }
  return { commit, reached: reached.promise, goOn: gate.resolve }
}

test('of two servers that recover one change, the slower one does not undo what was decided since', async () => {
  await put('/a', 'mine')
  await share('/a')
  const { commit, died } = dyingCommit(2, 'before')
  void serverNamed('dead', commit).journal.record(changeOf('move', '/a', '/b'), () => rename('/a', '/b'))
  await died

  const slow = gatedCommit()
  const recovering = serverNamed('slow', slow.commit).journal.recover()
  await slow.reached
  const quick = serverNamed('quick')
  await quick.journal.recover()
  await quick.journal.record(changeOf('move', '/b', '/c'), () => rename('/b', '/c'))
  await put('/b', 'PRIVATE')
  slow.goOn()
  await recovering
  expect([await quick.shown('/a'), await intents()]).toEqual(['mine', 0])
})

/** Rows that end with their folder, as grants do; tells who has ended them. */
function endingFollower() {
  const ended: string[] = []
  const follower: Follower = {
    name: 'ending',
    kinds: new Set(['remove']),
    prepare: async () => ({
      intent: 'wanted',
      notes: null,
      conclude: async (result) => (result === 'done' ? async () => void ended.push('by its server') : undefined),
    }),
    recover: async () => async () => void ended.push('by another'),
  }
  return { follower, ended }
}

test.each(['all at once', 'part by part'])(
  'a server that was taken for dead writes nothing of an outcome that another one has decided (%s)',
  async (how) => {
    await put('/a', 'mine')
    const { follower, ended } = endingFollower()
    const broken = failingFollower(how === 'part by part' ? 1 : 0, 'conclude').follower
    const cutOff = gatedCommit(2)
    const followers = [{ ...broken, kinds: follower.kinds }, follower]
    const removing = serverNamed('cut off', cutOff.commit, followers).journal.record(changeOf('remove', '/a'), () =>
      remove('/a'),
    )
    await cutOff.reached
    await serverNamed('next', groupCommit(db), followers).journal.recover()
    cutOff.goOn()
    await removing
    expect([ended, await intents()]).toEqual([['by another'], 0])
  },
)

test('a server that was taken for dead before its work says afterwards where the file is', async () => {
  await put('/a', 'mine')
  await share('/a')
  const stopped = gated(() => rename('/a', '/b'))
  const server = serverNamed('stopped')
  const moving = server.journal.record(changeOf('move', '/a', '/b'), stopped.run)
  await stopped.begun
  const next = serverNamed('next')
  await next.journal.recover()
  expect([await next.shown('/a'), await intents()]).toEqual(['mine', 0])
  stopped.goOn()
  await moving
  await put('/a', 'PRIVATE')
  expect(await next.shown('/a')).toBe('mine')
})

test.each([
  ['a move', 'before its work', '/b'],
  ['a move', 'after its work', '/b'],
  ['a removal', 'after its work', undefined],
] as const)('a favourite follows %s whose intent another server ended %s', async (_, when, to) => {
  await put('/a/file', 'mine')
  await share('/a/file')
  await insertFavourite(db, { userId, location: parseLocation('/a') }, 1)
  const follower = favouriteFollower({ db, storageAt: () => storage })
  const move = () => (to === undefined ? remove('/a') : rename('/a', to))
  const slow = when === 'before its work' ? gated(move) : gated(async () => {})
  const work = async () => {
    if (when === 'after its work') await move()
    await slow.run()
  }
  const change = changeOf(to === undefined ? 'remove' : 'move', '/a', to)
  const moving = serverNamed('stopped', groupCommit(db), [follower]).journal.record(change, work)
  await slow.begun
  await serverNamed('next', groupCommit(db), [follower]).journal.recover()
  slow.goOn()
  await moving
  expect(await favouritesOf(db, userId)).toEqual(to === undefined ? [] : [parseLocation(to)])
})

test.each(deaths)(
  'a move whose server dies $what takes its favourite along or leaves it',
  async ({ at, when, isDone }) => {
    await put('/a/file', 'mine')
    await insertFavourite(db, { userId, location: parseLocation('/a') }, 1)
    const follower = favouriteFollower({ db, storageAt: () => storage })
    const { commit, died } = dyingCommit(at, when)
    void serverNamed('dead', commit, [follower]).journal.record(changeOf('move', '/a', '/b'), () => rename('/a', '/b'))
    await died
    await serverNamed('next', groupCommit(db), [follower]).journal.recover()
    expect(await favouritesOf(db, userId)).toEqual([parseLocation(isDone ? '/b' : '/a')])
  },
)

test('a recovery leaves a share alone that another change has decided about since its look', async () => {
  await put('/a', 'mine')
  await share('/a')
  const { commit, died } = dyingCommit(1, 'behind')
  void serverNamed('dead', commit).journal.record(changeOf('move', '/a', '/b'), () => rename('/a', '/b'))
  await died

  const slow = gatedCommit()
  const next = serverNamed('next', slow.commit)
  const recovering = next.journal.recover()
  await slow.reached
  await serverNamed('other').journal.record(changeOf('move', '/a', '/c'), () => rename('/a', '/c'))
  await put('/a', 'PRIVATE')
  slow.goOn()
  await recovering
  expect([await next.shown('/a'), await intents()]).toEqual(['mine', 0])
})

test('an intent whose notes cannot be read keeps no other from being recovered', async () => {
  await put('/a', 'mine')
  await share('/a')
  const { commit, died } = dyingCommit(2, 'before')
  void serverNamed('dead', commit).journal.record(changeOf('move', '/a', '/b'), () => rename('/a', '/b'))
  await died
  const broken = { id: '0', node: 'dead', kind: 'move', user_id: userId, username: 'ann', door: 'web' }
  await db
    .insertInto('change')
    .values({ ...broken, from_location: '/x', to_location: '/y', size: null, notes: '{', began_at: 0 })
    .execute()
  const next = serverNamed('next')
  expect(await next.journal.recover().catch((error) => error.name)).toBe('SyntaxError')
  expect([await next.shown('/a'), await intents()]).toEqual(['mine', 1])
})

test('an intent that is stored and cannot be synced refuses the move and is taken back', async () => {
  await put('/a', 'mine')
  await share('/a')
  const real = groupCommit(db)
  let commits = 0
  const unsynced: Commit = async (write) => {
    commits += 1
    await real(write)
    if (commits === 1) throw new UnsyncedCommit(new Error('the disk is broken'))
  }
  const server = serverNamed('one', unsynced)
  let isMoved = false
  const moving = server.journal.record(changeOf('move', '/a', '/b'), async () => {
    isMoved = true
  })
  expect(await moving.catch(String)).toBe('Error: the disk is broken')
  expect([isMoved, await server.shown('/a'), await intents()]).toEqual([false, 'mine', 0])
})

test.each([
  ['has stored it', true],
  ['has not stored it', false],
])('an intent of which the database does not say that it %s is left by nobody', async (_, isStored) => {
  const real = groupCommit(db)
  const server = () => {
    let commits = 0
    return serverNamed('one', async (write) => {
      commits += 1
      if (commits > 1 || isStored) await real(write)
      if (commits === 1) throw new DatabaseRefusal('away', new Error('Connection terminated unexpectedly'))
    })
  }
  await put('/a', 'mine')
  await share('/a')
  const mover = server()
  let isMoved = false
  const moving = mover.journal.record(changeOf('move', '/a', '/b'), async () => {
    isMoved = true
  })
  expect(await moving.catch(({ code }) => code)).toBe('unavailable')
  expect([isMoved, await mover.shown('/a'), await intents()]).toEqual([false, 'mine', 0])

  await server().journal.record(changeOf('remove', '/a'), () => remove('/a'))
  expect([await shareWithHash(db, '/a'), await intents()]).toEqual([undefined, 0])
})

test('recovery leaves the change of a living server alone', async () => {
  await put('/a', 'mine')
  await share('/a')
  const living = serverNamed('living')
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const moving = living.journal.record(changeOf('move', '/a', '/b'), async () => {
    begun.resolve()
    await gate.promise
    await rename('/a', '/b')
  })
  await begun.promise
  await living.journal.recover()
  expect([await intents(), await living.shown('/a')]).toEqual([1, ''])
  gate.resolve()
  await moving
  expect([await intents(), await living.shown('/a')]).toEqual([0, 'mine'])
})

/** A follower whose part of the outcome fails so many times. */
function failingFollower(failures: number, step: 'conclude' | 'write') {
  const seen = { tries: 0, released: Promise.withResolvers<void>() }
  const fail = () => {
    seen.tries += 1
    if (seen.tries <= failures) throw new Error('the follower is broken')
  }
  const preparation: Preparation = {
    intent: 'wanted',
    notes: 'its notes',
    async conclude() {
      if (step === 'conclude') fail()
      return async () => void (step === 'write' && fail())
    },
    release: seen.released.resolve,
  }
  const follower: Follower = {
    name: 'broken',
    kinds: new Set(['move']),
    prepare: async () => preparation,
    recover: async () => undefined,
  }
  return { follower, seen }
}

test.each(['conclude', 'write'] as const)(
  'a follower that fails in %s leaves the change done, keeps no other from its part, and is tried again',
  async (step) => {
    await put('/a', 'mine')
    await share('/a')
    const { follower, seen } = failingFollower(2, step)
    const server = serverNamed('one', groupCommit(db), [follower])
    await server.journal.record(changeOf('move', '/a', '/b'), () => rename('/a', '/b'))
    expect((await storage.stat(parsePath('/b'))).size).toBe(4)
    await seen.released.promise
    await server.journal.close()
    expect([seen.tries, await server.shown('/a'), await intents()]).toEqual([3, 'mine', 0])
  },
)

test('an outcome that its follower never takes is not tried again with every change that follows', async () => {
  const { follower, seen } = failingFollower(Number.POSITIVE_INFINITY, 'conclude')
  const { journal } = serverNamed('one', groupCommit(db), [follower], { retryAfter: 600_000 })
  const changed = 20
  for (let count = 0; count < changed; count += 1)
    await journal.record(changeOf('move', `/${count}`, `/to-${count}`), async () => {})
  expect(seen.tries).toBe(2 * changed)
})

test('a follower that fails to prepare refuses the change, and the others conclude it as failed', async () => {
  await put('/a', 'mine')
  await share('/a')
  const refusing: Follower = {
    name: 'refusing',
    kinds: new Set(['move']),
    prepare: () => Promise.reject(new Error('no')),
    recover: async () => undefined,
  }
  const server = serverNamed('one', groupCommit(db), [refusing])
  const moving = server.journal.record(changeOf('move', '/a', '/b'), () => rename('/a', '/b')).catch(String)
  expect(await moving).toBe('Error: no')
  expect([await server.shown('/a'), await intents()]).toEqual(['mine', 0])
})

test('a follower is not asked about kinds of changes that do not concern it, and they cost no commit', async () => {
  let commits = 0
  const real = groupCommit(db)
  const counting: Commit = (write) => {
    commits += 1
    return real(write)
  }
  const server = serverNamed('one', counting)
  await put('/a', 'mine')
  await put('/b', 'other')
  await share('/b')
  for (const kind of ['save', 'create', 'create-folder', 'upload', 'copy'] as const)
    await server.journal.record(changeOf(kind, '/a', '/b'), async () => {})
  await server.journal.record(changeOf('move', '/a', '/c'), () => rename('/a', '/c'))
  await server.journal.record(changeOf('remove', '/c'), () => remove('/c'))
  expect(commits).toBe(0)
  await server.journal.record(changeOf('remove', '/b'), () => remove('/b'))
  expect(commits).toBe(2)
})

/** Work that waits for the test. */
function gated(work: () => Promise<unknown>) {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const run = async () => {
    begun.resolve()
    await gate.promise
    await work()
  }
  return { run, begun: begun.promise, goOn: gate.resolve }
}

test.each(['into', 'on'])(
  'a file that is moved into a folder which is moved on at the same time keeps its share (the move %s it ends first)',
  async (ends) => {
    await put('/x/a', 'mine')
    await put('/y/other', 'other')
    await share('/x/a')
    const { journal, shares, shown } = serverNamed('one')
    const [into, on] = [gated(() => rename('/x/a', '/y/a')), gated(() => rename('/y', '/z'))]
    const movingInto = journal.record(changeOf('move', '/x/a', '/y/a'), into.run)
    await into.begun
    const movingOn = journal.record(changeOf('move', '/y', '/z'), on.run)
    await on.begun
    const [first, second] = ends === 'into' ? [into, on] : [on, into]
    first.goOn()
    await (ends === 'into' ? movingInto : movingOn)
    if (ends === 'into') expect(await shown('/x/a')).toBe('')
    second.goOn()
    await Promise.all([movingInto, movingOn])
    for (const path of ['/x/a', ends === 'into' ? '/y/a' : '/z/a']) await put(path, 'PRIVATE')
    await until(async () => !shares.isShut('/x/a'))
    expect([await shown('/x/a'), await intents()]).toEqual(['mine', 0])
  },
)

test.each(['first', 'second'])(
  'of two moves of one file, the share goes with the one that worked (the %s ends first)',
  async (ends) => {
    await put('/a', 'mine')
    await share('/a')
    const { journal, shown } = serverNamed('one')
    const works = gated(() => rename('/a', '/b'))
    const fails = gated(() => rename('/a', '/c'))
    const first = journal.record(changeOf('move', '/a', '/b'), works.run)
    await works.begun
    const second = journal.record(changeOf('move', '/a', '/c'), fails.run).catch(() => {})
    await fails.begun
    works.goOn()
    if (ends === 'first') await first
    await until(async () => (await storage.stat(parsePath('/b')).catch(() => undefined)) !== undefined)
    fails.goOn()
    await Promise.all([first, second])
    await put('/a', 'PRIVATE')
    expect([await shown('/a'), await intents()]).toEqual(['mine', 0])
    expect(await shareWithHash(db, '/a')).toMatchObject({ isShut: false, location: parseLocation('/b') })
  },
)

test('rows of a follower that needs no intent are stored in the background', async () => {
  const gate = Promise.withResolvers<void>()
  const rows: string[] = []
  const bookkeeper: Follower = {
    name: 'books',
    kinds: new Set(['save']),
    prepare: async () => ({ intent: 'none', conclude: async (result) => async () => void rows.push(result) }),
    recover: async () => undefined,
  }
  const real = groupCommit(db)
  const slow: Commit = async (write) => {
    await gate.promise
    await real(write)
  }
  const { journal } = serverNamed('one', slow, [bookkeeper])
  expect(await journal.record(changeOf('save', '/a'), async () => 'saved')).toBe('saved')
  expect(rows).toEqual([])
  gate.resolve()
  await journal.close()
  expect([rows, await intents()]).toEqual([['done'], 0])
})

test('an observer hears of a change when its outcome is stored, and how it ended', async () => {
  await put('/a', 'mine')
  await share('/a')
  const heard: [string, string | undefined][] = []
  const node = { id: 'n', isAlive: () => true }
  const shares = shareFollower({ db, node, storageAt: () => storage, access: readerOf(storage) })
  const journal = journalIn({
    ...{ db, clock, node, log: { warn() {} }, followers: [shares] },
    observe: (change, result) => void heard.push([result, change.to]),
  })
  await journal.record(changeOf('move', '/a', '/b'), async () => {
    await rename('/a', '/b')
    expect(heard).toEqual([])
  })
  expect([heard, await intents()]).toEqual([[['done', '/b']], 0])
  const refuse = () => Promise.reject(new Error('no'))
  const refused = await journal.record(changeOf('move', '/b', '/c'), refuse).catch((error) => error.message)
  expect([refused, heard.at(-1)]).toEqual(['no', ['failed', '/c']])
  await journal.close()
})
