import { User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { journalIn } from '../changes/journal.ts'
import type { OpenDatabase } from '../database/port.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { uploadStore } from './store.ts'
import { uploadsIn } from './uploads.ts'

export const file = parsePath('/film.mkv')
export const announced = { length: 5, override: true, modified: undefined, metadata: undefined }
const perm = { create: true, modify: true }
export const lifetime = 60

export async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

export const piece = (bytes: AsyncIterable<Uint8Array>, offset = 0) => ({
  ...{ offset, bytes, length: undefined, checksum: undefined },
})

type Operation = 'openDraft' | 'dropDraft' | 'commit'

/** Holds the next call of an operation on drafts at its end: its effect is there, and its caller does not know yet. */
function holdingStorage() {
  const inner = memoryStorage()
  const begun = new Set<string>()
  let held: { operation: Operation; reached(): void; released: Promise<void> } | undefined

  async function pass<T>(operation: Operation, result: Promise<T>): Promise<T> {
    const value = await result
    if (held?.operation !== operation) return value
    const { reached, released } = held
    held = undefined
    reached()
    await released
    return value
  }

  const storage: Storage = {
    ...inner,
    async beginDraft(path, id, options) {
      begun.add(id)
      return inner.beginDraft(path, id, options)
    },
    async dropDraft(path, id) {
      await inner.dropDraft(path, id)
      begun.delete(id)
      await pass('dropDraft', Promise.resolve())
    },
    async openDraft(path, id) {
      const draft = await inner.openDraft(path, id)
      const { size: sizeAtFirst, append, readInto, truncate, sync, close } = draft
      await pass('openDraft', Promise.resolve())
      return {
        append,
        readInto,
        truncate,
        sync,
        close,
        commit: (options) => pass('commit', draft.commit(options)),
        // On a disk, an open file that is removed has a size as well.
        get size() {
          return begun.has(id) ? draft.size : sizeAtFirst
        },
      }
    },
  }

  return {
    storage,
    inner,
    hold(operation: Operation) {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      held = { operation, reached: reached.resolve, released: released.promise }
      return { reached: reached.promise, release: released.resolve }
    },
    async drafts(): Promise<string[]> {
      const isKept = (id: string) =>
        inner.openDraft(file, id).then(
          (draft) => {
            draft.close()
            return true
          },
          () => false,
        )
      const kept: string[] = []
      for (const id of begun) if (await isKept(id)) kept.push(id)
      return kept
    },
  }
}

export async function setUp() {
  const db = await testDatabase()
  const held = holdingStorage()
  const { storage } = held
  const textOf = async (path = file) => (await held.inner.open(path)).content.text()
  return { ...held, ...serverOver(db, storage, 'one'), db, textOf, [Symbol.asyncDispose]: () => db.destroy() }
}

export function serverOver(db: OpenDatabase, storage: Storage, id: string) {
  const now = { seconds: 1 }
  const clock = { unixSeconds: () => now.seconds }
  const node = { id, kernel: 'kernel', isAlive: () => true }
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [] })
  const changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' } as const
  const uploads = uploadsIn({ store: uploadStore(db), clock, node, changes, storageAt: () => storage }, lifetime)
  const scope = scopeOf(actorOf(User.parse({ username: 'ann', id: 1, scope: '/', perm }), []), storage)
  return { uploads, scope, now }
}
