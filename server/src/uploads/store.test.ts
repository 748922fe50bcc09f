import { afterAll, expect, test } from 'bun:test'
import { openDatabase } from '../database/open.ts'
import { parsePath } from '../storage/path.ts'
import { type Upload, uploadStore } from './store.ts'

const db = await openDatabase(':memory:')
afterAll(() => db.destroy())

const upload = (id: string, path: string): Upload => ({
  id,
  userId: 1,
  scope: '/',
  path: parsePath(path),
  place: parsePath(path),
  length: 1,
  override: false,
  modified: undefined,
  mayRewind: false,
  trusted: undefined,
  expiresAt: 10,
  metadata: undefined,
  node: undefined,
})
const rows = async () => (await db.selectFrom('upload').select('id').orderBy('id').execute()).map(({ id }) => id)

test('of several uploads at a path the latest is found, and behind a forgotten one the one before it', async () => {
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

test('rows of forgotten uploads are deleted by themselves, and are not found meanwhile', async () => {
  const store = uploadStore(db)
  for (const id of ['1', '2', '3']) await store.insert(upload(id, `/${id}`))
  store.forget('1')
  store.forget('2')
  expect((await store.expired(Number.MAX_SAFE_INTEGER)).map(({ id }) => id)).toEqual(['3'])
  store.forget('3')
  for (let tries = 0; tries < 200 && (await rows()).length > 0; tries += 1) await Bun.sleep(10)
  expect(await rows()).toEqual([])
})
