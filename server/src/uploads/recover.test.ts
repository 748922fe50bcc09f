import { afterAll, expect, test } from 'bun:test'
import { User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import { actorOf } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { journalIn } from '../changes/journal.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { createUpload } from './create.ts'
import { uploadRecovery } from './recover.ts'
import { uploadStore } from './store.ts'
import { uploadsIn } from './uploads.ts'

const db = await testDatabase()
afterAll(() => db.destroy())

const storage = memoryStorage()
const clock = { unixSeconds: () => 1 }
const perm = { create: true, modify: true }
const scope = scopeOf(actorOf(User.parse({ username: 'ann', id: 1, scope: '/', perm }), []), storage)
const store = uploadStore(db)
const file = parsePath('/film.mkv')

/** As a server leaves it that dies when the file is there, and its row still is. */
async function leaveFinished(id: string): Promise<void> {
  const node = { id, kernel: 'kernel', isAlive: () => true }
  const journal = journalIn({ db, clock, node, log: { warn() {} }, followers: [] })
  const changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' } as const
  const uploads = uploadsIn({ store, clock, node, changes, storageAt: () => storage }, 60)
  await createUpload(uploads, scope, file, { length: 5, override: true, modified: undefined, metadata: undefined })
  await db.updateTable('upload').set({ node: id }).execute()
  for (const row of await rows()) await storage.dropDraft(file, row.id)
  const bytes = async function* () {
    yield Buffer.from('bytes')
  }
  await storage.write(file, bytes(), { precondition: 'any' })
}

const rows = () => db.selectFrom('upload').select('id').execute()

test('an upload that has become a file is forgotten, also of a node that was taken for dead before', async () => {
  let isAlive = false
  const node = { id: 'own', kernel: 'kernel', isAlive: () => isAlive }
  const recover = uploadRecovery({ store, node, storageAt: () => storage })
  await leaveFinished('other')
  await recover()
  expect(await rows()).toEqual([])
  isAlive = true
  await leaveFinished('other')
  await recover()
  expect(await rows()).toHaveLength(1)
  isAlive = false
  await recover()
  expect(await rows()).toEqual([])
})
