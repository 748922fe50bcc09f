import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../test/database.ts'
import { scopeOf } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import type { Storage } from '../storage/port.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { appendToUpload } from './append.ts'
import { cancelUpload } from './cancel.ts'
import { createUpload, uploadWhole } from './create.ts'
import { uploadExpiry } from './expire.ts'
import { progressOf } from './progress.ts'
import { announced, bytesOf, file, piece, serverOver, setUp } from './races.fixture.ts'

afterAll(removeFolders)

test('an upload that another server has just finished is begun anew when it is announced again, and nothing is left of either', async () => {
  await using at = await setUp()
  const { uploads, scope, db } = at
  const two = serverOver(db, at.storage, 'two')
  await createUpload(uploads, scope, file, announced)
  await appendToUpload(uploads, scope, file, piece(bytesOf('bytes')))
  // Its row is there still.
  await createUpload(two.uploads, two.scope, file, announced)
  await uploads.store.flush()
  const rows = (await db.selectFrom('upload').select('id').execute()).map(({ id }) => id)
  expect([await at.drafts(), rows.length]).toEqual([rows, 1])
  expect(await progressOf(two.uploads, two.scope, file)).toMatchObject({ offset: 0 })
  await appendToUpload(two.uploads, two.scope, file, piece(bytesOf('other')))
  await two.uploads.store.flush()
  expect(await at.textOf()).toBe('other')
  expect([await at.drafts(), await db.selectFrom('upload').select('id').execute()]).toEqual([[], []])
})

test('an upload that another server finishes while it is announced again leaves no draft without a row', async () => {
  await using at = await setUp()
  const { uploads, scope, db } = at
  const two = serverOver(db, at.storage, 'two')
  await createUpload(uploads, scope, file, announced)
  const { reached, release } = at.hold('openDraft')
  const again = createUpload(two.uploads, two.scope, file, announced)
  await reached
  await appendToUpload(uploads, scope, file, piece(bytesOf('bytes')))
  release()
  await again
  await uploads.store.flush()
  expect([await at.drafts(), await db.selectFrom('upload').select('id').execute()]).toEqual([[], []])
  expect(await at.textOf()).toBe('bytes')
})

/** An upload that is announced on one server, whose draft is late, and another server beside it. */
async function begunLate({ uploads, scope, storage, db }: Awaited<ReturnType<typeof setUp>>) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late: Storage = {
    ...storage,
    async beginDraft(...given) {
      reached.resolve()
      await released.promise
      return storage.beginDraft(...given)
    },
  }
  const begun = createUpload(uploads, scopeOf(scope.actor, late), file, announced)
  await reached.promise
  return {
    two: serverOver(db, storage, 'two'),
    async end() {
      released.resolve()
      await begun
    },
  }
}

test('an upload that is announced on two servers at once leaves no draft without a row', async () => {
  await using at = await setUp()
  const { uploads, db } = at
  const { two, end } = await begunLate(at)
  await createUpload(two.uploads, two.scope, file, announced)
  await end()
  const rows = (await db.selectFrom('upload').select('id').orderBy('id').execute()).map(({ id }) => id)
  expect([await at.drafts(), rows.length]).toEqual([rows.toReversed(), 2])
  await uploadExpiry(uploads)()
  expect(await at.drafts()).toEqual(rows.slice(1))
  expect(await progressOf(two.uploads, two.scope, file)).toMatchObject({ offset: 0 })
})

const ends: Readonly<Record<string, (server: ReturnType<typeof serverOver>) => Promise<unknown>>> = {
  'is cancelled': ({ uploads, scope }) => cancelUpload(uploads, scope, file),
  'is announced as another one': ({ uploads, scope }) =>
    createUpload(uploads, scope, file, { ...announced, length: 7 }),
  'comes whole': ({ uploads, scope }) => uploadWhole(uploads, scope, file, announced, Buffer.from('whole')),
}

test.each(Object.keys(ends))(
  'an upload that %s on another server while it is announced leaves no draft without a row',
  async (how) => {
    await using at = await setUp()
    const { uploads, db } = at
    const { two, end } = await begunLate(at)
    await ends[how]?.(two)
    await end()
    await uploadExpiry(uploads)()
    const rows = (await db.selectFrom('upload').select('id').execute()).map(({ id }) => id)
    expect(await at.drafts()).toEqual(rows)
    expect(rows).toHaveLength(how === 'is announced as another one' ? 1 : 0)
  },
)

test('a draft that another server held meanwhile goes on from what that one noted', async () => {
  await using at = await setUp()
  const { uploads, db } = at
  let held = async () => {}
  const storage: Storage = {
    ...at.storage,
    async openDraft(path, id, options) {
      await held()
      return at.storage.openDraft(path, id, options)
    },
  }
  const scope = scopeOf(at.scope.actor, storage)
  await createUpload(uploads, scope, file, { ...announced, length: 10 })
  await appendToUpload(uploads, scope, file, piece(bytesOf('byt')))
  // It dies in the middle of a piece with a checksum, of which nothing can be trusted.
  held = async () => {
    held = async () => {}
    await db.updateTable('upload').set({ node: 'two', trusted: 2 }).execute()
    throw new Failure('locked', 'Another server has it')
  }
  expect(await appendToUpload(uploads, scope, file, piece(bytesOf('tes'), 2))).toMatchObject({ offset: 5 })
})

test('without locks of files, a piece that fails on one server does not cut the file that another one has made', async () => {
  await using db = Object.assign(await testDatabase(), {
    async [Symbol.asyncDispose]() {
      await db.destroy()
    },
  })
  const disk = await makeHandle()
  const storage: Storage = { ...disk.storage, openDraft: (path, id) => disk.storage.openDraft(path, id) }
  const [one, two] = [serverOver(db, storage, 'one'), serverOver(db, storage, 'two')]
  await createUpload(one.uploads, one.scope, file, announced)
  const broken = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const breaking = async function* () {
    yield Buffer.from('by')
    arrived.resolve()
    await broken.promise
    throw new Error('The connection broke')
  }
  const checksum = { algorithm: 'sha1', digest: Buffer.alloc(20) } as const
  const first = appendToUpload(one.uploads, one.scope, file, { ...piece(breaking()), checksum })
  const failed = first.catch(({ message }) => message)
  await arrived.promise
  await appendToUpload(two.uploads, two.scope, file, piece(bytesOf('bytes')))
  broken.resolve()
  expect(await failed).toBe('The connection broke')
  expect(await (await storage.open(file)).content.text()).toBe('bytes')
})
