import { afterAll, expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { rootPath } from '../storage/path.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { listFlat } from './flat.ts'

const actor = { rules: [], user: { hideDotfiles: false } } as unknown as Actor
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.name,
  )
afterAll(removeFolders)

async function countingStorage() {
  const { storage, fill } = await makeHandle()
  await fill(
    '/',
    Array.from({ length: 50 }, (_, index) => `folder ${index}/below/file`),
  )
  let foldersRead = 0
  const counting = {
    ...storage,
    list(...args: Parameters<typeof storage.list>) {
      foldersRead += 1
      return storage.list(...args)
    },
  }
  return { scope: scopeOf(actor, counting), foldersRead: () => foldersRead }
}

test('the list of a whole tree reads no further folder once its client has left', async () => {
  const { scope, foldersRead } = await countingStorage()
  const leaving = new AbortController()
  const entries = listFlat(scope, rootPath, leaving.signal)
  await entries.next()
  leaving.abort()
  expect(await outcome(Array.fromAsync(entries))).toBe('AbortError')
  expect(foldersRead()).toBe(1)
})

test('the list of a whole tree reads nothing when its client left before it began', async () => {
  const { scope, foldersRead } = await countingStorage()
  expect(await outcome(listFlat(scope, rootPath, AbortSignal.abort()).next())).toBe('AbortError')
  expect(foldersRead()).toBe(0)
})
