import { afterAll, expect, test } from 'bun:test'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addWatch } from '../linux/inotify.ts'
import { parsePath } from '../path.ts'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { type FolderInQueue, quietFolders } from './quiet-folders.ts'

// The queue of the kernel, without threads: what is open goes, and what is not known is not kept.

const root = await makeFolder()
afterAll(removeFolders)

/** Sets a watch as a thread would. `before` is waited for first, and the facts may differ. */
const watcher =
  (facts: Partial<FolderInQueue> = {}, before = async () => {}) =>
  async (folder: string, inotify: number): Promise<FolderInQueue> => {
    await before()
    const fd = openSync(join(root, folder), 'r')
    try {
      const told = { device: 0, id: folder, hasOwn: false, hasShared: false, isRemote: false, ...facts }
      return { watch: addWatch(inotify, fd, 'all'), ...told }
    } finally {
      closeSync(fd)
    }
  }

let count = 0
function nextFolder() {
  count += 1
  mkdirSync(join(root, `${count}`))
  return parsePath(`/${count}`)
}

const queues = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    const name = `/proc/self/fd/${fd}`
    return existsSync(`/proc/self/fdinfo/${fd}`) && readLink(name) === 'anon_inode:inotify'
  }).length

/** Descriptors are closed by the runtime's own threads. */
const closed = () => Bun.sleep(50)

function readLink(name: string): string {
  try {
    return readlinkSync(name)
  } catch {
    return ''
  }
}

test('a queue that nobody asks is closed after a while, and what was kept with it', async () => {
  const before = queues()
  const quiet = quietFolders({ watchFolder: watcher(), idleAfter: 20 })
  const watched = quiet.begin<string>()
  expect(await watched?.add(nextFolder(), 'contents')).toBe(`/${count}`)
  watched?.keep('kept')
  expect([watched?.value(), quiet.count, queues()]).toEqual(['kept', 1, before + 1])
  await Bun.sleep(100)
  expect([watched?.value(), quiet.count, queues()]).toEqual([undefined, 0, before])
  const again = quiet.begin<string>()
  expect(await again?.add(nextFolder(), 'contents')).toBeDefined()
  expect(queues()).toBe(before + 1)
  quiet.close()
  await closed()
  expect([queues(), quiet.begin()]).toEqual([before, undefined])
})

test('watches go with what they were set for, unless others need them', async () => {
  const quiet = quietFolders({ watchFolder: watcher() })
  const folder = nextFolder()
  const [one, two] = [quiet.begin<string>(), quiet.begin<string>()]
  for (const watched of [one, two]) {
    await watched?.add(folder, 'contents')
    watched?.keep('kept')
  }
  one?.end()
  expect([one?.value(), two?.value(), quiet.count]).toEqual([undefined, 'kept', 1])
  writeFileSync(join(root, folder, 'a'), '')
  expect([two?.value(), quiet.count]).toEqual([undefined, 0])
  quiet.close()
})

test('a queue stays open while a thread knows it, and what it sets there counts for nothing', async () => {
  // The queue of an earlier test goes a moment after it was closed.
  await closed()
  const before = queues()
  const { promise, resolve } = Promise.withResolvers<void>()
  const quiet = quietFolders({ watchFolder: watcher({}, () => promise) })
  const watched = quiet.begin<string>()
  const adding = watched?.add(nextFolder(), 'contents')
  quiet.close()
  expect(queues()).toBe(before + 1)
  resolve()
  expect(await adding).toBeUndefined()
  await closed()
  expect(queues()).toBe(before)
})

test.each([
  ['has files of the server', { hasOwn: true }],
  ['has files with other names', { hasShared: true }],
  ['is kept by another machine', { isRemote: true }],
  ['cannot be watched', { watch: undefined }],
])('a folder that %s is not watched', async (_, facts) => {
  const quiet = quietFolders({ watchFolder: watcher(facts) })
  expect(await quiet.begin<string>()?.add(nextFolder(), 'files')).toBeUndefined()
  quiet.close()
})

test('with too many watches all begin anew', async () => {
  const quiet = quietFolders({ watchFolder: watcher(), mostWatches: 3 })
  const all = []
  for (let times = 0; times < 4; times += 1) {
    const watched = quiet.begin<number>()
    await watched?.add(nextFolder(), 'names')
    watched?.keep(times)
    all.push(watched)
  }
  expect(all.map((watched) => watched?.value())).toEqual([undefined, undefined, undefined, 3])
  quiet.close()
})

test('of a folder above only its own name and rights count, of one below its names', async () => {
  const quiet = quietFolders({ watchFolder: watcher() })
  const folder = nextFolder()
  writeFileSync(join(root, folder, 'a'), '')
  const [itself, names] = [quiet.begin<string>(), quiet.begin<string>()]
  await itself?.add(folder, 'itself')
  await names?.add(folder, 'names')
  for (const watched of [itself, names]) watched?.keep('kept')
  writeFileSync(join(root, folder, 'a'), 'more')
  expect([itself?.value(), names?.value()]).toEqual(['kept', 'kept'])
  writeFileSync(join(root, folder, 'b'), '')
  expect([itself?.value(), names?.value()]).toEqual(['kept', undefined])
  quiet.close()
})
