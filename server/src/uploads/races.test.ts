import { afterAll, expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { journalIn } from '../changes/journal.ts'
import type { OpenDatabase } from '../database/port.ts'
import { Failure } from '../failure.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { appendToUpload } from './append.ts'
import { cancelUpload } from './cancel.ts'
import { createUpload, uploadWhole } from './create.ts'
import { uploadExpiry } from './expire.ts'
import { progressOf } from './progress.ts'
import { uploadStore } from './store.ts'
import { uploadsIn } from './uploads.ts'

const file = parsePath('/film.mkv')
const announced = { length: 5, override: true, modified: undefined, metadata: undefined }
const perm = { create: true, modify: true }
const lifetime = 60
afterAll(removeFolders)

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const piece = (bytes: AsyncIterable<Uint8Array>, offset = 0) => ({
  ...{ offset, bytes, length: undefined, checksum: undefined },
})

type Operation = 'openDraft' | 'dropDraft' | 'commit'

/** Holds the next call of an operation on drafts at its end: its effect is there, and its caller does not know yet. */
function holdingStorage() {
  const inner = memoryStorage()
  const begun = new Set<string>()
  let held: { operation: Operation; reached(): void; released: Promise<void> } | undefined

  async function pass<T>(operation: Operation, result: Promise<T>): Promise<T> {
    const value = await result
    if (held?.operation !== operation) return value
    const { reached, released } = held
    held = undefined
    reached()
    await released
    return value
  }

  const storage: Storage = {
    ...inner,
    async beginDraft(path, id, options) {
      begun.add(id)
      return inner.beginDraft(path, id, options)
    },
    async dropDraft(path, id) {
      await inner.dropDraft(path, id)
      begun.delete(id)
      await pass('dropDraft', Promise.resolve())
    },
    async openDraft(path, id) {
      const draft = await inner.openDraft(path, id)
      const { size: sizeAtFirst, append, readInto, truncate, sync, close } = draft
      await pass('openDraft', Promise.resolve())
      return {
        append,
        readInto,
        truncate,
        sync,
        close,
        commit: (options) => pass('commit', draft.commit(options)),
        // On a disk, an open file that is removed has a size as well.
        get size() {
          return begun.has(id) ? draft.size : sizeAtFirst
        },
      }
    },
  }

  return {
    storage,
    inner,
    hold(operation: Operation) {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      held = { operation, reached: reached.resolve, released: released.promise }
      return { reached: reached.promise, release: released.resolve }
    },
    async drafts(): Promise<string[]> {
      const isKept = (id: string) =>
        inner.openDraft(file, id).then(
          (draft) => {
            draft.close()
            return true
          },
          () => false,
        )
      const kept: string[] = []
      for (const id of begun) if (await isKept(id)) kept.push(id)
      return kept
    },
  }
}

async function setUp() {
  const db = await testDatabase()
  const held = holdingStorage()
  const { storage } = held
  const textOf = async (path = file) => (await held.inner.open(path)).content.text()
  return { ...held, ...serverOver(db, storage, 'one'), db, textOf, [Symbol.asyncDispose]: () => db.destroy() }
}

function serverOver(db: OpenDatabase, storage: Storage, id: string) {
  const now = { seconds: 1 }
  const clock = { unixSeconds: () => now.seconds }
  const node = { id, kernel: 'kernel', isAlive: () => true }
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [] })
  const changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' } as const
  const uploads = uploadsIn({ store: uploadStore(db), clock, node, changes, storageAt: () => storage }, lifetime)
  const scope = scopeOf(actorOf(User.parse({ username: 'ann', id: 1, scope: '/', perm }), []), storage)
  return { uploads, scope, now }
}

/** Lets everything go on that waits for nothing outside of the process. */
async function turns(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await new Promise((resolve) => setImmediate(resolve))
}

test.each(['finished', 'cancelled'])(
  'an upload that is announced again while it is %s leaves no draft without a row',
  async (how) => {
    await using at = await setUp()
    const { uploads, scope, db } = at
    await createUpload(uploads, scope, file, announced)
    const { reached, release } = at.hold(how === 'finished' ? 'commit' : 'dropDraft')
    const ending =
      how === 'finished'
        ? appendToUpload(uploads, scope, file, piece(bytesOf('bytes')))
        : cancelUpload(uploads, scope, file)
    await reached
    const again = createUpload(uploads, scope, file, announced)
    await turns()
    release()
    await ending
    expect(await again).toBe(1 + lifetime)

    await uploads.store.flush()
    const rows = (await db.selectFrom('upload').select('id').execute()).map(({ id }) => id)
    expect([await at.drafts(), rows.length]).toEqual([rows, 1])
  },
)

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

test('an upload whose place is elsewhere when it is announced again begins anew there, and leaves no draft', async () => {
  await using at = await setUp()
  const { uploads, scope, db } = at
  const [link, within] = [parsePath('/link'), parsePath('/link/film.mkv')]
  for (const folder of ['/one', '/two']) await at.inner.createFolder(parsePath(folder))
  at.inner.putLink('one', link)
  await createUpload(uploads, scope, within, announced)
  await appendToUpload(uploads, scope, within, piece(bytesOf('by')))
  await at.inner.remove(link)
  at.inner.putLink('two', link)
  await createUpload(uploads, scope, within, announced)
  expect(await progressOf(uploads, scope, within)).toMatchObject({ offset: 0 })
  await uploadExpiry(uploads)()
  const places = (await db.selectFrom('upload').select('place').execute()).map(({ place }) => place)
  expect(places).toEqual(['/two/film.mkv'])
})

test('an upload that is announced again while its disk is not mounted goes on when it is there again', async () => {
  await using at = await setUp()
  const { uploads, scope, db } = at
  await createUpload(uploads, scope, file, announced)
  await appendToUpload(uploads, scope, file, piece(bytesOf('by')))
  const empty = scopeOf(scope.actor, memoryStorage())
  await createUpload(uploads, empty, file, announced)
  expect(await progressOf(uploads, empty, file)).toMatchObject({ offset: 0 })
  expect(await db.selectFrom('upload').select('id').execute()).toHaveLength(1)
  await uploadExpiry(uploads)()
  expect(await progressOf(uploads, scope, file)).toMatchObject({ offset: 2 })
  await appendToUpload(uploads, scope, file, piece(bytesOf('tes'), 2))
  expect(await at.textOf()).toBe('bytes')
})

/** A scope in which the next draft is late. */
function lateIn({ scope }: ReturnType<typeof serverOver>, storage: Storage) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late: Storage = {
    ...storage,
    async beginDraft(...given) {
      reached.resolve()
      await released.promise
      return storage.beginDraft(...given)
    },
  }
  return { scope: scopeOf(scope.actor, late), reached: reached.promise, release: released.resolve }
}

test('an upload that is announced on two servers at once leaves no draft without a row', async () => {
  await using at = await setUp()
  const { uploads, db } = at
  const two = serverOver(db, at.storage, 'two')
  const late = lateIn(at, at.storage)
  const first = createUpload(uploads, late.scope, file, announced)
  await late.reached
  await createUpload(two.uploads, two.scope, file, announced)
  late.release()
  await first
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
    const two = serverOver(db, at.storage, 'two')
    const late = lateIn(at, at.storage)
    const first = createUpload(uploads, late.scope, file, announced)
    await late.reached
    await ends[how]?.(two)
    late.release()
    await first
    await uploadExpiry(uploads)()
    const rows = (await db.selectFrom('upload').select('id').execute()).map(({ id }) => id)
    expect(await at.drafts()).toEqual(rows)
    expect(rows).toHaveLength(how === 'is announced as another one' ? 1 : 0)
  },
)

test('a question about a whole upload does not finish another one that has begun at its path meanwhile', async () => {
  await using at = await setUp()
  const { uploads, scope } = at
  await createUpload(uploads, scope, file, { ...announced, override: false })
  await at.inner.write(file, bytesOf('taken'), { precondition: 'absent' })
  const whole = await appendToUpload(uploads, scope, file, piece(bytesOf('bytes'))).catch(({ code }) => code)
  expect(whole).toBe('already-exists')
  await at.inner.remove(file)

  const { reached, release } = at.hold('openDraft')
  const progress = progressOf(uploads, scope, file)
  await reached
  await createUpload(uploads, scope, file, { ...announced, length: 7 })
  release()
  expect(await progress).toMatchObject({ offset: 0, length: 7, expiresAt: 1 + lifetime })
  const found = await at.inner.stat(file).catch(({ code }) => code)
  expect(found).toBe('not-found')
})

test('an upload that is prolonged while others are found to be expired keeps its draft', async () => {
  await using at = await setUp()
  const { uploads, scope, now } = at
  const other = parsePath('/other.mkv')
  for (const path of [other, file]) await createUpload(uploads, scope, path, announced)
  const [begun, arriving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = async function* () {
    yield Buffer.from('by')
    begun.resolve()
    await arriving.promise
  }
  const appending = appendToUpload(uploads, scope, file, piece(slow()))
  await begun.promise
  now.seconds = 1 + lifetime

  const { reached, release } = at.hold('dropDraft')
  const expiring = uploadExpiry(uploads, { delay: 0 })()
  await reached
  arriving.resolve()
  expect(await appending).toMatchObject({ offset: 2, expiresAt: 1 + 2 * lifetime })
  release()
  await expiring
  expect(await progressOf(uploads, scope, file)).toMatchObject({ offset: 2 })
  expect(await progressOf(uploads, scope, other).catch(({ code }) => code)).toBe('not-found')
})

test('a clock that is wrong for a moment costs no upload, and one that is late for long ends it', async () => {
  await using at = await setUp()
  const { uploads, scope, now } = at
  let running = 0
  const removeExpired = uploadExpiry(uploads, { delay: 1000, running: () => running })
  await createUpload(uploads, scope, file, announced)
  await appendToUpload(uploads, scope, file, piece(bytesOf('by')))
  const days = 3 * 86_400
  for (const milliseconds of [0, 999]) {
    now.seconds += days
    running += milliseconds
    await removeExpired()
    expect(await at.drafts()).toHaveLength(1)
    now.seconds -= days
    await removeExpired()
  }
  expect(await progressOf(uploads, scope, file)).toMatchObject({ offset: 2 })

  now.seconds += days
  await removeExpired()
  running += 1000
  await removeExpired()
  expect(await at.drafts()).toEqual([])
})

test('an upload that is announced again without override while it is sent replaces no file', async () => {
  await using at = await setUp()
  const { uploads, scope } = at
  await createUpload(uploads, scope, file, announced)
  const arriving = Promise.withResolvers<void>()
  const slow = async function* () {
    yield Buffer.from('byt')
    await arriving.promise
    yield Buffer.from('es')
  }
  const appending = appendToUpload(uploads, scope, file, piece(slow())).catch(({ code }) => code)
  await turns()
  await createUpload(uploads, scope, file, { ...announced, override: false })
  await at.inner.write(file, bytesOf('older'), { precondition: 'absent' })
  arriving.resolve()
  expect(await appending).toBe('already-exists')
  expect(await at.textOf()).toBe('older')
})

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
