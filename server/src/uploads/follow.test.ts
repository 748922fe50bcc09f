import type { Database as Sqlite } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import type { FileWitness } from '../changes/witness.ts'
import { openDatabase } from '../database/open.ts'
import { sqliteOf } from '../database/sqlite/open.ts'
import { parsePath } from '../storage/path.ts'
import { uploadWitness } from './follow.ts'
import { type Upload, uploadStore } from './store.ts'

const alone: FileWitness = {
  moving: (_actor, _from, _to, deed) => deed(),
  removing: (_actor, _path, deed) => deed(),
}

const sample: Upload = {
  id: '',
  userId: 1,
  scope: '/',
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
}

const cases: [what: string, scope: string, place: string, mover: string, from: string, to: string, now: unknown][] = [
  ['with its folder', '/', '/a/up', '/', '/a', '/b', { place: '/b/up' }],
  ['with a folder above', '/', '/a/deep/up', '/', '/a', '/b', { place: '/b/deep/up' }],
  ['moved by one who sees more', '/home', '/a/up', '/', '/home/a', '/home/b', { place: '/b/up' }],
  ['moved by one who sees less', '/', '/home/a/up', '/home', '/a', '/b', { place: '/home/b/up' }],
  ['out of reach', '/home', '/a/up', '/', '/home/a', '/other', { scope: '/', place: '/other/up' }],
  ['not with a folder of a similar name', '/', '/ab/up', '/', '/a', '/b', undefined],
  ['not with the old version of its file', '/', '/a/up', '/', '/a/up', '/b', undefined],
  ['not with a folder of another scope', '/home', '/a/up', '/', '/a', '/b', undefined],
]

test.each(cases)('an upload goes %s', async (_, scope, place, mover, from, to, now) => {
  const db = await openDatabase(':memory:')
  const store = uploadStore(db)
  await store.insert({ ...sample, id: 'it', scope, place: parsePath(place) })
  const actor = { user: { scope: mover } } as Actor
  const deed = async () => 'done'
  expect(await uploadWitness({ store }, alone).moving(actor, parsePath(from), parsePath(to), deed)).toBe('done')
  const [row] = await db.selectFrom('upload').select(['scope', 'place']).execute()
  expect(row).toEqual({ scope, place, ...(now as object | undefined) })
  await db.destroy()
})

test('thousands of uploads go with their folder in a few statements', async () => {
  const db = await openDatabase(':memory:')
  const store = uploadStore(db)
  for (let index = 0; index < 3000; index += 1)
    await store.insert({ ...sample, id: `in ${index}`, scope: index % 2 ? '/' : '', place: parsePath(`/a/${index}`) })
  for (let index = 0; index < 500; index += 1)
    await store.insert({ ...sample, id: `by ${index}`, place: parsePath(`/a-${index}/up`) })
  const asked = spyOn(sqliteOf(db) as Sqlite, 'query')
  const actor = { user: { scope: '/' } } as Actor
  await uploadWitness({ store }, alone).moving(actor, parsePath('/a'), parsePath('/b'), async () => {})
  expect(asked.mock.calls.length).toBeLessThan(30)
  const moved = await db.selectFrom('upload').select('id').where('place', 'like', '/b/%').execute()
  expect(moved.length).toBe(3000)
  await db.destroy()
})
