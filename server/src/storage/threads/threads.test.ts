import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { entryOf } from '../disk/entry.ts'
import { foldsCaseBelow } from '../disk/folding.ts'
import { targetAt } from '../disk/repairing.ts'
import { lockForWriting } from '../disk/write-lock.ts'
import { linuxKernel, O } from '../linux/kernel.ts'
import { mountTable } from '../linux/mounts.ts'
import { realNameOf } from '../linux/real-name.ts'
import { draftPrefix } from '../path.ts'
import { LinkInTheWay } from '../port.ts'
import { describeStorage } from '../testing/conformance.ts'
import { makeFolder, putFiles, removeFolders, sparseFiles } from '../testing/disk.fixture.ts'
import { canMount, mountHung } from '../testing/hung-mount.fixture.ts'
import { keepingParts } from '../testing/keeping.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { handle, refusalOf, type Subject } from '../testing/subject.fixture.ts'
import { threadedDisk } from '../testing/threads.fixture.ts'
import { sentEntries } from './numbered-entries.ts'
import { packEntries } from './packing.ts'
import { linksElsewhere } from './pool.ts'
import { type ThreadedDisk, threadedScopes } from './scopes.ts'

const root = await makeFolder()
const kernel = linuxKernel()
const made: { close(): void }[] = []

const { settings } = threadedDisk(root)

function scopesOver(parts: Partial<ThreadedDisk> = {}) {
  const scopes = threadedScopes(threadedDisk(root, parts))
  made.push(scopes)
  return scopes
}

afterAll(async () => {
  for (const scopes of made) scopes.close()
  await removeFolders()
})

const { stores, tell, effectsOf } = keepingParts()
const scopes = scopesOver({ stores, tell })
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
    keeping: { base: scope, effectsOf },
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

test('small files of every size arrive whole, many in one turn, and the same one twice', async () => {
  const sizes = [0, 1, 1000, 1024, 1025, 4096, 4097, 20_000, 65_535, 65_536]
  const contentOf = (size: number) => Uint8Array.from({ length: size }, (_, index) => index * 31 + size)
  const files = sizes.map((size) => [`/small/${size}.bin`, contentOf(size)] as const)
  await putFiles(root, Object.fromEntries(files))
  const opened = await Promise.all([...files, ...files].map(([path]) => scopes.storageAt('/').open(path as never)))
  for (const [index, { bytes, content }] of opened.entries()) {
    const expected = files[index % files.length]?.[1] as Uint8Array
    expect(Buffer.compare(bytes as Uint8Array, expected)).toBe(0)
    expect(Buffer.compare(new Uint8Array(await content.arrayBuffer()), expected)).toBe(0)
  }
})

describe('a root that is a symlink', () => {
  test('is known by its real name, and what lies there by its device', async () => {
    const place = realpathSync(await makeFolder())
    await putFiles(place, { '/real/large': 'x'.repeat(100_000) })
    symlinkSync('real', join(place, 'symlink'))
    const asked: string[] = []
    const device = kernel.stat(-1, join(place, 'real')).device
    const mounts = {
      ...mountTable(),
      isRemote: (_: string, found?: number) => found === device,
      deviceOf(name: string) {
        asked.push(name)
        return 'one'
      },
    }
    const linked = scopesOver({ pool: { mounts }, settings: { ...settings, root: join(place, 'symlink') } })
    await linked.ready()
    await linked.storageAt('/').createFolder('/made' as never)
    expect(asked).toContain(join(place, 'real/made'))
    const file = await linked.storageAt('/').open('/large' as never)
    expect(file.content).not.toBeInstanceOf(Blob)
    file.close()
  })

  test.each([
    ['/a/symlink/b', '/real/b'],
    ['/a/up', '/a'],
    ['/a/round', '/a/round'],
    ['/nas/symlink', '/nas/symlink'],
  ])('the real name of %s is %s', async (name, real) => {
    const place = realpathSync(await makeFolder())
    await putFiles(place, { '/real/b': '', '/a/c': '', '/nas/d': '' })
    for (const [path, target] of [
      ['a/symlink', join(place, 'real')],
      ['a/up', '../a/./'],
      ['a/round', 'round'],
      ['nas/symlink', '../real'],
    ] as const)
      symlinkSync(target, join(place, path))
    expect(realNameOf(join(place, name), (at) => at === join(place, 'nas'))).toBe(join(place, real))
  })
})

describe('listings', () => {
  test('what a thread has sent is forgotten when it has ended', async () => {
    const sent = sentEntries()
    const packed = packEntries([entryOf('a', kernel.stat(-1, root))])
    sent.entriesOf({ small: { thread: 1, number: 1, sent: { least: 1, packed } } })
    sent.forget(1)
    expect(sent.entriesOf({ small: { thread: 1, number: 1 } })).toBeUndefined()
    const { promise, resolve } = Promise.withResolvers<number>()
    const idle = scopesOver({ pool: { mounts: mountsByFolder, idleAfter: 1, ended: resolve } })
    await idle.ready()
    await idle.storageAt('/').createFolder('/ends soon/made' as never)
    expect(await promise).toBeGreaterThan(0)
  })

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

  test('a folder of hundreds is sent once as well, and a change of one file is seen', async () => {
    const { storage, fill, root: folder } = handle(await subject())
    await fill(
      '/',
      Array.from({ length: 900 }, (_, index) => `file number ${index}`),
    )
    const found = await Promise.all(Array.from({ length: 10 }, () => storage.list('/' as never)))
    expect(new Set(found.map(({ entries }) => entries)).size).toBeLessThanOrEqual(4)
    const before = statSync(join(folder, 'file number 899'))
    writeFileSync(join(folder, 'file number 899'), '123')
    utimesSync(join(folder, 'file number 899'), before.atime, before.mtime)
    for (let times = 0; times < 10; times += 1) {
      const { entries } = await storage.list('/' as never)
      expect(entries.find(({ name }) => name === 'file number 899')?.size).toBe(3)
    }
  })

  test('a large folder comes whole and in parts', async () => {
    const { storage, fill } = handle(await subject())
    const names = Array.from({ length: 5000 }, (_, index) => `file number ${index}`)
    await fill('/', names)
    const { entries } = await storage.list('/' as never)
    expect(entries.map(({ name }) => name).sort()).toEqual(names.sort())
    expect((await storage.names('/' as never)).map(({ name }) => name).sort()).toEqual(names)
  })

  test('names that a filter leaves out are not sent, but folders are', async () => {
    const { storage, fill } = handle(await subject())
    await fill('/', ['Report 1.txt', 'report 2.jpg', 'other.jpg', 'folder/file'])
    const found = async (words: string[], types: string[] = []) => {
      const filter = { words, types, isCaseSensitive: false }
      return (await storage.names('/' as never, undefined, { filter })).map(({ name }) => name).sort()
    }
    expect(await found(['report'])).toEqual(['Report 1.txt', 'folder', 'report 2.jpg'])
    expect(await found([], ['image'])).toEqual(['folder', 'other.jpg', 'report 2.jpg'])
    // Too long to be sent along.
    expect(await found(Array.from({ length: 1000 }, (_, index) => `w${index}`))).toHaveLength(4)
  })

  test('the entries of a large folder are not held where the caller does not want them', async () => {
    const { storage, fill } = handle(await subject())
    await fill(
      '/large',
      Array.from({ length: 5000 }, (_, index) => `file number ${index}`),
    )
    await fill('/small', ['file'])
    const refusal = new Error('not now')
    const hold = () => {
      throw refusal
    }
    for (const isOnce of [true, false]) {
      expect(await refusalOf(storage.list('/large' as never, undefined, { isOnce, hold }))).toBe(refusal)
      expect((await storage.list('/small' as never, undefined, { isOnce, hold })).entries).toHaveLength(1)
    }
    expect(await refusalOf(storage.names('/large' as never, undefined, { hold }))).toBe(refusal)
    expect(await storage.names('/small' as never, undefined, { hold })).toEqual([{ name: 'file', kind: 'file' }])
  })
})

/** Mounts by the first name below the root, without mounting anything. */
const mountsByFolder = {
  ...mountTable(),
  deviceOf: (name: string) => name.slice(root.length).split('/')[1] ?? '',
}

describe('one file that two threads change', () => {
  test('holds the whole content of one writer, though it is overwritten in place', async () => {
    const two = scopesOver({ pool: { mounts: mountsByFolder } })
    await two.ready()
    const size = 5 << 20
    await putFiles(root, { '/left/file': 'old', '/right/other': '' })
    linkSync(join(root, 'left/file'), join(root, 'right/file'))
    const storage = two.storageAt('/')
    for (let round = 0; round < 3; round += 1) {
      const save = (folder: string, letter: string) =>
        storage.write(`/${folder}/file` as never, pieces(letter, size), { precondition: 'any', length: size })
      await Promise.all([save('left', 'l'), save('right', 'r'), save('left', 'm'), save('right', 's')])
      expect(new Set(readFileSync(join(root, 'left/file'))).size).toBe(1)
    }
  }, 120_000)
})

describe('a file with two names that is being overwritten', () => {
  test.each(['a small one', 'a large one'])('%s is read when that is done', async (title) => {
    const size = title === 'a small one' ? 1000 : 200_000
    const name = title.replaceAll(' ', '-')
    await putFiles(root, { [`/${name}`]: `${'n'.repeat(size / 2)}${'o'.repeat(size / 2)}` })
    linkSync(join(root, name), join(root, `${name}-2`))
    const fd = kernel.open(-1, join(root, name), O.RDWR)
    await lockForWriting(fd)
    const opened = scopes.storageAt('/').open(`/${name}` as never)
    expect(await Promise.race([opened, Bun.sleep(200).then(() => 'waits')])).toBe('waits')
    await kernel.write(fd, [Buffer.alloc(size, 'n')], 0)
    kernel.close(fd)
    const file = await opened
    expect(await file.content.text()).toBe('n'.repeat(size))
    file.close()
  })
})

async function* pieces(letter: string, size: number) {
  for (let at = 0; at < size; at += 1 << 20) yield Buffer.alloc(1 << 20, letter)
}

describe('the numbers of tasks', () => {
  test('begin anew behind the largest, and a save that waits for its sender holds nothing up', async () => {
    const old = scopesOver({ pool: { lastTask: 2 ** 31 - 4 } })
    await old.ready()
    const storage = old.storageAt('/')
    for (let count = 0; count < 3; count += 1) await storage.createFolder('/numbers' as never)
    const sender = Promise.withResolvers<void>()
    const size = 100_000
    const slow = async function* () {
      await sender.promise
      yield Buffer.alloc(size, 'x')
    }
    const save = storage.write('/numbers/slow' as never, slow(), { precondition: 'any', length: size })
    for (let count = 0; count < 5; count += 1) await storage.createFolder(`/numbers/${count}` as never)
    sender.resolve()
    expect((await save).size).toBe(size)
  })
})

test.if(canMount)('whether a root folds case is found out while a mount in it hangs', async () => {
  const place = realpathSync(await makeFolder())
  mkdirSync(join(place, 'nas'))
  const hung = mountHung(join(place, 'nas'))
  if (hung === undefined) return
  try {
    const beside = scopesOver({ settings: { ...settings, root: place } })
    await beside.ready()
    expect(beside.storageAt('/').capabilities.foldsCase).toBe(foldsCaseBelow(root)())
  } finally {
    hung.giveUp()
  }
})

test.if(canMount)('a task that is done when the next one of its message hangs is answered', async () => {
  const place = realpathSync(await makeFolder())
  await putFiles(place, { '/near/a': '', '/deep/nas/b': '' })
  const hung = mountHung(join(place, 'deep/nas'))
  if (hung === undefined) return
  try {
    const beside = scopesOver({ settings: { ...settings, root: place } })
    await beside.ready()
    const storage = beside.storageAt('/')
    const near = storage.list('/near' as never)
    const hanging = storage.list('/deep/nas' as never).catch(() => undefined)
    expect((await near).entries).toHaveLength(1)
    hung.giveUp()
    await hanging
  } finally {
    hung.giveUp()
  }
})

test.if(canMount)('symlinks to a mount that hangs take no thread from the file system that they lie on', async () => {
  const place = realpathSync(await makeFolder())
  await putFiles(place, { '/near/a': '', '/deep/nas/b': '' })
  symlinkSync('deep/nas/films', join(place, 'films'))
  const hung = mountHung(join(place, 'deep/nas'))
  if (hung === undefined) return
  try {
    const beside = scopesOver({ settings: { ...settings, root: place }, pool: { deadline: 3000 } })
    await beside.ready()
    const found = beside.storageAt('/').find('/films/0' as never, { lists: true })
    expect(await refusalOf(found)).toBeInstanceOf(LinkInTheWay)
    const hanging: Promise<unknown>[] = []
    for (let count = 0; count < 4; count += 1) {
      hanging.push(beside.storageAt('/').resolve(`/films/${count}` as never))
      hanging.push(beside.storageAt('/films').stat(`/${count}` as never))
      await Bun.sleep(150)
    }
    expect((await beside.storageAt('/').list('/near' as never)).entries).toHaveLength(1)
    hung.giveUp()
    await Promise.allSettled(hanging)
  } finally {
    hung.giveUp()
  }
})

test('a name leads through the links that were met last', () => {
  const links = linksElsewhere(2)
  for (const [link, target] of [
    ['/a', '/x'],
    ['/b', '/y'],
    ['/c', '/b/z'],
  ] as const)
    links.add(link, target)
  expect(['/a/1', '/b/1', '/bb', '/c'].map(links.follow)).toEqual(['/a/1', '/y/1', '/bb', '/b/z'])
})

describe('more file systems than threads', () => {
  test('each is changed: a thread without work makes room', async () => {
    const many = scopesOver({ pool: { mounts: mountsByFolder, mostThreads: 6 } })
    await many.ready()
    const folders = Array.from({ length: 12 }, (_, index) => `disk ${index}`)
    await Promise.all(folders.map((folder) => many.storageAt('/').createFolder(`/${folder}/made` as never)))
    expect(folders.every((folder) => existsSync(join(root, folder, 'made')))).toBe(true)
  })

  test('a task that no thread can take is refused after a while', async () => {
    const none = scopesOver({ pool: { mounts: mountsByFolder, mostThreads: 1, deadline: 200 } })
    await none.ready()
    const made = none.storageAt('/').createFolder('/refused' as never)
    expect(await made.catch((error: Error) => error.message)).toBe('The disk does not answer')
  })

  test('the thread that knows of a half-written file stays', async () => {
    const [whole, half] = ['new '.repeat(2000), `${'new '.repeat(1100)}and the rest of the old one`]
    const draft = `${draftPrefix}left`
    await putFiles(root, { '/torn/a': half, [`/torn/${draft}`]: whole })
    const fd = kernel.open(-1, join(root, 'torn/a'), O.PATH)
    const noted = targetAt(kernel, fd, join(root, 'torn/a'))
    kernel.close(fd)
    const drafts = memoryLedger()
    await drafts.begin(join(root, 'torn', draft))
    await drafts.overwriting(join(root, 'torn', draft), { ...noted, modified: '1' })
    const few = scopesOver({ drafts, pool: { mounts: mountsByFolder, mostThreads: 5 } })
    await few.ready()
    await few.guardHalfWritten()
    for (const folder of ['x', 'y', 'z']) await few.storageAt('/').createFolder(`/${folder}/made` as never)
    const file = await few.storageAt('/').open('/torn/a' as never)
    expect(await file.content.text()).toBe(whole)
    file.close()
  })
})

test('the beginning of a file is told anew when it has changed, also by another program', async () => {
  await putFiles(root, { '/heads/a': 'one' })
  const storage = scopesOver().storageAt('/')
  const headOf = async () => Buffer.from((await storage.readHead('/heads/a' as never)).head).toString()
  expect([await headOf(), await headOf()]).toEqual(['one', 'one'])
  writeFileSync(join(root, 'heads/a'), 'two')
  expect([await headOf(), await headOf()]).toEqual(['two', 'two'])
})
