import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel, O } from '../linux/kernel.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { memoryLedger, memoryMoves } from '../testing/ledger.fixture.ts'
import { refusalOf } from '../testing/subject.fixture.ts'

afterAll(removeFolders)

const refuse = (code: string) => () => {
  throw new Errno(code, 'test')
}

/** More than are synced one by one. */
const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`/from/${at % 3}/${at}`, `content ${at}`]))

/** A kernel that notes in which order files are made, synced and shown, and which folder was open before the first. */
function noting(parts: Partial<Kernel> = {}) {
  const linux = linuxKernel()
  const notes: string[] = []
  const opened = new Set<number>()
  const note =
    <A extends unknown[], R>(name: string, call: (...args: A) => R) =>
    (...args: A): R => {
      notes.push(name)
      return call(...args)
    }
  const kernel: Kernel = {
    ...linux,
    canSyncFileSystem: () => true,
    ...parts,
    openBeneath(...args) {
      const fd = linux.openBeneath(...args)
      if (notes.length === 0) opened.add(fd)
      return fd
    },
    open(folder, name, flags, mode) {
      if ((flags & O.CREAT) !== 0) notes.push('create')
      return linux.open(folder, name, flags, mode)
    },
    makeFolder: note('create', linux.makeFolder),
    sync: note('sync', linux.sync),
    renameToFree: note('rename', linux.renameToFree),
    syncFileSystem(fd) {
      notes.push(`sync all ${opened.has(fd) ? 'since before' : 'since later'}`)
      return (parts.syncFileSystem ?? linux.syncFileSystem)(fd)
    },
  }
  return { kernel, notes }
}

const countOf = (notes: readonly string[], name: string): number => notes.filter((note) => note === name).length

test('a tree of many files is synced by one call, between the last byte and its name', async () => {
  const { kernel, notes } = noting()
  const to = await makeHandle(makeDisk({ kernel }))
  await putFiles(to.root, many)
  await to.copy('/from', '/to')
  const all = notes.indexOf('sync all since before')
  expect(all).toBeGreaterThan(notes.lastIndexOf('create'))
  expect(notes.slice(all + 1)).toEqual(['rename', 'sync'])
  expect(countOf(notes, 'sync')).toBeLessThan(12)
  expect(countOf(notes, 'create')).toBe(34)
  const files = await filesIn(to.root)
  for (const [path, content] of Object.entries(many)) expect(files[path.replace('/from', '/to')]).toBe(content)
})

test('where that cannot be relied on, each file and folder of it is synced', async () => {
  const { kernel, notes } = noting({ canSyncFileSystem: () => false })
  const to = await makeHandle(makeDisk({ kernel }))
  await putFiles(to.root, many)
  await to.copy('/from', '/to')
  // Thirty files, four folders, and the one that all of them lie in.
  expect([countOf(notes, 'sync'), notes.filter((note) => note.startsWith('sync all'))]).toEqual([35, []])
})

test('a few files are synced one by one, and so are large ones among many', async () => {
  const few = noting()
  const to = await makeHandle(makeDisk({ kernel: few.kernel }))
  await putFiles(to.root, { '/few/a': '1', '/few/b': '2', ...many })
  await to.copy('/few', '/copied')
  expect([countOf(few.notes, 'sync'), few.notes.some((note) => note.startsWith('sync all'))]).toEqual([4, false])

  const synced = new Set<number>()
  const linux = linuxKernel()
  const kernel: Kernel = {
    ...linux,
    canSyncFileSystem: () => true,
    sync(fd) {
      synced.add(linux.statOpen(fd).size)
      return linux.sync(fd)
    },
  }
  const large = await makeHandle(makeDisk({ kernel }), to.root)
  for (const name of ['x', 'y', 'z'])
    writeFileSync(join(to.root, 'from', name), Buffer.alloc(2_000_000 + name.charCodeAt(0)))
  await large.copy('/from', '/to')
  for (const name of ['x', 'y', 'z']) expect(synced).toContain(2_000_000 + name.charCodeAt(0))
})

test.each(['EIO', 'ENOSPC'])(
  'a tree that the disk failed to keep (%s) is not shown, and leaves no draft',
  async (code) => {
    const ledger = memoryLedger()
    const { kernel, notes } = noting({ syncFileSystem: async () => refuse(code)() })
    const to = await makeHandle(makeDisk({ kernel, ledger }))
    await putFiles(to.root, many)
    const before = await filesIn(to.root)
    await refusalOf(to.copy('/from', '/to'))
    expect([countOf(notes, 'rename'), ledger.rows.size]).toEqual([0, 0])
    expect(await filesIn(to.root)).toEqual(before)
  },
)

test('a tree on its way to another disk that failed to keep it stays where it was', async () => {
  const [ledger, moves] = [memoryLedger(), memoryMoves()]
  const root = await makeFolder()
  mkdirSync(join(root, 'other'))
  await putFiles(root, many)
  const before = await filesIn(root)
  const linux = linuxKernel()
  const other = linux.stat(-1, join(root, 'other')).inode
  const within =
    (rename: Kernel['rename']): Kernel['rename'] =>
    (from, name, to, newName) => {
      const isThere = (folder: number) => linux.statOpen(folder).inode === other
      if (isThere(from) !== isThere(to)) refuse('EXDEV')()
      rename(from, name, to, newName)
    }
  const kernel: Kernel = {
    ...linux,
    rename: within(linux.rename),
    renameToFree: within(linux.renameToFree),
    canSyncFileSystem: () => true,
    syncFileSystem: async () => refuse('EIO')(),
  }
  const to = await makeHandle(makeDisk({ kernel, ledger, moves }), root)
  await refusalOf(to.rename('/from', '/other/to'))
  expect(await filesIn(root)).toEqual(before)
  expect([ledger.rows.size, moves.rows.size]).toEqual([0, 0])
})

test('a large file is copied inside the kernel, and is given up after any piece of it', async () => {
  const linux = linuxKernel()
  const leaving = new AbortController()
  const ranges: [position: number, length: number][] = []
  const kernel: Kernel = {
    ...linux,
    shareBytes: refuse('ENOTSUP'),
    read: async () => refuse('EIO')(),
    // Less than was asked for, as a kernel may.
    async copyRange(from, to, position, length) {
      const copied = await linux.copyRange(from, to, position, Math.min(length, 7_000_000))
      ranges.push([position, copied])
      if (ranges.length === 5) leaving.abort()
      return copied
    },
  }
  const { root, copy, names } = await makeHandle(makeDisk({ kernel }))
  const content = randomBytes(20_000_001)
  writeFileSync(join(root, 'big'), content)
  await copy('/big', '/copy')
  expect(ranges).toEqual([
    [0, 7_000_000],
    [7_000_000, 7_000_000],
    [14_000_000, 6_000_001],
  ])
  expect(content.equals(readFileSync(join(root, 'copy')))).toBe(true)
  expect(await refusalOf(copy('/big', '/given-up', false, leaving.signal))).toMatchObject({ name: 'AbortError' })
  expect([ranges.length, await names('/')]).toEqual([5, ['big', 'copy']])
})

test.each([
  ['says that it copied nothing', async () => 0],
  ['cannot', async () => refuse('EXDEV')()],
])('where the kernel %s, a large file is read and written', async (_, copyRange) => {
  const { root, copy } = await makeHandle(
    makeDisk({ kernel: { ...linuxKernel(), shareBytes: refuse('ENOTSUP'), copyRange } }),
  )
  const content = randomBytes(17 << 20)
  writeFileSync(join(root, 'big'), content)
  await copy('/big', '/copy')
  expect(content.equals(readFileSync(join(root, 'copy')))).toBe(true)
})

test.each([0, 1, 8192, 65_536, 65_537])('a copy of %p bytes is the same', async (size) => {
  const { root, copy } = await makeHandle()
  const content = randomBytes(size)
  writeFileSync(join(root, 'a'), content)
  await copy('/a', '/b')
  expect(content.equals(readFileSync(join(root, 'b')))).toBe(true)
})

test('a copy of a large file is given up in the middle', async () => {
  const linux = linuxKernel()
  const leaving = new AbortController()
  let pieces = 0
  const kernel: Kernel = {
    ...linux,
    shareBytes: refuse('ENOTSUP'),
    copyRange: async () => refuse('EXDEV')(),
    write(fd, bytes, position) {
      pieces += bytes.length
      if (position > 3 << 20) leaving.abort()
      return linux.write(fd, bytes, position)
    },
  }
  const { root, copy, tree } = await makeHandle(makeDisk({ kernel }))
  writeFileSync(join(root, 'big'), Buffer.alloc(20 << 20))
  await expect(copy('/big', '/p/copy', false, leaving.signal)).rejects.toMatchObject({ name: 'AbortError' })
  expect(pieces).toBeLessThan(7)
  expect(Object.keys(await tree())).toEqual(['/big'])
  await copy('/big', '/copy')
  expect(statSync(join(root, 'copy')).size).toBe(20 << 20)
})

test.each([
  ['small', 3 << 20],
  ['large', 40 << 20],
])('a copy of a %s file with holes has them, too', async (_, size) => {
  const { root, write, copy, read } = await makeHandle(
    makeDisk({ kernel: { ...linuxKernel(), shareBytes: refuse('ENOTSUP') } }),
  )
  const fd = openSync(join(root, 'image'), 'w')
  ftruncateSync(fd, size)
  writeSync(fd, 'in the middle', size / 2)
  closeSync(fd)
  const taken = (name: string) => statSync(join(root, name)).blocks * 512
  if (taken('image') > size / 4) return
  await copy('/image', '/copy')
  await write('/box/a', '1')
  renameSync(join(root, 'image'), join(root, 'box/image'))
  await copy('/box', '/box2')
  for (const name of ['copy', 'box2/image']) {
    expect(statSync(join(root, name)).size).toBe(size)
    expect(taken(name)).toBeLessThan(size / 4)
    expect(readFileSync(join(root, name)).equals(readFileSync(join(root, 'box/image')))).toBe(true)
  }
  // Into a file that is there, holes are written as what they read.
  writeFileSync(join(root, 'full'), Buffer.alloc(size + 1, 'x'))
  linkSync(join(root, 'full'), join(root, 'full too'))
  await copy('/copy', '/full', true)
  expect(readFileSync(join(root, 'full too')).equals(readFileSync(join(root, 'copy')))).toBe(true)
  expect(await read('/box/a')).toBe('1')
})

test('a file of nothing but a hole is copied, also where the system does not tell of holes', async () => {
  const silent = { seekData: refuse('EINVAL'), shareBytes: refuse('ENOTSUP') }
  for (const parts of [{}, silent]) {
    const { root, copy } = await makeHandle(makeDisk({ kernel: { ...linuxKernel(), ...parts } }))
    writeFileSync(join(root, 'hole'), '')
    truncateSync(join(root, 'hole'), 20 << 20)
    writeFileSync(join(root, 'empty'), '')
    for (const name of ['hole', 'empty']) {
      await copy(`/${name}`, `/copy of ${name}`)
      expect(readFileSync(join(root, `copy of ${name}`)).equals(readFileSync(join(root, name)))).toBe(true)
    }
  }
})

test('a copy that the disk fails to keep on the way is none', async () => {
  const linux = linuxKernel()
  let syncs = 0
  const sync = (fd: number) => (++syncs === 1 ? Promise.reject(new Errno('EIO', 'test')) : linux.sync(fd))
  const { root, copy, tree } = await makeHandle(makeDisk({ kernel: { ...linux, shareBytes: refuse('ENOTSUP'), sync } }))
  writeFileSync(join(root, 'big'), Buffer.alloc(40 << 20))
  await expect(copy('/big', '/copy')).rejects.toMatchObject({ code: 'EIO' })
  expect(Object.keys(await tree())).toEqual(['/big'])
})
