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
import { cancelUpload } from './cancel.ts'
import { createUpload } from './create.ts'
import { uploadStore } from './store.ts'
import { uploadsIn } from './uploads.ts'

const file = parsePath('/film.mkv')
const announced = { length: 5, override: true, modified: undefined, metadata: undefined }
const perm = { create: true, modify: true }

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

/** The draft is gone, and the request that ended it does not know yet. */
function endingStorage() {
  const [ended, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const inner = memoryStorage()
  const begun = new Set<string>()
  async function held<T>(result: Promise<T>): Promise<T> {
    const value = await result
    ended.resolve()
    await goOn.promise
    return value
  }
  const storage: Storage = {
    ...inner,
    async beginDraft(path, id, options) {
      begun.add(id)
      return inner.beginDraft(path, id, options)
    },
    dropDraft: (path, id) => held(inner.dropDraft(path, id)),
    async openDraft(path, id) {
      const draft = await inner.openDraft(path, id)
      const { append, truncate, sync, close } = draft
      const commit: typeof draft.commit = (options) => held(draft.commit(options))
      return Object.defineProperty({ append, truncate, sync, close, commit, size: 0 }, 'size', {
        get: () => draft.size,
      })
    },
  }
  const isKept = (id: string) =>
    inner.openDraft(file, id).then(
      (draft) => {
        draft.close()
        return true
      },
      () => false,
    )
  async function drafts(): Promise<string[]> {
    const kept: string[] = []
    for (const id of begun) if (await isKept(id)) kept.push(id)
    return kept
  }
  return { storage, drafts, ended: ended.promise, goOn: goOn.resolve }
}

test.each(['finished', 'given up'])(
  'an upload that is announced anew while it is %s leaves no draft without a row',
  async (how) => {
    const db = await openDatabase(':memory:')
    const { storage, drafts, ended, goOn } = endingStorage()
    const clock = { unixSeconds: () => 1 }
    const node = { id: 'one', isAlive: () => true, async renew() {}, async leave() {} }
    const journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [] })
    const changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' } as const
    const store = uploadStore(db)
    const uploads = uploadsIn({ store, clock, node, changes, storageAt: () => storage }, 60)
    const scope = scopeOf(actorOf(User.parse({ username: 'ann', id: 1, scope: '/', perm }), []), storage)

    await createUpload(uploads, scope, file, announced)
    const piece = { offset: 0, bytes: bytesOf('bytes'), length: 5, checksum: undefined }
    const ending = how === 'finished' ? appendToUpload(uploads, scope, file, piece) : cancelUpload(uploads, scope, file)
    await ended
    const again = createUpload(uploads, scope, file, announced)
    for (let turns = 0; turns < 50; turns += 1) await breathe()
    goOn()
    await ending
    expect(await again).toBe(61)

    await store.settle()
    const rows = (await db.selectFrom('upload').select('id').execute()).map(({ id }) => id)
    expect([await drafts(), rows.length]).toEqual([rows, 1])
    await db.destroy()
  },
)
