import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { breakWrites, mendWrites } from '../../test/broken-writes.ts'
import { testDatabase } from '../../test/database.ts'
import type { Database } from '../database/schema.ts'
import type { Storage } from '../storage/port.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { allUsers } from './store.ts'
import { changeUser, createUser } from './users.ts'

const settings = Settings.parse({})
const clock = { unixSeconds: () => 0 }
let db: Kysely<Database>
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.destroy()
  await removeFolders()
})

const wanted = (username: string) => User.parse({ username, password: '', scope: `/${username}` })
const names = async () => (await allUsers(db)).map(({ username }) => username)

test('createUser on a disk that does not answer: other users are stored meanwhile, this one once its home is made', async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const storage: Storage = {
    ...(await makeHandle()).storage,
    async createFolder() {
      asked.resolve()
      await answer.promise
    },
  }
  const slow = createUser({ db, clock, storageAt: () => storage }, settings, wanted('slow'), { readyHash: 'none' })
  await asked.promise
  await createUser({ db, clock }, settings, wanted('quick'), { readyHash: 'none' })
  expect(await names()).toEqual(['quick'])
  answer.resolve()
  await slow
  expect(await names()).toEqual(['quick', 'slow'])
})

test('createUser removes the home that it made when the user cannot be stored, and leaves one that existed', async () => {
  const { storage, createFolder, names: namesIn } = await makeHandle()
  await createFolder('/here')
  await breakWrites(db, { table: 'user', change: 'insert', message: 'broken' })
  for (const name of ['here', 'new']) {
    const creating = createUser({ db, clock, storageAt: () => storage }, settings, wanted(name), { readyHash: 'none' })
    expect(await creating.catch((error: Error) => error.message)).toContain('broken')
  }
  expect(await namesIn('/')).toEqual(['here'])
})

test('changeUser with a derived change keeps what another change stored meanwhile', async () => {
  await mendWrites(db, 'user')
  const { id } = await createUser({ db, clock }, settings, wanted('two'), { readyHash: 'none' })
  const derive = (current: User) => ({ perm: { ...current.perm, share: true } })
  await changeUser({ db, clock }, settings, id, { perm: { ...wanted('two').perm, download: true }, locale: 'de' })
  await changeUser({ db, clock }, settings, id, {}, { derive })
  const user = (await allUsers(db)).find((one) => one.id === id)
  expect(user).toMatchObject({ locale: 'de', perm: { download: true, share: true } })
})
