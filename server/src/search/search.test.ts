import { expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { parsePath, rootPath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { search } from './search.ts'

const actor = { rules: [], user: { hideDotfiles: false } } as unknown as Actor
const stays = new AbortController().signal

async function makeFolders(count: number) {
  const storage = memoryStorage()
  for (let at = 0; at < count; at += 1) await storage.createFolder(parsePath(`/folder ${at}/below`))
  let asked = 0
  const counting = {
    ...storage,
    async names(...args: Parameters<typeof storage.names>) {
      asked += 1
      await Bun.sleep(0)
      return storage.names(...args)
    },
  }
  return { scope: scopeOf(actor, counting), foldersRead: () => asked }
}

test('whoever leaves stops the search', async () => {
  const { scope, foldersRead } = await makeFolders(500)
  const leaving = new AbortController()
  const found = await search(scope, rootPath, () => true, { limit: 10_000, signal: leaving.signal })
  await found.next()
  leaving.abort()
  await expect(Array.fromAsync(found)).rejects.toThrow()
  expect(foldersRead()).toBeLessThan(10)
})

test('enough is enough', async () => {
  const { scope, foldersRead } = await makeFolders(500)
  const batches = await Array.fromAsync(await search(scope, rootPath, () => true, { limit: 5, signal: stays }))
  expect(batches.flat().map(({ path }) => path)).toEqual([
    'folder 0',
    'folder 0/below',
    'folder 1',
    'folder 1/below',
    'folder 10',
  ])
  expect(foldersRead()).toBeLessThan(10)
})

test('the first find is told before the rest is looked for', async () => {
  const { scope, foldersRead } = await makeFolders(500)
  const found = await search(scope, rootPath, () => true, { limit: 10_000, signal: stays })
  expect((await found.next()).value).toEqual([{ dir: true, path: 'folder 0' }])
  expect(foldersRead()).toBe(1)
  await found.return(undefined)
})
