import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, link } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, parsePath } from '../path.ts'
import { diskStorage, filesIn, makeDisk, makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { piecesOf } from '../testing/subject.fixture.ts'
import { clearDrafts } from './drafts.ts'

afterAll(removeFolders)

const [old, fresh] = ['old '.repeat(330_000), 'new '.repeat(270_000)]
const fastPlace = existsSync('/dev/shm') ? '/dev/shm' : undefined
const [file, id] = [parsePath('/a'), 'kept']

/** A folder with an old file, with a second name for it where asked for, and a draft that is full. */
async function prepare(hasTwoNames: boolean) {
  const root = await makeFolder(fastPlace)
  const ledger = memoryLedger()
  await putFiles(root, { '/a': old })
  if (hasTwoNames) await link(join(root, 'a'), join(root, 'b'))
  const on = (kernel: Kernel) => diskStorage(makeDisk({ kernel, ledger }), root)
  const healthy = on(linuxKernel())
  await healthy.beginDraft(file, id, { precondition: 'any' })
  await within(healthy, (draft) => draft.append(piecesOf(fresh)))
  return { root, ledger, on, healthy }
}

type Storage = ReturnType<typeof diskStorage>
type Draft = Awaited<ReturnType<Storage['openDraft']>>

async function within<T>(storage: Storage, work: (draft: Draft) => Promise<T>): Promise<T> {
  const draft = await storage.openDraft(file, id)
  try {
    return await work(draft)
  } finally {
    draft.close()
  }
}

const commit = (storage: Storage) =>
  within(storage, (draft) => draft.commit({ precondition: 'any', length: fresh.length }))

/** Sends what is missing and answers how much that was. */
const complete = (storage: Storage) =>
  within(storage, async (draft) => {
    const missing = fresh.slice(draft.size)
    await draft.append(piecesOf(missing))
    await draft.commit({ precondition: 'any', length: fresh.length })
    return missing.length
  })

describe.each([
  ['a file', false],
  ['a file with two names', true],
])('A draft that becomes %s', (_, hasTwoNames) => {
  test.each([
    ['EIO', false],
    ['ENOSPC', true],
  ])('survives %s at any call (and at all later ones: %p)', async (code, lasting) => {
    let [failures, sentAgain] = [0, 0]
    for (let failingCall = 1, isDone = false; !isDone; failingCall += 1) {
      const { root, ledger, on, healthy } = await prepare(hasTwoNames)
      const descriptors = openBeneath(root)
      const { kernel, hasFailed } = watched(failingCall, code, lasting)
      await commit(on(kernel)).then(
        () => {},
        () => {
          failures += 1
        },
      )
      isDone = !hasFailed()
      expect(openBeneath(root)).toEqual(descriptors)
      // What was being written is finished by the next start; any other draft waits for another try, and has to be sent
      // again only where the disk failed to keep it.
      await clearDrafts(linuxKernel(), ledger)
      const content = (await filesIn(root))['/a'] ?? ''
      if (content !== old && content !== fresh) throw new Error(`half written: ${content.length} bytes`)
      if (content === old) sentAgain += Number((await complete(healthy)) > 0)
      else await healthy.dropDraft(file, id)
      expect(ledger.rows.size).toBe(0)
      const files = await filesIn(root)
      expect(Object.keys(files).sort()).toEqual(hasTwoNames ? ['/a', '/b'] : ['/a'])
      expect(files['/a'] === fresh && files['/b'] === (hasTwoNames ? fresh : undefined)).toBe(true)
    }
    expect(failures).toBeGreaterThan(5)
    expect(sentAgain).toBe(lasting ? 0 : 1)
  })
})

function watched(failingCall: number, code: string, lasting: boolean) {
  let calls = 0
  const counting = new Proxy(faultyKernel(linuxKernel(), failingCall, code, { lasting }), {
    get(target, name: keyof Kernel) {
      if (name !== 'close') calls += 1
      return target[name]
    },
  })
  return { kernel: counting, hasFailed: () => calls >= failingCall }
}

test.if(process.getuid?.() === 0)('where the folder is closed to us, the draft is kept in the spool', async () => {
  const [root, spool] = [await makeFolder(), await makeFolder()]
  await putFiles(root, { '/a': 'old' })
  await chmod(root, 0o777)
  // Root may do everything, so the kernel has to say no in its place.
  const kernel = { ...linuxKernel(), isWritable: () => false }
  const storage = diskStorage(makeDisk({ kernel, spool }), root)
  await storage.beginDraft(file, id, { precondition: 'any' })
  expect(Object.keys(await filesIn(spool))).toEqual([`/${draftPrefix}${id}`])
  await within(storage, (draft) => draft.append(piecesOf('new')))
  await within(storage, (draft) => draft.commit({ precondition: 'any' }))
  expect(await filesIn(root)).toEqual({ '/a': 'new' })
  expect(await filesIn(spool)).toEqual({})
})

test('a draft that is to come later is not there yet, also where the folder is said to be closed and is not', async () => {
  const root = await makeFolder()
  const kernel = { ...linuxKernel(), isWritable: () => false }
  await diskStorage(makeDisk({ kernel }), root).beginDraft(file, id, { precondition: 'absent', isLater: true })
  expect(await filesIn(root)).toEqual({})
})

test('a draft that is there stays when it is asked about, also where the folder is said to be closed and is not', async () => {
  const root = await makeFolder()
  const kernel = { ...linuxKernel(), isWritable: () => false }
  const storage = diskStorage(makeDisk({ kernel }), root)
  await storage.beginDraft(file, id, { precondition: 'absent' })
  await within(storage, (draft) => draft.append(piecesOf('new')))
  expect(await storage.beginDraft(file, id, { precondition: 'absent', isLater: true })).toBe(3)
  expect(await within(storage, async (draft) => draft.size)).toBe(3)
})
