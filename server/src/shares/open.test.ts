import { expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import { readerOf } from '../access/access.fixture.ts'
import { locationIn } from '../mounts/location.ts'
import { parsePath, rootPath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { hashPassword } from '../users/passwords.ts'
import { createUser } from '../users/users.ts'
import { type OpenDeps, openShare, type Visitor } from './open.ts'
import { passesSignedWith } from './passes.ts'
import { deleteShare, insertShare, relocateShares } from './store.ts'

const secret = 'correct horse'
const [path, moved] = [parsePath('/a.txt'), parsePath('/b.txt')]

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

/** Opens a share that has a password. `meanwhile` happens while the password is verified. */
async function openDuring(meanwhile: (deps: Pick<OpenDeps, 'db'>) => Promise<void>) {
  const db = await testDatabase()
  const clock = { unixSeconds: () => 0 }
  const storage = memoryStorage()
  const perm = { share: true, download: true }
  const wanted = User.parse({ username: 'alice', scope: '/', perm })
  const user = await createUser({ db, clock }, Settings.parse({}), wanted, { readyHash: 'none' })
  for (const [at, text] of [
    [path, 'replaces it'],
    [moved, 'the shared file'],
  ] as const)
    await storage.write(at, bytesOf(text), { precondition: 'absent' })
  const link = { hash: 'hash', userID: user.id, expire: 0, hasPassword: true }
  await insertShare(db, {
    ...{ link, location: locationIn(1, path), passwordHash: await hashPassword(secret), isThroughSymlink: false },
  })
  const deps: OpenDeps = {
    db,
    clock,
    storageAt: () => storage,
    access: readerOf(storage),
    isShut: () => false,
    watchChanges: () => ({ isTouched: false, [Symbol.dispose]() {} }),
    settings: async () => Settings.parse({}),
    passes: passesSignedWith(Buffer.alloc(64, 7)),
    throttle: {
      async guard(_guess, work) {
        const result = await work()
        await meanwhile({ db })
        return result
      },
      guardOne: (_key, work) => work(),
    },
  }
  const visitor: Visitor = {
    ...{ address: '127.0.0.1', isShared: false, claimed: '' },
    ...{ password: encodeURIComponent(secret), pass: '', takesAnyName: true, cancellation: { throwIfAborted() {} } },
  }
  try {
    const visit = await openShare(deps, link.hash, rootPath, visitor)
    return await (await visit.scope.open(visit.path)).content.text()
  } finally {
    await db.destroy()
  }
}

test('a share whose file is moved and replaced while the password is verified shows the moved file', async () => {
  const text = await openDuring(({ db }) =>
    db.transaction().execute((trx) => relocateShares(trx, [{ hash: 'hash', location: locationIn(1, moved) }])),
  )
  expect(text).toBe('the shared file')
})

test('a share that is deleted while the password is verified is not found', async () => {
  const code = await openDuring(({ db }) => deleteShare(db, 'hash')).catch((error) => error.code)
  expect(code).toBe('not-found')
})
