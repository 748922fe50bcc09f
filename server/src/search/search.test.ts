import { afterAll, expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { rootPath } from '../storage/path.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { search } from './search.ts'

const actor = { rules: [], user: { hideDotfiles: false } } as unknown as Actor
const stays = new AbortController().signal
afterAll(removeFolders)

async function makeFolders(count: number) {
  const { storage, fill } = await makeHandle()
  await fill(
    '/',
    Array.from({ length: count }, (_, index) => `folder ${index}/below/file`),
  )
  let asked = 0
  const counting = {
    ...storage,
    names(...args: Parameters<typeof storage.names>) {
      asked += 1
      return storage.names(...args)
    },
  }
  return { scope: scopeOf(actor, counting), foldersRead: () => asked }
}

test('a search reads no further folder once its client has left', async () => {
  const { scope, foldersRead } = await makeFolders(500)
  const leaving = new AbortController()
  const found = await search(scope, rootPath, () => true, { limit: 10_000, signal: leaving.signal })
  await found.next()
  leaving.abort()
  const rest = Array.fromAsync(found).then(
    () => 'found',
    (error: Error) => error.name,
  )
  expect(await rest).toBe('AbortError')
  expect(foldersRead()).toBeLessThan(10)
})

test('a search reads no further folder once it has found as many as wanted', async () => {
  const { scope, foldersRead } = await makeFolders(500)
  const batches = await Array.fromAsync(await search(scope, rootPath, () => true, { limit: 5, signal: stays }))
  expect(batches.flat().map(({ path }) => path)).toEqual([
    'folder 0',
    'folder 0/below',
    'folder 0/below/file',
    'folder 1',
    'folder 1/below',
  ])
  expect(foldersRead()).toBeLessThan(10)
})

test('a search yields its first hit before it reads a second folder', async () => {
  const { scope, foldersRead } = await makeFolders(500)
  const found = await search(scope, rootPath, () => true, { limit: 10_000, signal: stays })
  expect((await found.next()).value).toEqual([{ dir: true, path: 'folder 0' }])
  expect(foldersRead()).toBe(1)
  await found.return(undefined)
})
