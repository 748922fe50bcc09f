import { afterAll, describe, expect, test } from 'bun:test'
import { linkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parsePath } from '../files/path.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from './disk.fixture.ts'
import { diskStorage } from './disk.ts'
import { type Kernel, linuxKernel } from './kernel.ts'
import { oursAmong } from './ours.ts'

afterAll(removeFolders)

const kernels: [string, Kernel][] = [
  ['with openat2', linuxKernel()],
  ['without', linuxKernel({ openat2: false })],
]

describe.each(kernels)('what is ours is not there (%s)', (_, kernel) => {
  const own = { '/data/filestead.db': 'db', '/data/cache/deep/thumb': 'thumb' }

  async function withOurs() {
    const root = await makeFolder()
    await putFiles(root, { ...own, '/data/mine': 'mine', '/box/data/filestead.db': 'bad', '/box/data/new': 'new' })
    const ours = oursAmong(kernel, {
      paths: [join(root, 'data/filestead.db'), join(root, 'data/cache'), join(root, 'none')],
      families: [],
    })
    const disk = makeDisk({ kernel, ours })
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
  })

  test('and nothing is changed in it or put in its place', async () => {
    const { write, createFolder, rename, copy, remove, names, root } = await withOurs()
    const before = await filesIn(root)
    for (const attempt of [
      () => write('/data/filestead.db', 'x', { mode: 'replace' }),
      () => write('/data/filestead.db', 'x', { mode: 'new' }),
      () => write('/data/cache', 'x', { mode: 'replace' }),
      () => write('/data/cache/deep/thumb', 'x', { mode: 'replace' }),
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
    await write('/data/mine', 'changed', { mode: 'replace' })
    await rename('/data/mine', '/moved')
    linkSync(join(root, 'data/filestead.db'), join(root, 'box/another name'))
    await copy('/box', '/copy')
    expect(await names('/copy')).toEqual(['data'])
  })
})

test('two of ours with one number on two devices are both known', () => {
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
  const ours = oursAmong(numbering, { paths: [upper, import.meta.dir], families: [] })
  for (const device of [1, 2]) expect(ours.is({ inode: 7, device })).toBe(true)
  expect(ours.holds({ inode: 7, device: 1 })).toBe(true)
  expect(ours.is({ inode: 7, device: 3 })).toBe(false)
})
