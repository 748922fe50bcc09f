import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { threadedDisk } from '../testing/threads.fixture.ts'
import { threadedScopes } from './scopes.ts'

const root = await makeFolder()
const scopes = threadedScopes(threadedDisk(root))
afterAll(async () => {
  scopes.close()
  await removeFolders()
})

test('a draft that was open in a thread which has ended is not taken for one that is open in the next thread', async () => {
  const workers: Worker[] = []
  const Real = globalThis.Worker
  globalThis.Worker = class extends Real {
    constructor(...parameters: ConstructorParameters<typeof Worker>) {
      super(...parameters)
      workers.push(this)
    }
  }
  try {
    const storage = scopes.storageAt('/')
    const openDraft = async (path: string, id: string) => {
      await storage.beginDraft(path as never, id, { precondition: 'absent' })
      return storage.openDraft(path as never, id)
    }
    const bytes = async function* (text: string) {
      yield Buffer.from(text)
    }
    const before = await openDraft('/open before', 'before')
    await before.append(bytes('before'))
    workers.at(-1)?.onerror?.(new ErrorEvent('error', { message: 'as when it ends by itself' }))
    const after = await openDraft('/open after', 'after')
    await after.append(bytes('one '))
    expect(await before.commit({ precondition: 'absent' }).catch((error: Error) => error.message)).toBe(
      'The draft is not open',
    )
    expect(existsSync(join(root, 'open after'))).toBe(false)
    before.close()
    await storage.createFolder('/behind the closing' as never)
    await after.append(bytes('two'))
    await after.commit({ precondition: 'absent' })
    after.close()
    expect(readFileSync(join(root, 'open after'), 'utf8')).toBe('one two')
  } finally {
    globalThis.Worker = Real
  }
})
