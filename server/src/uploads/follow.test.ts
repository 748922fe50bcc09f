import { expect, test } from 'bun:test'
import { parsePath } from '../files/path.ts'
import type { FileWitness } from '../files/witness.ts'
import type { Actor } from '../users/actor.ts'
import { uploadWitness } from './follow.ts'
import type { Upload, UploadStore } from './store.ts'

const alone: FileWitness = {
  moving: (_actor, _from, _to, deed) => deed(),
  removing: (_actor, _path, deed) => deed(),
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
  let changed: unknown
  const store = {
    all: async () => [{ id: 'it', scope, place } as Upload],
    async change(_id: string, changes: unknown) {
      changed = changes
    },
  } as unknown as UploadStore
  const actor = { user: { scope: mover } } as Actor
  const deed = async () => 'done'
  expect(await uploadWitness({ store }, alone).moving(actor, parsePath(from), parsePath(to), deed)).toBe('done')
  expect(changed).toEqual(now)
})
