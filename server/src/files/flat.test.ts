import { expect, test } from 'bun:test'
import { memoryStorage } from '../storage/memory.ts'
import type { Actor } from '../users/actor.ts'
import { listFlat } from './flat.ts'
import { parsePath, rootPath } from './path.ts'
import { scopeOf } from './scope.ts'

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
