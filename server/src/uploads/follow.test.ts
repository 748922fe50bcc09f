import type { Database as Sqlite } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import type { Change } from '../changes/change.ts'
import { journalIn } from '../changes/journal.ts'
import { openDatabase } from '../database/open.ts'
import { sqliteOf } from '../database/sqlite/open.ts'
import { parsePath, rootPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { uploadFollower } from './follow.ts'
import { type Upload, uploadStore } from './store.ts'

type Db = Awaited<ReturnType<typeof openDatabase>>

function journalOver(db: Db, storage: Storage = memoryStorage(), alive = 'this one') {
  const followers = [uploadFollower({ store: uploadStore(db), storageAt: () => storage })]
  const node = { id: 'this one', isAlive: (id: string | null) => id === alive }
  return journalIn({ db, clock: { unixSeconds: () => 0 }, node, log: { warn() {} }, followers })
}

const moving = (scope: string, from: string, to: string): Change => ({
  ...{ kind: 'move', actor: { id: 1, name: 'ann' }, door: 'web', scope },
  ...{ from: parsePath(from), to: parsePath(to) },
})

const sample: Upload = {
  id: '',
  userId: 1,
  scope: rootPath,
  path: parsePath('/a'),
  place: parsePath('/a'),
  length: 1,
  override: false,
  modified: undefined,
  mayRewind: false,
  trusted: undefined,
  expiresAt: 9_999_999_999,
  metadata: undefined,
  node: undefined,
  synced: undefined,
  kernel: undefined,
}

const cases: [what: string, scope: string, place: string, mover: string, from: string, to: string, now: unknown][] = [
  ['with its folder', '/', '/a/up', '/', '/a', '/b', { place: '/b/up' }],
  ['with a folder above', '/', '/a/deep/up', '/', '/a', '/b', { place: '/b/deep/up' }],
  ['when a scope above its own moves the folder', '/home', '/a/up', '/', '/home/a', '/home/b', { place: '/b/up' }],
  ['when a scope below its own moves the folder', '/', '/home/a/up', '/home', '/a', '/b', { place: '/home/b/up' }],
  ['out of its scope', '/home', '/a/up', '/', '/home/a', '/other', { scope: '/', place: '/other/up' }],
  ['with a folder above its scope', '/home/ann', '/up', '/', '/home', '/b', { scope: '/', place: '/b/ann/up' }],
  ['with the folder of its scope', '/home', '/a/up', '/', '/home', '/b', { scope: '/', place: '/b/a/up' }],
  ['not with a folder of a similar name', '/', '/ab/up', '/', '/a', '/b', undefined],
  ['not with the old version of its file', '/', '/a/up', '/', '/a/up', '/b', undefined],
  ['not with a folder of another scope', '/home', '/a/up', '/', '/a', '/b', undefined],
]

test.each(cases)('an upload moves %s', async (_, scope, place, mover, from, to, now) => {
  const db = await openDatabase(':memory:')
  const store = uploadStore(db)
  const upload = { ...sample, scope: parsePath(scope), place: parsePath(place) }
  await store.insert({ ...upload, id: 'at its path', path: upload.place })
  await store.insert({ ...upload, id: 'elsewhere', path: parsePath('/else/where') })
  expect(await journalOver(db).record(moving(mover, from, to), async () => 'done')).toBe('done')
  const moved = { scope, place, ...(now as Partial<Pick<Upload, 'scope' | 'place'>> | undefined) }
  expect(await db.selectFrom('upload').select(['scope', 'place']).execute()).toEqual([moved, moved])
  await db.destroy()
})

test('thousands of uploads follow their folder in a few statements', async () => {
  const db = await openDatabase(':memory:')
  const store = uploadStore(db)
  for (let index = 0; index < 3000; index += 1)
    await store.insert({ ...sample, id: `in ${index}`, place: parsePath(`/a/${index}`) })
  for (let index = 0; index < 500; index += 1)
    await store.insert({ ...sample, id: `by ${index}`, place: parsePath(`/a-${index}/up`) })
  const asked = spyOn(sqliteOf(db) as Sqlite, 'query')
  await journalOver(db).record(moving('/', '/a', '/b'), async () => {})
  expect(asked.mock.calls.length).toBeLessThan(30)
  const moved = await db.selectFrom('upload').select('id').where('place', 'like', '/b/%').execute()
  expect(moved.length).toBe(3000)
  await db.destroy()
})

test.each([true, false])(
  'recovery moves the upload of a folder whose move a dead server left, if the folder is moved (%p)',
  async (isMoved) => {
    const db = await openDatabase(':memory:')
    const storage = memoryStorage()
    await uploadStore(db).insert({ ...sample, id: 'it', place: parsePath('/a/up') })
    await storage.beginDraft(parsePath('/a/up'), 'it', { precondition: 'absent', length: 1 })
    const begun = Promise.withResolvers<void>()
    void journalOver(db, storage).record(moving('/', '/a', '/b'), async () => {
      if (isMoved) await storage.rename(parsePath('/a'), parsePath('/b'), { replace: false })
      begun.resolve()
      await new Promise(() => {})
    })
    await begun.promise
    await journalOver(db, storage, 'another').recover()
    expect(await db.selectFrom('upload').select('place').execute()).toEqual([{ place: isMoved ? '/b/up' : '/a/up' }])
    expect(await db.selectFrom('change').selectAll().execute()).toEqual([])
    await db.destroy()
  },
)
