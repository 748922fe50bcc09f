import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { foldsCaseBelow } from '../disk/folding.ts'
import { mountTable } from '../linux/mounts.ts'
import { describeStorage } from '../testing/conformance.ts'
import { makeFolder, putFiles, removeFolders, sparseFiles } from '../testing/disk.fixture.ts'
import { memoryLedger, memoryMoves } from '../testing/ledger.fixture.ts'
import { handle, type Subject } from '../testing/subject.fixture.ts'
import { type ThreadedDisk, threadedScopes } from './scopes.ts'

const root = await makeFolder()
const made: { close(): void }[] = []

function scopesOver(parts: Partial<ThreadedDisk> = {}) {
  const scopes = threadedScopes({
    settings: {
      root,
      own: { paths: [], families: [], listedBeside: [] },
      spool: '/nonexistent',
      follows: false,
      orphanAge: undefined,
    },
    drafts: memoryLedger(),
    leaving: memoryMoves(),
    modes: () => ({ file: 0o640, folder: 0o750 }),
    now: () => Math.floor(Date.now() / 1000),
    isKnownDraft: async () => false,
    recovered() {},
    ...parts,
  })
  made.push(scopes)
  return scopes
}

afterAll(async () => {
  for (const scopes of made) scopes.close()
  await removeFolders()
})

const scopes = scopesOver()
await scopes.ready()
let count = 0

/** Each in a folder of its own below one root: threads are started once. */
async function subject(): Promise<Subject> {
  count += 1
  const scope = `/subject-${count}`
  const folder = join(root, scope)
  mkdirSync(folder)
  return {
    storage: scopes.storageAt(scope),
    root: folder,
    async link(target, path) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      symlinkSync(target, join(folder, path))
    },
    ...sparseFiles(folder),
    fill: (path, names) => putFiles(folder, Object.fromEntries(names.map((name) => [join(path, name), '']))),
  }
}

await describeStorage('in threads', subject)

test('a volume counts as one that folds case until a thread has looked', async () => {
  const fresh = scopesOver()
  const { capabilities } = fresh.storageAt('/')
  expect(capabilities.foldsCase).toBe(true)
  await fresh.ready()
  expect(capabilities.foldsCase).toBe(foldsCaseBelow(root)())
})

describe('a file that another machine keeps', () => {
  test('is read by threads, whole and in parts, and never handed to the runtime', async () => {
    const remote = scopesOver({ pool: { mounts: { ...mountTable(), isRemote: () => true } } })
    await remote.ready()
    const text = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('')
    await putFiles(root, { '/remote.txt': text })
    const file = await remote.storageAt('/').open('/remote.txt' as never)
    try {
      const { content } = file
      expect(content).not.toBeInstanceOf(Blob)
      expect([content.size, await content.text()]).toEqual([text.length, text])
      expect(await content.slice(300_000, 900_001).text()).toBe(text.slice(300_000, 900_001))
      expect(await content.slice(10, 20).slice(5, 100).text()).toBe(text.slice(15, 20))
      expect(await new Response(content.slice(1, 700_000).stream()).text()).toBe(text.slice(1, 700_000))
    } finally {
      file.close()
    }
  })
})

describe('listings', () => {
  test('the entries of an unchanged small folder are sent once', async () => {
    const { storage, put, root: folder } = handle(await subject())
    await put({ '/a': '1', '/b': '22' })
    // Each of the threads has to send them for the first time.
    const found = await Promise.all(Array.from({ length: 20 }, () => storage.list('/' as never)))
    const arrays = new Set(found.map(({ entries }) => entries))
    expect(arrays.size).toBeLessThanOrEqual(4)
    for (const { entries } of found)
      expect(entries.map(({ name, size }) => [name, size]).sort()).toEqual([
        ['a', 1],
        ['b', 2],
      ])
    await putFiles(folder, { '/c': '' })
    expect((await storage.list('/' as never)).entries.length).toBe(3)
  })

  test('a large folder comes whole and in parts', async () => {
    const { storage, fill } = handle(await subject())
    const names = Array.from({ length: 5000 }, (_, index) => `file number ${index}`)
    await fill('/', names)
    const { entries } = await storage.list('/' as never)
    expect(entries.map(({ name }) => name).sort()).toEqual(names.sort())
    expect((await storage.names('/' as never)).map(({ name }) => name).sort()).toEqual(names)
  })
})
