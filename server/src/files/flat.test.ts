import { expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { parsePath, rootPath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { listFlat } from './flat.ts'

const actor = { rules: [], user: { hideDotfiles: false } } as unknown as Actor

test('whoever leaves stops the list of a whole tree', async () => {
  const storage = memoryStorage()
  for (let at = 0; at < 50; at += 1) await storage.createFolder(parsePath(`/folder ${at}/below`))
  const leaving = new AbortController()
  let foldersRead = 0
  const counting = {
    ...storage,
    list(...args: Parameters<typeof storage.list>) {
      foldersRead += 1
      return storage.list(...args)
    },
  }
  const entries = listFlat(scopeOf(actor, counting), rootPath, leaving.signal)
  await entries.next()
  leaving.abort()
  await expect(Array.fromAsync(entries)).rejects.toMatchObject({ name: 'AbortError' })
  expect(foldersRead).toBe(1)
})

test('whoever has left before the list begins has cost nothing', async () => {
  const storage = { ...memoryStorage(), list: () => Promise.reject(new Error('read')) }
  const entries = listFlat(scopeOf(actor, storage), rootPath, AbortSignal.abort())
  await expect(entries.next()).rejects.toMatchObject({ name: 'AbortError' })
})
