import { afterAll, expect, test } from 'bun:test'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { addWatch } from '../linux/inotify.ts'
import { parsePath } from '../path.ts'
import type { Entry } from '../port.ts'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { refusalOf } from '../testing/subject.fixture.ts'
import { type FolderInQueue, quietFolders } from './quiet-folders.ts'
import { recentFolders } from './recent-folders.ts'
import { unchangedNames } from './unchanged-names.ts'

// With watches of the kernel, and answers of threads that come when a test says so.

const root = await makeFolder()
let inotify = -1
/** What an answer of a thread waits for, once it has set its watch. */
let onTheWay: Promise<void> = Promise.resolve()
let hasShared = false
let isSilent = false

async function watchFolder(folder: string, queue: number): Promise<FolderInQueue> {
  if (isSilent) throw new Failure('unavailable', 'The disk does not answer')
  inotify = queue
  const fd = openSync(join(root, folder), 'r')
  const watch = addWatch(queue, fd, 'all')
  closeSync(fd)
  const answer = { watch, device: 1, id: folder, hasOwn: false, hasShared, isRemote: false }
  await onTheWay
  return answer
}

const quiet = quietFolders({ watchFolder })

afterAll(async () => {
  quiet.close()
  await removeFolders()
})

/** As the kernel counts them. */
const watchesInKernel = () => readFileSync(`/proc/self/fdinfo/${inotify}`, 'utf8').match(/^inotify /gm)?.length ?? 0

function begin() {
  const watched = quiet.begin<string>()
  if (watched === undefined) throw new Error('The kernel has no queue')
  return watched
}

function make(name: string) {
  mkdirSync(join(root, name))
  return parsePath(`/${name}`)
}

test('a folder that is not kept is not watched any more, also where another one was on its way', async () => {
  const kept = begin()
  await kept.add(make('kept'), 'files')
  hasShared = true
  const others = [make('shared 1'), make('shared 2')].map((folder) => begin().add(folder, 'files'))
  expect(await Promise.all(others)).toEqual([undefined, undefined])
  hasShared = false
  expect(watchesInKernel()).toBe(1)
  const ended = begin()
  const adding = [ended.add(make('ended 1'), 'files'), ended.add(make('ended 2'), 'files')]
  ended.end()
  await Promise.all(adding)
  expect(watchesInKernel()).toBe(1)
  kept.end()
  expect(watchesInKernel()).toBe(0)
})

test('something that ends while a thread is at work leaves no watch behind', async () => {
  const [one, two] = [begin(), begin()]
  await one.add(make('one'), 'files')
  const adding = two.add(make('two'), 'files')
  one.end()
  await adding
  expect(watchesInKernel()).toBe(1)
  two.end()
  expect([quiet.count, watchesInKernel()]).toEqual([0, 0])
})

test('a folder that is replaced before the number of its watch has arrived is not taken for watched', async () => {
  const other = begin()
  await other.add(make('other'), 'files')
  other.keep('what is in it')
  const top = make('top')
  const { promise, resolve } = Promise.withResolvers<void>()
  onTheWay = promise
  const watched = begin()
  const adding = watched.add(top, 'itself')
  renameSync(join(root, 'top'), join(root, 'top moved'))
  mkdirSync(join(root, 'top'))
  // Reads the queue, in which the renaming is.
  expect(other.value()).toBe('what is in it')
  resolve()
  expect(await adding).toBeUndefined()
  watched.keep('what was below it')
  expect(watched.value()).toBeUndefined()
})

test('what happens in one folder does not concern another one that is about to be watched', async () => {
  const [one, two] = [begin(), begin()]
  const busy = make('busy')
  await one.add(busy, 'files')
  const { promise, resolve } = Promise.withResolvers<void>()
  onTheWay = promise
  const adding = two.add(make('quiet'), 'files')
  writeFileSync(join(root, 'busy/file'), '')
  expect(one.value()).toBeUndefined()
  resolve()
  expect(await adding).toBe('/quiet')
})

test('a disk that does not answer is not waited for a second time', async () => {
  isSilent = true
  let looks = 0
  const look = async () => {
    looks += 1
    return { entry: { id: '' } as Entry, entries: [] }
  }
  const recent = recentFolders(quiet)
  const read = () => recent.read('silent', () => parsePath('/silent'), look)
  await read()
  await read()
  expect(await refusalOf(read())).toMatchObject({ code: 'unavailable' })
  const names = async () => {
    looks += 1
    return undefined
  }
  expect(await refusalOf(unchangedNames(quiet).read('silent', parsePath('/silent'), names))).toMatchObject({
    code: 'unavailable',
  })
  expect(looks).toBe(2)
  isSilent = false
})
