import { expect, test } from 'bun:test'
import { isFailure } from '../../failure.ts'
import { parsePath } from '../path.ts'
import { fakeFileServer } from '../testing/remote.fixture.ts'
import { memoryRemoteRecords } from '../testing/remote-records.fixture.ts'
import { piecesOf, refusalOf } from '../testing/subject.fixture.ts'
import { remoteMount } from './mount.ts'
import { patient } from './patience.ts'

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

test('a server that goes on working may take as long as it needs', async () => {
  const server = fakeFileServer()
  const { files } = patient(
    {
      ...server,
      abilities: server.abilities,
      async copyFile(from, to, options) {
        for (let step = 0; step < 6; step += 1) {
          await Bun.sleep(100)
          options.progress?.(0)
        }
        return server.copyFile(from, to, options)
      },
      async openDraft(path, id) {
        const draft = await server.openDraft(path, id)
        return {
          ...{ size: 1, append: draft.append, read: draft.read, truncate: draft.truncate, sync: draft.sync },
          async commit(options) {
            for (let step = 0; step < 6; step += 1) {
              await Bun.sleep(100)
              options.moved?.()
            }
            return draft.commit(options)
          },
        }
      },
    },
    { answer: 60_000, bytes: 400, work: 400 },
  )
  await files.write(at('/a'), piecesOf('a'), { precondition: 'absent' })
  expect(await files.copyFile(at('/a'), at('/b'), { precondition: 'absent' })).toMatchObject({ size: 1 })
  await files.beginDraft(at('/c'), 'draft', {})
  const draft = await files.openDraft(at('/c'), 'draft')
  await draft.append(piecesOf('c'))
  expect(await draft.commit({ precondition: 'absent' })).toMatchObject({ size: 1 })
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
