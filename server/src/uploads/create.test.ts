import { expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { journalIn } from '../changes/journal.ts'
import { breathe } from '../concurrency/pauses.ts'
import { openDatabase } from '../database/open.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { appendToUpload } from './append.ts'
import { createUpload } from './create.ts'
import { uploadStore } from './store.ts'
import { uploadsIn } from './uploads.ts'

const file = parsePath('/film.mkv')
const announced = { length: 5, override: true, modified: undefined, metadata: undefined }
const perm = { create: true, modify: true }

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

test('an upload that is announced anew while its file takes its place leaves no draft without a row', async () => {
  const db = await openDatabase(':memory:')
  const [committed, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const inner = memoryStorage()
  const drafts = new Set<string>()
  /** Its commit has happened, and its caller does not know yet. */
  const storage: Storage = {
    ...inner,
    async beginDraft(path, id, options) {
      drafts.add(id)
      return inner.beginDraft(path, id, options)
    },
    async openDraft(path, id) {
      const draft = await inner.openDraft(path, id)
      return {
        get size() {
          return draft.size
        },
        append: draft.append,
        truncate: draft.truncate,
        sync: draft.sync,
        close: draft.close,
        async commit(options) {
          const entry = await draft.commit(options)
          committed.resolve()
          await goOn.promise
          return entry
        },
      }
    },
  }
  const clock = { unixSeconds: () => 1 }
  const node = { id: 'one', isAlive: () => true, stay() {}, leave() {} }
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [] })
  const changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' } as const
  const store = uploadStore(db)
  const uploads = uploadsIn({ store, clock, node, changes, storageAt: () => storage }, 60)
  const scope = scopeOf(actorOf(User.parse({ username: 'ann', id: 1, scope: '/', perm }), []), storage)

  await createUpload(uploads, scope, file, announced)
  const piece = { offset: 0, bytes: bytesOf('bytes'), length: 5, checksum: undefined }
  const sending = appendToUpload(uploads, scope, file, piece)
  await committed.promise
  const again = createUpload(uploads, scope, file, announced)
  for (let turns = 0; turns < 50; turns += 1) await breathe()
  goOn.resolve()
  expect(await sending).toMatchObject({ offset: 5, expiresAt: undefined })
  expect(await again).toBe(61)

  await store.settle()
  const rows = (await db.selectFrom('upload').select('id').execute()).map(({ id }) => id)
  const kept: string[] = []
  for (const id of drafts)
    await inner.openDraft(file, id).then(
      (draft) => {
        draft.close()
        kept.push(id)
      },
      () => {},
    )
  expect(kept).toEqual(rows)
  expect(rows).toHaveLength(1)
  await db.destroy()
})
