import { afterAll, expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { parsePath } from '../storage/path.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import { readFile } from './read.ts'

const actor = { rules: [], user: { hideDotfiles: false, perm: { admin: true } } } as unknown as Actor
const path = parsePath('/film.mp4')
afterAll(removeFolders)
const options = { asked: path, signal: new AbortController().signal }

/** A film in a folder that cannot be listed. */
async function filmWithout(failure: Error) {
  const { storage, write } = await makeHandle()
  await write(path, 'film')
  let left = 0
  const scope = scopeOf(actor, {
    ...storage,
    list: () => Promise.reject(failure),
    async find(at, lists) {
      const { entry, file } = await storage.find(at, lists)
      left += 1
      const close = () => {
        left -= 1
        file?.close()
      }
      return { entry, file: file && { ...file, close } }
    },
  })
  return { scope, found: await scope.find(path, { lists: false }), openFiles: () => left }
}

test('a film in a folder that cannot be listed is described without subtitles', async () => {
  const { scope, found, openFiles } = await filmWithout(new Failure('forbidden', 'closed'))
  const { file, resource } = await readFile(scope, path, found, options)
  expect(resource).toMatchObject({ type: 'video', name: 'film.mp4' })
  expect(resource.subtitles).toBeUndefined()
  file?.close()
  expect(openFiles()).toBe(0)
})

test('a film is closed when the listing of its folder fails', async () => {
  const { scope, found, openFiles } = await filmWithout(new Error('the disk broke'))
  const told = await readFile(scope, path, found, options).catch((error: Error) => error.message)
  expect(told).toBe('the disk broke')
  expect(openFiles()).toBe(0)
})
