import { expect, test } from 'bun:test'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { piecesOf } from '../storage/testing/subject.fixture.ts'
import { readFile } from './read.ts'

const actor = { rules: [], user: { hideDotfiles: false, perm: { admin: true } } } as unknown as Actor
const path = parsePath('/film.mp4')
const options = { asked: path, signal: new AbortController().signal }

/** A film in a folder that cannot be listed. */
async function filmWithout(failure: Error) {
  const storage = memoryStorage()
  const entry = await storage.write(path, piecesOf('film'), { precondition: 'absent' })
  let left = 0
  const scope = scopeOf(actor, {
    ...storage,
    list: () => Promise.reject(failure),
    async open(at) {
      const file = await storage.open(at)
      left += 1
      return {
        ...file,
        close() {
          left -= 1
          file.close()
        },
      }
    },
  })
  return { scope, entry, openFiles: () => left }
}

test('a film is shown without its subtitles where its folder is closed', async () => {
  const { scope, entry, openFiles } = await filmWithout(new Failure('forbidden', 'closed'))
  const { file, resource } = await readFile(scope, path, entry, options)
  expect(resource).toMatchObject({ type: 'video', name: 'film.mp4' })
  expect(resource.subtitles).toBeUndefined()
  file?.close()
  expect(openFiles()).toBe(0)
})

test('a film whose subtitles cannot be looked for is closed again', async () => {
  const { scope, entry, openFiles } = await filmWithout(new Error('the disk broke'))
  await expect(readFile(scope, path, entry, options)).rejects.toThrow('the disk broke')
  expect(openFiles()).toBe(0)
})
