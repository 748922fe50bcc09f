import { expect, test } from 'bun:test'
import { scopeOf } from '../access/scope.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { appendToUpload } from './append.ts'
import { cancelUpload } from './cancel.ts'
import { createUpload } from './create.ts'
import { uploadExpiry } from './expire.ts'
import { progressOf } from './progress.ts'
import { announced, bytesOf, file, lifetime, piece, setUp } from './races.fixture.ts'

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
