import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { breakWrites, mendWrites, setReadOnly } from '../../test/broken-writes.ts'
import { testDatabase } from '../../test/database.ts'
import { readerOf } from '../access/access.fixture.ts'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import type { Change } from '../changes/change.ts'
import { groupCommit } from '../changes/group-commit.ts'
import { type Journal, journalIn } from '../changes/journal.ts'
import type { Changes } from '../changes/pipeline.ts'
import { moveEntry, removeEntry } from '../changes/verbs.ts'
import { DatabaseRefusal } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { type Location, locationIn, parseLocation, pathIn } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { faultyStorage } from '../storage/testing/faulty.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { createUser } from '../users/users.ts'
import { type ShareFollower, shareFollower } from './follow.ts'
import { insertShare, shareWithHash } from './store.ts'

const [a, b] = [parsePath('/a.txt'), parsePath('/b.txt')]
let db: Kysely<Database>
let user: User
let follower: ShareFollower
let journal: Journal

beforeEach(async () => {
  db = await testDatabase()
  const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
  const wanted = User.parse({ username: 'alice', scope: '/', perm })
  user = await createUser({ db, clock: { unixSeconds: () => 0 } }, Settings.parse({}), wanted, { readyHash: 'none' })
})
afterEach(async () => {
  await journal.close()
  await db.destroy()
})

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
const write = (storage: Storage, path: typeof a, text: string) =>
  storage.write(path, bytesOf(text), { precondition: 'any' })

/** Two files, both shared under their own names. */
async function twoShares(): Promise<Storage> {
  const storage = memoryStorage()
  await db.deleteFrom('share').execute()
  for (const path of [a, b]) {
    await write(storage, path, path)
    const link = { hash: path, userID: user.id, expire: 0, hasPassword: false }
    await insertShare(db, { link, location: locationIn(1, path), passwordHash: '', isThroughSymlink: false })
  }
  return storage
}

/** What a visitor would get for a share. */
async function shownBy(storage: Storage, hash: string): Promise<string> {
  const share = await shareWithHash(db, hash)
  if (share === undefined || share.isShut || follower.isShut(hash)) return ''
  const file = await storage.open(pathIn(share.location)).catch(() => undefined)
  return (await file?.content.text()) ?? ''
}

const node = { id: 'a node', isAlive: (id: string | null) => id === 'a node' }
const clock = { unixSeconds: () => 0 }

/** A server of its own over this storage. */
function around(storage: Storage, commit = groupCommit(db)) {
  follower = shareFollower({ db, node, storageAt: () => storage, access: readerOf(storage) })
  journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [follower], commit, retryAfter: 5 })
  const changes: Changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' }
  return { changes, scope: scopeOf(actorOf(user, []), storage) }
}

const changeOf = (kind: Change['kind'], from: typeof a, to?: typeof a): Change => ({
  kind,
  actor: { id: user.id, name: user.username },
  door: 'web',
  from: locationIn(1, from),
  ...(to !== undefined && { to: locationIn(1, to) }),
})

/** What was waiting to be stored is stored, or the test fails. */
async function stored(hash: string): Promise<void> {
  for (let tries = 0; follower.isShut(hash); tries += 1) {
    if (tries === 2000) throw new Error('The outcome was never stored')
    await Bun.sleep(5)
  }
}

test.each(['move', 'remove'])('a share never shows another file, whichever call of a %s fails', async (verb) => {
  for (let failingCall = 1; ; failingCall += 1) {
    const storage = await twoShares()
    const { changes, scope } = around(faultyStorage(storage, failingCall))
    const work =
      verb === 'move'
        ? moveEntry(changes, scope, { from: a, to: b, onConflict: 'overwrite' })
        : removeEntry(changes, scope, a)
    const done = await work.then(
      () => true,
      () => false,
    )

    for (const path of [a, b]) expect(['', path as string]).toContain(await shownBy(storage, path))
    if (!done) expect(await storage.open(a)).toBeDefined()
    await write(storage, a, done ? 'PRIVATE' : a)
    expect(await shownBy(storage, a)).toBe(done && verb === 'remove' ? '' : a)
    if (done) return
    expect(await shownBy(storage, b)).toBe(b)
  }
})

test('a share shows nothing while its file is being moved or removed', async () => {
  const { changes } = around(await twoShares())
  await changes.journal.record(changeOf('move', a, parsePath('/c.txt')), async () => {
    expect(await shareWithHash(db, a)).toMatchObject({ isShut: true, location: locationIn(1, a) })
    expect(await shareWithHash(db, b)).toMatchObject({ isShut: false, isThroughSymlink: false })
  })
  expect(await shareWithHash(db, a)).toMatchObject({ isShut: false, location: '/c.txt' as Location })
})

/** From the moment on when shares are shut. */
const breakWriting = (when = 'new.change_id is null') =>
  breakWrites(db, { table: 'share', change: 'update', message: 'full', when })
const mendWriting = () => mendWrites(db, 'share')

test('a share stays shut after a move whose outcome cannot be stored, and follows once it can', async () => {
  const storage = await twoShares()
  const { changes, scope } = around(storage)
  const c = parsePath('/c.txt')
  await breakWriting()
  await moveEntry(changes, scope, { from: a, to: c, onConflict: 'fail' })
  expect(await storage.stat(c)).toBeDefined()
  await write(storage, a, 'PRIVATE')
  expect(await shownBy(storage, a)).toBe('')
  await mendWriting()
  await stored(a)
  expect(await shareWithHash(db, a)).toMatchObject({ isShut: false, location: '/c.txt' as Location })
  expect(await shownBy(storage, a)).toBe(a)
})

test('a share ends when its file is moved again before the first move could be stored', async () => {
  const storage = await twoShares()
  const { changes, scope } = around(storage)
  const [c, d] = [parsePath('/c.txt'), parsePath('/d.txt')]
  await breakWriting()
  await moveEntry(changes, scope, { from: a, to: c, onConflict: 'fail' })
  await moveEntry(changes, scope, { from: c, to: d, onConflict: 'fail' })
  await write(storage, c, 'PRIVATE')
  await mendWriting()
  await stored(a)
  expect(await shownBy(storage, a)).toBe('')
})

test('a move of a shared file is refused while the intent cannot be stored', async () => {
  const storage = await twoShares()
  const { changes, scope } = around(storage)
  await breakWriting('1 = 1')
  await expect(moveEntry(changes, scope, { from: a, to: parsePath('/c.txt'), onConflict: 'fail' })).rejects.toThrow(
    'full',
  )
  expect(await storage.stat(a)).toBeDefined()
  await mendWriting()
  expect(await shownBy(storage, a)).toBe(a)
})

/** As on a volume that has become read-only. */
const readOnly = (isIt: boolean) => setReadOnly(db, isIt)

test('a share follows its file when a second move, to which it was left, is refused at its intent', async () => {
  const storage = await twoShares()
  const c = parsePath('/c.txt')
  const write = groupCommit(db)
  const [reached, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  let commits = 0
  const { changes, scope } = around(storage, (rows) => {
    commits += 1
    if (commits !== 2) return write(rows)
    reached.resolve()
    return refused.promise
  })
  let second: Promise<string> | undefined
  await changes.journal.record(changeOf('move', a, c), async () => {
    second = moveEntry(changes, scope, { from: b, to: c, onConflict: 'overwrite' }).then(
      () => 'done',
      ({ message }) => message,
    )
    await reached.promise
    await storage.rename(a, c, { replace: false })
  })
  refused.reject(new DatabaseRefusal('full', new Error('full')))
  expect(await second).toContain('full')
  await stored(a)
  await changes.journal.recover()
  expect(await shownBy(storage, a)).toBe(a)
  expect(await shownBy(storage, b)).toBe(b)
})

test('a shared file can be removed while the database cannot be written', async () => {
  const storage = await twoShares()
  const { changes, scope } = around(storage)
  await readOnly(true)
  await removeEntry(changes, scope, a)
  await expect(storage.stat(a)).rejects.toMatchObject({ code: 'not-found' })
  await write(storage, a, 'PRIVATE')
  expect(await shownBy(storage, a)).toBe('')
  await readOnly(false)
  await stored(a)
  expect(await shareWithHash(db, a)).toBeUndefined()
})

const refused = async () => {
  throw new Error('a read-only volume')
}

test('a share stays when the removal of its file fails while the database cannot be written', async () => {
  const storage = await twoShares()
  const { changes, scope } = around(storage)
  await readOnly(true)
  await expect(changes.journal.record(changeOf('remove', a), refused)).rejects.toThrow('a read-only volume')
  expect(await shownBy(storage, a)).toBe(a)
  await readOnly(false)
  await removeEntry(changes, scope, a)
  expect(await shareWithHash(db, a)).toBeUndefined()
})

test('the share of a removed file stays shut when its replacement cannot be removed', async () => {
  const storage = await twoShares()
  const { changes, scope } = around(storage)
  await readOnly(true)
  await removeEntry(changes, scope, a)
  await write(storage, a, 'PRIVATE')
  await expect(changes.journal.record(changeOf('remove', a), refused)).rejects.toThrow('a read-only volume')
  expect(await shownBy(storage, a)).toBe('')
  await readOnly(false)
  await stored(a)
  expect(await shareWithHash(db, a)).toBeUndefined()
})

test('a change reads only the affected shares of thousands', async () => {
  const storage = await twoShares()
  const rows = (from: number) =>
    Array.from({ length: 500 }, (_, index) => ({
      hash: `h${from + index}`,
      user_id: user.id,
      location: `/a.txt-${from + index}/file.txt`,
      expires_at: 0,
      password_hash: '',
    }))
  for (let from = 0; from < 5000; from += 500) await db.insertInto('share').values(rows(from)).execute()
  let looks = 0
  const counting: Storage = { ...storage, stat: (path) => storage.stat(path).finally(() => looks++) }
  const { changes, scope } = around(counting)
  await moveEntry(changes, scope, { from: a, to: parsePath('/c.txt'), onConflict: 'fail' })
  expect(looks).toBeLessThan(20)
  expect(await shareWithHash(db, a)).toMatchObject({ isShut: false, location: '/c.txt' as Location })
  expect(await shareWithHash(db, 'h7')).toMatchObject({ isShut: false, location: '/a.txt-7/file.txt' as Location })
})

test('thousands of shares follow their folder', async () => {
  const storage = await twoShares()
  await write(storage, parsePath('/d/in.txt'), 'in')
  const rows = Array.from({ length: 3000 }, (_, index) => ({
    hash: `h${index}`,
    user_id: user.id,
    location: index % 2 === 0 ? '/d/in.txt' : `/d/sub ${index}/x`,
    expires_at: 0,
    password_hash: '',
  }))
  for (let from = 0; from < rows.length; from += 500)
    await db
      .insertInto('share')
      .values(rows.slice(from, from + 500))
      .execute()
  const { changes, scope } = around(storage)
  await moveEntry(changes, scope, { from: parsePath('/d'), to: parsePath('/e'), onConflict: 'fail' })
  expect(await shareWithHash(db, 'h8')).toMatchObject({ isShut: false, location: '/e/in.txt' as Location })
  expect(await shareWithHash(db, 'h9')).toMatchObject({ isShut: false, location: '/e/sub 9/x' as Location })
  await removeEntry(changes, scope, parsePath('/e'))
  expect(await db.selectFrom('share').select('hash').where('hash', 'like', 'h%').execute()).toEqual([])
})

test('a removal that fails halfway keeps the shares of the files that are left, and no others', async () => {
  const storage = await twoShares()
  const { changes } = around(storage)
  await write(storage, parsePath('/d/in.txt'), 'in')
  const link = { hash: 'in', userID: user.id, expire: 0, hasPassword: false }
  await insertShare(db, { link, location: parseLocation('/d/in.txt'), passwordHash: '', isThroughSymlink: false })
  await insertShare(db, {
    link: { ...link, hash: 'd' },
    location: parseLocation('/d'),
    passwordHash: '',
    isThroughSymlink: false,
  })
  const half = changes.journal.record(changeOf('remove', parsePath('/d')), async () => {
    await storage.remove(parsePath('/d/in.txt'))
    throw new Error('the disk broke')
  })
  await expect(half).rejects.toThrow('the disk broke')
  expect(await shareWithHash(db, 'in')).toBeUndefined()
  expect(await shareWithHash(db, 'd')).toMatchObject({ isShut: false, isThroughSymlink: false })
})

/** Another process, of the same server or of another one, which cannot see what this one tracks. */
function process(
  storage: Storage,
  commit = groupCommit(db),
  isAlive = () => true,
): { changes: Changes; journal: Journal } {
  const node = { id: Bun.randomUUIDv7(), isAlive }
  const follows = { db, node, storageAt: () => storage, access: readerOf(storage), isOneOfSeveral: true }
  const journal = journalIn({
    ...{ db, clock, node, log: { warn() {} }, commit, retryAfter: 5 },
    followers: [shareFollower(follows)],
  })
  return { journal, changes: { door: 'web', journal, hooks: undefined, realPath: async () => '' } }
}

async function oneShare(): Promise<Storage> {
  const storage = await twoShares()
  await storage.remove(b)
  await db.deleteFrom('share').where('hash', '=', b).execute()
  journal = process(storage).journal
  follower = shareFollower({ db, node, storageAt: () => storage, access: readerOf(storage) })
  return storage
}

const c = parsePath('/c.txt')
const scopeOver = (storage: Storage) => scopeOf(actorOf(user, []), storage)
const onConflict = 'overwrite' as const

test('a file that another process moves on before the outcome is stored takes its share from the path', async () => {
  const storage = await oneShare()
  const second = process(storage)
  let commits = 0
  const first = process(storage, async (write) => {
    commits += 1
    if (commits === 2) {
      await moveEntry(second.changes, scopeOver(storage), { from: b, to: c, onConflict })
      await putAnother(storage)
    }
    return groupCommit(db)(write)
  })
  await moveEntry(first.changes, scopeOver(storage), { from: a, to: b, onConflict })
  expect(commits).toBeGreaterThan(1)
  expect(['', a as string]).toContain(await shownBy(storage, a))
})

test('a share that another process brings to a path which is being moved on does not stay there', async () => {
  const storage = await oneShare()
  const [first, second] = [process(storage), process(storage)]
  await write(storage, b, 'in the way')
  await second.journal.record(changeOf('move', b, c), async () => {
    await moveEntry(first.changes, scopeOver(storage), { from: a, to: b, onConflict })
    await storage.rename(b, c, { replace: true })
    await putAnother(storage)
  })
  expect(['', a as string]).toContain(await shownBy(storage, a))
})

/** What takes the place of the shared file. */
const putAnother = (storage: Storage, path = b) => write(storage, path, 'PRIVATE')

test.each(['move', 'remove'])(
  'a share stays with the file that one process moves while another one begins to %s what replaces it',
  async (verb) => {
    const storage = await oneShare()
    const [first, second] = [process(storage), process(storage)]
    await first.changes.journal.record(changeOf('move', a, b), async () => {
      await storage.rename(a, b, { replace: false })
      await putAnother(storage, a)
      if (verb === 'move') await moveEntry(second.changes, scopeOver(storage), { from: a, to: c, onConflict })
      else await removeEntry(second.changes, scopeOver(storage), a)
      expect(await shownBy(storage, a)).toBe('')
    })
    expect(await shownBy(storage, a)).toBe(a)
  },
)

test.each(['before its own is stored', 'before it is begun'])(
  'a share stays with the file whose move by another process is stored while what replaces it is moved, %s',
  async (moment) => {
    const storage = await oneShare()
    const first = process(storage)
    let commits = 0
    const second = process(storage, async (write) => {
      commits += 1
      if (commits === 1 && moment === 'before it is begun') {
        await moveEntry(first.changes, scopeOver(storage), { from: a, to: b, onConflict })
        await putAnother(storage, a)
      }
      return groupCommit(db)(write)
    })
    if (moment === 'before it is begun')
      await moveEntry(second.changes, scopeOver(storage), { from: a, to: c, onConflict })
    else {
      const [begun, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let other: Promise<void> | undefined
      await first.changes.journal.record(changeOf('move', a, b), async () => {
        await storage.rename(a, b, { replace: false })
        await putAnother(storage, a)
        other = second.changes.journal.record(changeOf('move', a, c), async () => {
          begun.resolve()
          await moved.promise
          await storage.rename(a, c, { replace: false })
        })
        await begun.promise
      })
      moved.resolve()
      await other
    }
    expect(commits).toBeGreaterThan(0)
    expect(await shownBy(storage, a)).toBe(a)
  },
)

test('a share that another process brings into a folder which is being moved does not stay at the old path', async () => {
  const storage = await oneShare()
  const [inside, next] = [parsePath('/d/a.txt'), parsePath('/d/b.txt')]
  await write(storage, inside, a)
  await db
    .updateTable('share')
    .set({ location: locationIn(1, inside) })
    .execute()
  const first = process(storage)
  let commits = 0
  const second = process(storage, async (rows) => {
    commits += 1
    // The second process has looked at the rows, and marks none of them yet.
    if (commits === 1) await moveEntry(first.changes, scopeOver(storage), { from: inside, to: next, onConflict })
    return groupCommit(db)(rows)
  })
  await moveEntry(second.changes, scopeOver(storage), { from: parsePath('/d'), to: parsePath('/e'), onConflict })
  await putAnother(storage, next)
  await putAnother(storage, inside)
  expect(['', a as string]).toContain(await shownBy(storage, a))
})

test('a share that a dead process had shut does not go with what another one finds at its path', async () => {
  const storage = await oneShare()
  const second = process(storage, undefined, () => false)
  const moved = Promise.withResolvers<void>()
  void process(storage).changes.journal.record(changeOf('move', a, b), async () => {
    await storage.rename(a, b, { replace: false })
    moved.resolve()
    await new Promise(() => {})
  })
  await moved.promise
  await putAnother(storage, a)
  await moveEntry(second.changes, scopeOver(storage), { from: a, to: c, onConflict })
  expect(await shownBy(storage, a)).toBe('')
  await second.journal.recover()
  expect(await shownBy(storage, a)).toBe(a)
})

test('a share is not reopened where another process has put another file meanwhile', async () => {
  const storage = await oneShare()
  const second = process(storage)
  const shown: string[] = []
  const first = process(storage, async (rows) => {
    await groupCommit(db)(rows)
    shown.push(await shownBy(storage, a))
  })
  await first.changes.journal.record(changeOf('move', a, b), async () => {
    await storage.rename(a, b, { replace: false })
    await moveEntry(second.changes, scopeOver(storage), { from: b, to: c, onConflict })
    await putAnother(storage)
  })
  expect(shown).not.toContain('PRIVATE')
  expect(await shownBy(storage, a)).not.toBe('PRIVATE')
})
