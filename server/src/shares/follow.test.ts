import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { noHooks } from '../commands/hooks.ts'
import { openDatabase, sqliteOf } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { moveEntry, removeEntry } from '../files/change.ts'
import { parsePath, rootPath } from '../files/path.ts'
import { scopeOf } from '../files/scope.ts'
import { faultyStorage } from '../storage/faulty.ts'
import { memoryStorage } from '../storage/memory.ts'
import type { Storage } from '../storage/storage.ts'
import { actorOf } from '../users/actor.ts'
import { createUser } from '../users/users.ts'
import { shareWitness } from './follow.ts'
import { insertShare, shareWithHash } from './store.ts'

const [a, b] = [parsePath('/a.txt'), parsePath('/b.txt')]
let db: Kysely<Database>
let user: User

beforeEach(async () => {
  db = await openDatabase(':memory:')
  const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
  const wanted = User.parse({ username: 'alice', scope: '/', perm })
  user = await createUser({ db, clock: { unixSeconds: () => 0 } }, Settings.parse({}), wanted, { readyHash: 'none' })
})
afterEach(() => db.destroy())

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
const write = (storage: Storage, path: typeof a, text: string) =>
  storage.write(path, bytesOf(text), { mode: 'replace' })

/** Two files, both shared under their own names. */
async function twoShares(): Promise<Storage> {
  const storage = memoryStorage()
  await db.deleteFrom('share').execute()
  for (const path of [a, b]) {
    await write(storage, path, path)
    const link = { hash: path, path, userID: user.id, expire: 0, hasPassword: false }
    await insertShare(db, { link, scope: rootPath, passwordHash: '', isInDoubt: false })
  }
  return storage
}

/** What a visitor would get for a share. */
async function shownBy(storage: Storage, hash: string): Promise<string> {
  const share = await shareWithHash(db, hash)
  if (share === undefined || share.isInDoubt) return ''
  const file = await storage.open(parsePath(share.link.path)).catch(() => undefined)
  return (await file?.content.text()) ?? ''
}

const around = (storage: Storage) => ({
  deps: {
    hooks: noHooks,
    realPath: async () => '',
    witness: shareWitness({ db, storageAt: () => storage, node: { id: 'a node', isAlive: () => true } }),
  },
  scope: scopeOf(actorOf(user, []), storage),
})

test.each(['move', 'remove'])('whichever call fails, a %s never makes a share show another file', async (verb) => {
  for (let failingCall = 1; ; failingCall += 1) {
    const storage = await twoShares()
    const { deps, scope } = around(faultyStorage(storage, failingCall))
    const work =
      verb === 'move'
        ? moveEntry(deps, scope, { from: a, to: b, onConflict: 'overwrite' })
        : removeEntry(deps, scope, a)
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

test('while a file is under way its share shows nothing', async () => {
  const { deps, scope } = around(await twoShares())
  await deps.witness.moving(scope.actor, a, parsePath('/c.txt'), async () => {
    expect(await shareWithHash(db, a)).toMatchObject({ isInDoubt: true, link: { path: a } })
    expect(await shareWithHash(db, b)).toMatchObject({ isInDoubt: false })
  })
  expect(await shareWithHash(db, a)).toMatchObject({ isInDoubt: false, link: { path: '/c.txt' } })
})

test('a move whose outcome cannot be stored leaves the share shut', async () => {
  const storage = await twoShares()
  const { deps, scope } = around(storage)
  sqliteOf(db)?.run("create trigger full before update of path on share begin select raise(abort, 'full'); end")
  await expect(moveEntry(deps, scope, { from: a, to: parsePath('/c.txt'), onConflict: 'fail' })).rejects.toThrow('full')
  await write(storage, a, 'PRIVATE')
  expect(await shownBy(storage, a)).toBe('')
})

test('a deed that failed halfway keeps only the shares of what it left alone', async () => {
  const storage = await twoShares()
  const { deps, scope } = around(storage)
  await write(storage, parsePath('/d/in.txt'), 'in')
  const link = { hash: 'in', path: '/d/in.txt', userID: user.id, expire: 0, hasPassword: false }
  await insertShare(db, { link, scope: rootPath, passwordHash: '', isInDoubt: false })
  await insertShare(db, {
    link: { ...link, hash: 'd', path: '/d' },
    scope: rootPath,
    passwordHash: '',
    isInDoubt: false,
  })
  const half = deps.witness.removing(scope.actor, parsePath('/d'), async () => {
    await storage.remove(parsePath('/d/in.txt'))
    throw new Error('the disk broke')
  })
  await expect(half).rejects.toThrow('the disk broke')
  expect(await shareWithHash(db, 'in')).toBeUndefined()
  expect(await shareWithHash(db, 'd')).toMatchObject({ isInDoubt: false })
})
