import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../test/database.ts'
import { parseLocation } from '../mounts/location.ts'
import { type Upload, uploadStore } from './store.ts'

const db = await testDatabase()
afterAll(() => db.destroy())

const upload = (id: string, path: string): Upload => ({
  id,
  userId: 1,
  location: parseLocation(path),
  place: parseLocation(path),
  length: 1,
  override: false,
  modified: undefined,
  mayRewind: false,
  trusted: undefined,
  expiresAt: 10,
  metadata: undefined,
  node: undefined,
  synced: undefined,
  kernel: undefined,
})
const rows = async () => (await db.selectFrom('upload').select('id').orderBy('id').execute()).map(({ id }) => id)

test('find returns the latest of several uploads to a location, and the one before it once that is forgotten', async () => {
  const store = uploadStore(db)
  const [older, later] = [upload('1', '/a'), upload('2', '/a')]
  await store.insert(later)
  await store.insert(older)
  expect(await store.find(later)).toEqual(later)
  store.forget('2')
  expect(await store.find(later)).toEqual(older)
  store.forget('1')
  expect(await store.find(later)).toBeUndefined()
  expect(await rows()).toEqual([])
})

test('a forgotten upload is not found, and its row is deleted a moment later', async () => {
  const store = uploadStore(db)
  for (const id of ['1', '2', '3']) await store.insert(upload(id, `/${id}`))
  store.forget('1')
  store.forget('2')
  expect((await store.expired(Number.MAX_SAFE_INTEGER)).map(({ id }) => id)).toEqual(['3'])
  store.forget('3')
  for (let tries = 0; tries < 200 && (await rows()).length > 0; tries += 1) await Bun.sleep(10)
  expect(await rows()).toEqual([])
})

test('expired uploads are found among more rows than are read at once', async () => {
  const store = uploadStore(db)
  for (let index = 0; index < 4500; index += 1) {
    const id = String(index).padStart(5, '0')
    await store.insert({ ...upload(id, `/${id}`), expiresAt: index % 1999 === 0 ? 5 : 10 })
  }
  expect((await store.expired(9)).map(({ id }) => id)).toEqual(['00000', '01999', '03998'])
  expect(await store.expired(4)).toEqual([])
  expect(await store.expired(10)).toHaveLength(4500)
  await db.deleteFrom('upload').execute()
})

test('what only one node may note is not noted once the row names another', async () => {
  const store = uploadStore(db)
  await store.insert({ ...upload('noted', '/noted'), node: 'a', synced: 0 })
  await store.change('noted', { synced: 10 }, { ofNode: 'a' })
  await store.change('noted', { node: 'b', synced: 0 })
  await store.change('noted', { synced: 20 }, { ofNode: 'a' })
  expect(await store.withId('noted')).toMatchObject({ node: 'b', synced: 0 })
  await store.delete('noted')
})
