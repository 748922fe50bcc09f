import { expect, test } from 'bun:test'
import { isFailure } from '../../failure.ts'
import { parsePath } from '../path.ts'
import { fakeFileServer } from '../testing/remote.fixture.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { piecesOf, refusalOf } from '../testing/subject.fixture.ts'
import { remoteMount } from './mount.ts'

/** A mount on a server that does not answer the calls that are named. */
function mountOn(silentVerbs: readonly string[]) {
  const files = fakeFileServer()
  const silent = Promise.withResolvers<void>()
  const patience = { answer: 60_000, bytes: 60_000, work: 60_000 }
  const mount = remoteMount(files, {
    ...{ kind: 'sftp', records: memoryRemoteRecords(), stores: () => ({ trash: false, versions: false }) },
    ...{ tell: undefined, isKnownDraft: async () => false, patience },
  })
  const fallSilent = (shorter: Partial<typeof patience> = {}) => {
    Object.assign(patience, shorter)
    files.faults.before = (verb) => (silentVerbs.includes(verb) ? silent.promise : undefined)
  }
  return { files, mount, storage: mount.storageAt('/'), fallSilent, answer: silent.resolve }
}

const at = parsePath

test.each([
  ['stat', (storage) => storage.stat(at('/a'))],
  ['list', (storage) => storage.list(at('/'))],
  ['read', async (storage) => (await storage.open(at('/a'))).content.text()],
  ['append', (storage) => storage.write(at('/b'), piecesOf('text'), { precondition: 'absent' })],
  ['commit', (storage) => storage.write(at('/b'), piecesOf('text'), { precondition: 'absent' })],
  ['renameFolder', (storage) => storage.rename(at('/box'), at('/c'), { replace: false })],
] as [string, (storage: ReturnType<typeof mountOn>['storage']) => Promise<unknown>][])(
  'a server that does not answer %s ends the verb as unavailable',
  async (verb, call) => {
    const { storage, mount, fallSilent, answer } = mountOn([verb])
    await storage.write(at('/a'), piecesOf('content'), { precondition: 'absent' })
    await storage.createFolder(at('/box'))
    fallSilent({ answer: 100, bytes: 100, work: 100 })
    expect(isFailure(await refusalOf(call(storage)), 'unavailable')).toBe(true)
    answer()
    expect(mount.isBusy()).toBe(false)
  },
)

test('a sender that takes its time is no server that does not answer', async () => {
  const { storage, fallSilent } = mountOn([])
  fallSilent({ bytes: 500 })
  async function* slowly() {
    for (const text of ['one', 'two']) {
      await Bun.sleep(700)
      yield Buffer.from(text)
    }
  }
  const { size } = await storage.write(at('/a'), slowly(), { precondition: 'absent' })
  expect(size).toBe(6)
})

test('a mount is busy while a call is under way or a draft is open', async () => {
  const { storage, mount, fallSilent, answer } = mountOn(['stat'])
  expect(mount.isBusy()).toBe(false)
  await storage.beginDraft(at('/a'), 'draft', { precondition: 'absent' })
  const draft = await storage.openDraft(at('/a'), 'draft', { isExclusive: true })
  expect(mount.isBusy()).toBe(true)
  draft.close()
  draft.close()
  expect(mount.isBusy()).toBe(false)
  fallSilent()
  const looking = storage.stat(at('/a')).catch(() => {})
  expect(mount.isBusy()).toBe(true)
  answer()
  await looking
  expect(mount.isBusy()).toBe(false)
})
