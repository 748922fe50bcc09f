import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, linkSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { parsePath } from '../path.ts'
import {
  diskStorage,
  filesIn,
  makeDisk,
  makeFolder,
  makeHandle,
  putFiles,
  removeFolders,
} from '../testing/disk.fixture.ts'
import { placedIn, refusalOf } from '../testing/subject.fixture.ts'
import { entryOf } from './entry.ts'
import { guarded } from './guarded.ts'
import { findOwnFiles } from './own-files.ts'

afterAll(removeFolders)

const kernels: [string, Kernel][] = [
  ['with openat2', linuxKernel()],
  ['without', linuxKernel({ openat2: false })],
]

test('the inode of an own file that was removed is free for other files at once', async () => {
  const root = await makeFolder()
  await putFiles(root, { '/filestead.db': 'db' })
  let time = 0
  const paths = [join(root, 'filestead.db')]
  const own = findOwnFiles(linuxKernel(), { paths, families: [], listedBeside: [] }, () => time)
  const identity = linuxKernel().look(-1, join(root, 'filestead.db')) ?? { inode: 0, device: 0 }
  expect(own.is(identity)).toBe(true)
  // Another file with the same inode, as a file system makes one after a removal.
  renameSync(join(root, 'filestead.db'), join(root, 'mine.txt'))
  time += 30
  expect(own.is(identity)).toBe(false)
  renameSync(join(root, 'mine.txt'), join(root, 'filestead.db'))
  time += 1001
  own.refresh()
  expect(own.is(identity)).toBe(true)
})

describe.each(kernels)('own files are not there (%s)', (_, kernel) => {
  const own = { '/data/filestead.db': 'db', '/data/cache/deep/thumb': 'thumb' }

  async function withOurs() {
    const root = await makeFolder()
    await putFiles(root, { ...own, '/data/mine': 'mine', '/box/data/filestead.db': 'bad', '/box/data/new': 'new' })
    const ownFiles = findOwnFiles(kernel, {
      paths: [join(root, 'data/filestead.db'), join(root, 'data/cache'), join(root, 'none')],
      families: [],
      listedBeside: [],
    })
    const disk = makeDisk({ kernel, ownFiles })
    return { ...(await makeHandle(disk, root)), disk }
  }

  test('in a listing, by its name, by another name or from above', async () => {
    const { names, stat, read, list, root, storage, disk } = await withOurs()
    expect(await names('/data')).toEqual(['mine'])
    linkSync(join(root, 'data/filestead.db'), join(root, 'other'))
    for (const path of ['/data/filestead.db', '/other', '/data/cache', '/data/cache/deep', '/data/cache/deep/thumb']) {
      await expect(stat(path)).rejects.toMatchObject({ code: 'not-found' })
      await expect(read(path)).rejects.toMatchObject({ code: 'not-found' })
      await expect(list(path)).rejects.toMatchObject({ code: 'not-found' })
      await expect(storage.beneath(parsePath(path)).stat(parsePath('/x'))).rejects.toMatchObject({ code: 'not-found' })
    }
    const thumb = parsePath('/cache/deep/thumb')
    await expect(storage.beneath(parsePath('/data')).stat(thumb)).rejects.toMatchObject({ code: 'not-found' })
    const fromTheTop = diskStorage(disk, '/').stat(parsePath(join(root, 'data/cache/deep/thumb')))
    await expect(fromTheTop).rejects.toMatchObject({ code: 'not-found' })
    expect(await names('/')).toEqual(['box', 'data'])
    for (const [folder, seen] of [
      ['/', ['box', 'data']],
      ['/data', ['mine']],
    ] as const)
      expect((await storage.names(parsePath(folder))).map(({ name }) => name).sort()).toEqual([...seen])
    expect(await read('/data/mine')).toBe('mine')
    for (const [folder, asked, seen] of [
      ['/data', ['filestead.db', 'cache', 'mine'], [undefined, undefined, 'mine']],
      ['/', ['other', 'none'], [undefined, undefined]],
    ] as const) {
      const files = await storage.readFiles(parsePath(folder), asked, 100)
      expect(files.map((file) => file?.entry.name)).toEqual([...seen])
      const there = asked.filter((name) => name !== 'none')
      const entries = there.map((name) => entryOf(name, kernel.stat(-1, join(root, folder, name))))
      const places = { names: there, entries, starts: there.map((_, at) => at * 100_000), size: 300_000 }
      const placed = await placedIn(storage, folder, places)
      const read = placed.filter(({ checksum }) => checksum !== undefined)
      expect([placed.length, ...read.map(({ name }) => name)]).toEqual([
        there.length,
        ...there.filter((name) => name === 'mine'),
      ])
      expect(placed.some(({ content }) => content.includes('db'))).toBe(false)
    }
    expect(await refusalOf(storage.readFiles(parsePath('/data/cache/deep'), ['thumb'], 100))).toMatchObject({
      code: 'not-found',
    })
  })

  test('and nothing is changed in it or put in its place', async () => {
    const { write, createFolder, rename, copy, remove, names, root } = await withOurs()
    const before = await filesIn(root)
    for (const attempt of [
      () => write('/data/filestead.db', 'x', { precondition: 'any' }),
      () => write('/data/filestead.db', 'x', { precondition: 'absent' }),
      () => write('/data/cache', 'x', { precondition: 'any' }),
      () => write('/data/cache/deep/thumb', 'x', { precondition: 'any' }),
      () => write('/data/cache/new/x', 'x'),
      () => createFolder('/data/cache'),
      () => createFolder('/data/cache/new'),
      () => rename('/data/filestead.db', '/x'),
      () => rename('/data/cache', '/x'),
      () => rename('/data/cache/deep', '/x'),
      () => rename('/data', '/x'),
      () => rename('/box/data/new', '/data/filestead.db', true),
      () => rename('/box/data/new', '/data/cache/deep/thumb', true),
      () => rename('/box/data', '/data', true),
      () => copy('/data', '/x'),
      () => copy('/data/cache/deep', '/x'),
      () => copy('/box/data/new', '/data/filestead.db', true),
      () => copy('/box/data', '/data', true),
      () => remove('/data/filestead.db'),
      () => remove('/data/cache/deep/thumb'),
      () => remove('/data'),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: expect.stringMatching(/^(not-found|forbidden|already-exists)$/),
      })
    expect(await filesIn(root)).toEqual(before)
    await write('/data/mine', 'changed', { precondition: 'any' })
    await rename('/data/mine', '/moved')
    linkSync(join(root, 'data/filestead.db'), join(root, 'box/another name'))
    await copy('/box', '/copy')
    expect(await names('/copy')).toEqual(['data'])
  })
})

test('two own files with one inode number on two devices are both known', () => {
  const linux = linuxKernel()
  const upper = dirname(import.meta.dir)
  const devices = new Map([
    [upper, 1],
    [import.meta.dir, 2],
  ])
  const numbering: Kernel = {
    ...linux,
    look(folder, name) {
      const stat = linux.look(folder, name)
      const device = devices.get(String(name))
      return stat && device !== undefined ? { ...stat, inode: 7, device } : stat
    },
  }
  const ownFiles = findOwnFiles(numbering, { paths: [upper, import.meta.dir], families: [], listedBeside: [] })
  for (const device of [1, 2]) expect(ownFiles.is({ inode: 7, device })).toBe(true)
  expect(ownFiles.holds({ inode: 7, device: 1 })).toBe(true)
  expect(ownFiles.is({ inode: 7, device: 3 })).toBe(false)
})

describe('what appears later', () => {
  const families = (root: string) => ['data/own.db', 'none/deep/.filestead.'].map((path) => join(root, path))

  async function withNames() {
    const root = await makeFolder()
    await putFiles(root, { '/data/mine': 'mine', '/sub/own.db': 'free' })
    let now = 0
    let paths = [join(root, 'key')]
    const ownFiles = findOwnFiles(
      linuxKernel(),
      {
        get paths() {
          return paths
        },
        families: families(root),
        listedBeside: [],
      },
      () => now,
    )
    return {
      ...(await makeHandle(makeDisk({ ownFiles }), root)),
      later(also: string[] = []) {
        paths = [...paths, ...also]
        now += 10_000
      },
    }
  }

  test('is an own file by its name from its first moment, in its folder and nowhere else', async () => {
    const { root, names, read, write, remove, rename, copy } = await withNames()
    await putFiles(root, { '/data/own.db.old': 'secret', '/data/OWN.DB/deep': 'secret' })
    expect(await names('/data')).toEqual(['mine'])
    for (const path of ['/data/own.db.old', '/data/OWN.DB', '/data/OWN.DB/deep']) {
      await expect(read(path)).rejects.toMatchObject({ code: 'not-found' })
      await expect(remove(path)).rejects.toMatchObject({ code: 'not-found' })
      await expect(copy(path, '/x')).rejects.toMatchObject({ code: 'not-found' })
      await expect(write(path, 'x', { precondition: 'present' })).rejects.toMatchObject({ code: 'not-found' })
    }
    await expect(rename('/data', '/x')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(remove('/data')).rejects.toMatchObject({ code: 'forbidden' })
    await copy('/data', '/copy')
    expect(await names('/copy')).toEqual(['mine'])
    expect(await read('/sub/own.db')).toBe('free')
    await rename('/sub', '/moved')
  })

  test('a folder that is missing cannot be made, and when another program has made it its names are kept', async () => {
    const { root, createFolder, write, names, later } = await withNames()
    for (const attempt of [() => createFolder('/none'), () => write('/none/deep/.filestead.json', 'x')])
      await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/^(forbidden|not-found)$/) })
    expect(await names('/')).toEqual(['data', 'sub'])
    await putFiles(root, { '/none/deep/x': 'x' })
    later()
    expect(await names('/none/deep')).toEqual(['x'])
    await expect(write('/none/deep/.filestead.json', 'x')).rejects.toMatchObject({ code: 'forbidden' })
    await write('/none/y', 'y')
  })

  test('a file that was renewed is an own file, and the one that it replaced is not', async () => {
    const { root, read, later } = await withNames()
    await putFiles(root, { '/key': 'old' })
    later()
    renameSync(join(root, 'key'), join(root, 'before'))
    await putFiles(root, { '/key': 'new' })
    linkSync(join(root, 'key'), join(root, 'other'))
    later()
    expect(await read('/before')).toBe('old')
    await expect(read('/other')).rejects.toMatchObject({ code: 'not-found' })
    await putFiles(root, { '/export.json': 'secret' })
    later([join(root, 'export.json')])
    await expect(read('/export.json')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('is refused in the very step, whatever was looked at before', async () => {
    const root = await makeFolder()
    await putFiles(root, { '/data/mine': 'mine', '/box/a': 'a' })
    const linux = linuxKernel()
    const ownFiles = findOwnFiles(linux, { paths: [], families: families(root), listedBeside: [] })
    let isPut = false
    const racing: Kernel = {
      ...linux,
      rename(...names) {
        // The tree has been looked through by now.
        if (!isPut) writeFileSync(join(root, 'box/own.db'), 'of another')
        isPut = true
        linux.rename(...names)
      },
    }
    const { rename, names } = await makeHandle(makeDisk({ kernel: guarded(racing, ownFiles), ownFiles }), root)
    await expect(rename('/box', '/data', true)).rejects.toMatchObject({ code: 'forbidden' })
    expect([isPut, await names('/data'), existsSync(join(root, 'data/own.db'))]).toEqual([true, ['a', 'mine'], false])
  })
})
