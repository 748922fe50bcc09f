import { afterAll, beforeEach, expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { journalIn } from '../changes/journal.ts'
import { moveEntry } from '../changes/verbs.ts'
import { isFailure } from '../failure.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { appendToUpload } from './append.ts'
import { cancelUpload } from './cancel.ts'
import { createUpload } from './create.ts'
import { uploadFollower } from './follow.ts'
import { heldUploads } from './held.ts'
import { progressOf } from './progress.ts'
import { uploadStore } from './store.ts'
import { uploadsIn } from './uploads.ts'

const db = await testDatabase()
afterAll(() => db.destroy())
beforeEach(async () => void (await db.deleteFrom('upload').execute()))

const file = parsePath('/box/a.txt')
const announced = { length: 5, override: false, modified: undefined, metadata: 'name' }
const rows = () => db.selectFrom('upload').select(['id', 'place']).execute()

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const piece = (text: string, offset = 0) => ({
  offset,
  bytes: bytesOf(text),
  length: text.length,
  checksum: undefined,
})

function setUp({ most = 10, longest = 60_000, storage = memoryStorage() as Storage, isAlone = async () => true } = {}) {
  const clock = { unixSeconds: () => 1 }
  const node = { id: 'own', kernel: 'kernel', isAlive: () => true }
  const deps = { store: uploadStore(db), storageAt: () => storage }
  const held = heldUploads({ ...deps, most, longest, isAlone })
  const followers = [uploadFollower({ ...deps, db, held })]
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers })
  const changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' } as const
  const uploads = uploadsIn({ ...deps, held, clock, node, changes }, 60)
  const perm = { create: true, modify: true, rename: true, delete: true }
  const scope = scopeOf(actorOf(User.parse({ username: 'ann', id: 1, scope: '/', perm }), []), storage)
  const textOf = async (path = file) => (await storage.open(path)).content.text()
  const isBegun = async (id: string) =>
    storage.openDraft(file, id).then(
      (draft) => {
        draft.close()
        return true
      },
      () => false,
    )
  return { uploads, held, scope, storage, changes, textOf, isBegun }
}

test('a small upload that comes whole with the next request has neither row nor draft', async () => {
  const { uploads, scope, held, textOf } = setUp()
  await createUpload(uploads, scope, file, announced)
  expect(await rows()).toEqual([])
  expect(await progressOf(uploads, scope, file)).toEqual({ offset: 0, length: 5, expiresAt: 61, metadata: 'name' })
  expect(await appendToUpload(uploads, scope, file, piece('bytes'))).toMatchObject({ offset: 5, expiresAt: undefined })
  expect([await textOf(), await rows()]).toEqual(['bytes', []])
  expect(held.find({ userId: 1, location: scope.locate(file) })).toBeUndefined()
  expect(await progressOf(uploads, scope, file)).toMatchObject({ offset: 5, metadata: 'name' })
})

test('one that comes in parts gets both with its first bytes', async () => {
  const { uploads, scope, textOf } = setUp()
  await createUpload(uploads, scope, file, announced)
  expect(await appendToUpload(uploads, scope, file, piece('by'))).toMatchObject({ offset: 2 })
  expect(await rows()).toHaveLength(1)
  await appendToUpload(uploads, scope, file, piece('tes', 2))
  expect(await textOf()).toBe('bytes')
})

test('one of which nothing comes gets both after a while', async () => {
  const { uploads, scope, textOf, isBegun } = setUp({ longest: 5 })
  await createUpload(uploads, scope, file, announced)
  while ((await rows()).length === 0) await Bun.sleep(2)
  const [row] = await rows()
  while (!(await isBegun(row?.id ?? ''))) await Bun.sleep(2)
  await appendToUpload(uploads, scope, file, piece('bytes'))
  expect(await textOf()).toBe('bytes')
  await uploads.store.flush()
  expect(await rows()).toEqual([])
})

test('bytes that come while it gets them are not lost, and it is ended once', async () => {
  const storage = memoryStorage()
  const { promise: isGoing, resolve: go } = Promise.withResolvers<void>()
  const { promise: isReached, resolve: reached } = Promise.withResolvers<void>()
  const slow: Storage = {
    ...storage,
    async beginDraft(path, id, options) {
      if (!options.isLater) {
        reached()
        await isGoing
      }
      return storage.beginDraft(path, id, options)
    },
  }
  const { uploads, scope, textOf } = setUp({ longest: 1, storage: slow })
  await createUpload(uploads, scope, file, announced)
  await isReached
  const appending = appendToUpload(uploads, scope, file, piece('bytes'))
  await Bun.sleep(5)
  go()
  expect(await appending).toMatchObject({ offset: 5 })
  await uploads.store.flush()
  expect([await textOf(), await rows()]).toEqual(['bytes', []])
})

test('when the name was taken meanwhile, it is refused and waits for another try', async () => {
  const { uploads, scope, storage, textOf } = setUp()
  await createUpload(uploads, scope, file, announced)
  await storage.write(file, bytesOf('taken'), { precondition: 'absent' })
  const refused = await appendToUpload(uploads, scope, file, piece('bytes')).catch((error) => error)
  expect(isFailure(refused, 'already-exists')).toBe(true)
  expect(await progressOf(uploads, scope, file)).toMatchObject({ offset: 0 })
  await storage.remove(file)
  await appendToUpload(uploads, scope, file, piece('bytes'))
  expect(await textOf()).toBe('bytes')
})

test('it can be announced again and cancelled', async () => {
  const { uploads, scope, held } = setUp()
  await createUpload(uploads, scope, file, announced)
  await createUpload(uploads, scope, file, { ...announced, length: 3 })
  expect(await progressOf(uploads, scope, file)).toMatchObject({ length: 3 })
  await cancelUpload(uploads, scope, file)
  expect(isFailure(await progressOf(uploads, scope, file).catch((error) => error), 'not-found')).toBe(true)
  expect([await rows(), held.find({ userId: 1, location: scope.locate(file) })]).toEqual([[], undefined])
})

test('announced again while its bytes are awaited, it gets both, and what is wanted now counts', async () => {
  const { uploads, scope, storage, textOf } = setUp()
  const { promise: isGoing, resolve: go } = Promise.withResolvers<void>()
  async function* slowly() {
    await isGoing
    yield* bytesOf('bytes')
  }
  await createUpload(uploads, scope, file, announced)
  const appending = appendToUpload(uploads, scope, file, { ...piece('bytes'), bytes: slowly() })
  await storage.write(file, bytesOf('taken'), { precondition: 'absent' })
  await createUpload(uploads, scope, file, { ...announced, override: true })
  const [row] = await rows()
  go()
  expect(await appending).toMatchObject({ offset: 5 })
  await uploads.store.flush()
  expect([await textOf(), await rows()]).toEqual(['bytes', []])
  expect(await storage.openDraft(file, row?.id ?? '').catch(({ code }) => code)).toBe('not-found')
})

test('a folder that was removed by another program does not come back by itself', async () => {
  const { uploads, scope, storage, held } = setUp({ longest: 5 })
  await createUpload(uploads, scope, file, announced)
  await storage.remove(parsePath('/box'))
  while (held.find({ userId: 1, location: scope.locate(file) }) !== undefined) await Bun.sleep(2)
  expect(await storage.stat(parsePath('/box')).catch(({ code }) => code)).toBe('not-found')
  expect(await rows()).toEqual([])
  expect(isFailure(await progressOf(uploads, scope, file).catch((error) => error), 'not-found')).toBe(true)
})

test('it moves with its folder', async () => {
  const { uploads, scope, storage, changes, textOf } = setUp()
  await createUpload(uploads, scope, file, announced)
  await moveEntry(changes, scope, { from: parsePath('/box'), to: parsePath('/moved'), onConflict: 'fail' })
  await appendToUpload(uploads, scope, file, piece('bytes'))
  expect(await textOf(parsePath('/moved/a.txt'))).toBe('bytes')
  expect(await storage.stat(parsePath('/box')).catch(({ code }) => code)).toBe('not-found')
})

test('where others serve the same files, and beyond so many, none is held', async () => {
  const { uploads, scope } = setUp({ most: 1 })
  await createUpload(uploads, scope, file, announced)
  await createUpload(uploads, scope, parsePath('/box/b.txt'), announced)
  expect((await rows()).map(({ place }) => place.endsWith('b.txt'))).toEqual([true])
})

test('none is held while another server works with the same database', async () => {
  let isAlone = false
  const { uploads, scope } = setUp({ longest: 300, isAlone: async () => isAlone })
  await createUpload(uploads, scope, file, announced)
  expect(await rows()).toHaveLength(1)
  isAlone = true
  await Bun.sleep(310)
  await createUpload(uploads, scope, parsePath('/box/b.txt'), announced)
  expect(await rows()).toHaveLength(1)
})

test('when the server stops, all of them are written', async () => {
  const { uploads, scope, held, isBegun } = setUp()
  await createUpload(uploads, scope, file, announced)
  await held.write('all')
  const [row] = await rows()
  expect(await isBegun(row?.id ?? '')).toBe(true)
})
