import { expect, spyOn, test } from 'bun:test'
import { testDatabase } from '../../test/database.ts'
import type { Change } from '../changes/change.ts'
import { journalIn } from '../changes/journal.ts'
import type { OpenDatabase } from '../database/port.ts'
import { parseLocation } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { uploadFollower } from './follow.ts'
import { heldUploads } from './held.ts'
import { type Upload, uploadStore } from './store.ts'

type Db = OpenDatabase

function journalOver(db: Db, storage: Storage = memoryStorage(), alive = 'this one') {
  const deps = { store: uploadStore(db), storageAt: () => storage }
  const followers = [uploadFollower({ ...deps, db, held: heldUploads({ ...deps, most: 0 }) })]
  const node = { id: 'this one', isAlive: (id: string | null) => id === alive }
  return journalIn({ db, clock: { unixSeconds: () => 0 }, node, log: { warn() {} }, followers })
}

const moving = (from: string, to: string): Change => ({
  ...{ kind: 'move', actor: { id: 1, name: 'ann' }, door: 'web' },
  ...{ from: parseLocation(from), to: parseLocation(to) },
})

const sample: Upload = {
  id: '',
  userId: 1,
  location: parseLocation('/a'),
  place: parseLocation('/a'),
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

const cases: [what: string, place: string, from: string, to: string, now: string][] = [
  ['with its folder', '/a/up', '/a', '/b', '/b/up'],
  ['with a folder above', '/a/deep/up', '/a', '/b', '/b/deep/up'],
  ['with a folder that is the root of a mount', '2:/up', '2:/', '/b', '/b/up'],
  ['into another mount', '/a/up', '/a', '2:/b', '2:/b/up'],
  ['to the root of another mount', '/a/up', '/a', '2:/', '2:/up'],
  ['out of another mount', '2:/a/up', '2:/a', '/b', '/b/up'],
  ['not with a folder of a similar name', '/ab/up', '/a', '/b', '/ab/up'],
  ['not with the old version of its file', '/a/up', '/a/up', '/b', '/a/up'],
  ['not with a folder of the same name in another mount', '2:/a/up', '/a', '/b', '2:/a/up'],
  ['not with all of the first mount when it is in another', '2:/a/up', '/', '3:/b', '2:/a/up'],
  ['not with a mount whose number begins alike', '22:/a/up', '2:/', '/b', '22:/a/up'],
]

test.each(cases)('an upload moves %s', async (_, place, from, to, now) => {
  const db = await testDatabase()
  const store = uploadStore(db)
  const upload = { ...sample, place: parseLocation(place) }
  await store.insert({ ...upload, id: 'at its location', location: upload.place })
  await store.insert({ ...upload, id: 'elsewhere', location: parseLocation('/else/where') })
  expect(await journalOver(db).record(moving(from, to), async () => 'done')).toBe('done')
  expect(await db.selectFrom('upload').select(['location', 'place']).orderBy('id').execute()).toEqual([
    { location: place, place: now },
    { location: '/else/where', place: now },
  ])
  await db.destroy()
})

test('thousands of uploads follow their folder in a few statements', async () => {
  const db = await testDatabase()
  const store = uploadStore(db)
  for (let index = 0; index < 3000; index += 1)
    await store.insert({ ...sample, id: `in ${index}`, place: parseLocation(`/a/${index}`) })
  for (let index = 0; index < 500; index += 1)
    await store.insert({ ...sample, id: `by ${index}`, place: parseLocation(`/a-${index}/up`) })
  const asked = spyOn(db.getExecutor(), 'executeQuery')
  await journalOver(db).record(moving('/a', '/b'), async () => {})
  expect(asked.mock.calls.length).toBeLessThan(30)
  const moved = await db.selectFrom('upload').select('id').where('place', 'like', '/b/%').execute()
  expect(moved.length).toBe(3000)
  await db.destroy()
})

test.each([
  ['goes with it', '/b', '/b/up'],
  ['stays with a folder that has stayed', '/a', '/a/up'],
  ['is left to the server that has moved it elsewhere', '/c', '/a/up'],
])('at recovery the upload of a folder whose move a dead server left %s', async (_, now, expected) => {
  const db = await testDatabase()
  const storage = memoryStorage()
  await uploadStore(db).insert({ ...sample, id: 'it', place: parseLocation('/a/up') })
  await storage.beginDraft(parsePath('/a/up'), 'it', { precondition: 'absent', length: 1 })
  const begun = Promise.withResolvers<void>()
  void journalOver(db, storage).record(moving('/a', '/b'), async () => {
    if (now !== '/a') await storage.rename(parsePath('/a'), parsePath(now), { replace: false })
    begun.resolve()
    await new Promise(() => {})
  })
  await begun.promise
  await journalOver(db, storage, 'another').recover()
  expect(await db.selectFrom('upload').select('place').execute()).toEqual([{ place: expected }])
  expect(await db.selectFrom('change').selectAll().execute()).toEqual([])
  await db.destroy()
})
