import { expect, test } from 'bun:test'
import { Settings, ShareTerms, User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import { readerOf } from '../access/access.fixture.ts'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { createUser } from '../users/users.ts'
import { createShare } from './shares.ts'
import { allShares } from './store.ts'

const path = parsePath('/a.txt')

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

test('createShare makes no share of a file that another server moves away meanwhile', async () => {
  const db = await testDatabase()
  const storage = memoryStorage()
  await storage.write(path, bytesOf('a'), { precondition: 'absent' })
  const perm = { share: true, download: true }
  const wanted = User.parse({ username: 'alice', scope: '/', perm })
  const user = await createUser({ db, clock: { unixSeconds: () => 0 } }, Settings.parse({}), wanted, {
    readyHash: 'none',
  })
  let moving: Promise<void> | undefined
  const clock = {
    // Read once the file has been found.
    unixSeconds() {
      moving ??= storage.rename(path, parsePath('/b.txt'), { replace: false })
      return 0
    },
  }
  const watchChanges = () => ({ isTouched: false, [Symbol.dispose]() {} })
  const deps = { db, clock, storageAt: () => storage, access: readerOf(storage), watchChanges }
  const scope = scopeOf(actorOf(user, []), storage)
  const code = await createShare(deps, scope, path, ShareTerms.parse({})).catch((error) => error.code)
  await moving
  expect([code, await allShares(db)]).toEqual(['not-found', []])
  await db.destroy()
})
