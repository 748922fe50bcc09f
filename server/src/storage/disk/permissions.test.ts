import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { parsePath } from '../path.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { keepFor, keepingParts } from '../testing/keeping.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { rerun } from '../testing/rerun.fixture.ts'

afterAll(removeFolders)

// Modes mean nothing to root, so root runs this very file once more as nobody.
const isRoot = process.getuid?.() === 0

test.if(isRoot && Bun.which('setpriv') !== null)('what is closed stays closed (the tests below, as nobody)', () => {
  rerun(import.meta.path, ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'])
})

if (!isRoot)
  describe('without the rights of root', () => {
    async function withFiles(files: Record<string, string>, modes: Record<string, number>) {
      const [root, spool, ledger] = [await makeFolder(), await makeFolder(), memoryLedger()]
      await putFiles(root, files)
      for (const [path, mode] of Object.entries(modes)) chmodSync(join(root, path), mode)
      const disk = makeDisk({ spool, ledger })
      const open = () => {
        for (const path of Object.keys(modes)) chmodSync(join(root, path), 0o700)
      }
      return { ...(await makeHandle(disk, root)), disk, spool, ledger, open }
    }

    test('a file that may not be written is not replaced either', async () => {
      const { write, copy, tree } = await withFiles({ '/a': 'old', '/b': 'x' }, { a: 0o444 })
      await expect(write('/a', 'new', { precondition: 'any' })).rejects.toMatchObject({ code: 'forbidden' })
      await expect(copy('/b', '/a', true)).rejects.toMatchObject({ code: 'forbidden' })
      expect(await tree()).toEqual({ '/a': 'old', '/b': 'x' })
    })

    test('a file in a closed folder is written through the spool, a new one is refused', async () => {
      const { write, read, open, root, spool, ledger } = await withFiles({ '/box/a': 'old' }, { box: 0o555 })
      await write('/box/a', 'new', { precondition: 'any' })
      expect(await read('/box/a')).toBe('new')
      await expect(write('/box/b', 'new')).rejects.toMatchObject({ code: 'forbidden' })
      await expect(write('/box/deep/b', 'new')).rejects.toMatchObject({ code: 'forbidden' })
      open()
      expect([await filesIn(root), await filesIn(spool), ledger.rows.size]).toEqual([
        { '/box/': '', '/box/a': 'new' },
        {},
        0,
      ])
    })

    test('a folder with something in it that cannot be removed is not removed in part', async () => {
      const files = { '/box/a': '1', '/box/closed/b': '2', '/box/z': '3', '/to/closed/b': '4' }
      const { remove, rename, tree, open } = await withFiles(files, { 'box/closed': 0o555 })
      const before = await tree()
      await expect(remove('/box')).rejects.toMatchObject({ code: 'forbidden' })
      await expect(rename('/box', '/to', true)).rejects.toMatchObject({ code: 'forbidden' })
      await expect(rename('/to', '/box', true)).rejects.toMatchObject({ code: 'forbidden' })
      expect(await tree()).toEqual(before)
      open()
      await remove('/box')
    })

    test('what breaks in the middle of a removal is told, and the rest is back', async () => {
      const { remove, disk, names } = await withFiles({ '/box/a': '1', '/box/b': '2', '/box/c': '3' }, {})
      const { unlink } = disk.kernel
      let count = 0
      disk.kernel.unlink = (folder, name) => {
        count += 1
        if (count === 2) throw new Errno('EACCES', 'test')
        unlink(folder, name)
      }
      await expect(remove('/box')).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('Only a part was removed'),
      })
      expect(await names('/box')).toHaveLength(2)
    })

    test('a folder with something in it that is closed to us is moved along with it', async () => {
      const { rename, names, open } = await withFiles({ '/box/shut/a': '1', '/box/b': '2' }, { 'box/shut': 0o000 })
      await rename('/box', '/deep/er/box')
      expect(await names('/deep/er/box')).toEqual(['b', 'shut'])
      await rename('/deep/er/box', '/box')
      open()
    })

    test('a failed copy of a closed folder leaves no draft', async () => {
      const { copy, open, disk, root, ledger } = await withFiles({ '/box/closed/a': '1' }, { 'box/closed': 0o555 })
      disk.kernel.renameToFree = () => {
        throw new Errno('EIO', 'test')
      }
      await expect(copy('/box', '/copy')).rejects.toMatchObject({ code: 'EIO' })
      open()
      expect([Object.keys(await filesIn(root)), ledger.rows.size]).toEqual([
        ['/box/', '/box/closed/', '/box/closed/a'],
        0,
      ])
    })

    test('a copy of a closed folder merges', async () => {
      const { copy, open, tree } = await withFiles(
        { '/box/closed/a': '1', '/to/closed/b': '2' },
        { 'box/closed': 0o555 },
      )
      await copy('/box', '/to', true)
      expect(await tree()).toMatchObject({ '/box/closed/a': '1', '/to/closed/a': '1', '/to/closed/b': '2' })
      open()
    })

    test('a folder that may be read but not entered shows its names', async () => {
      const { names, remove, open } = await withFiles({ '/box/a': '1', '/box/deep/b': '2' }, { box: 0o444 })
      expect(await names('/box')).toEqual(['a', 'deep'])
      await expect(remove('/box')).rejects.toMatchObject({ code: 'forbidden' })
      open()
      expect(await names('/box')).toEqual(['a', 'deep'])
    })

    test('a folder that may not be read is forbidden', async () => {
      const { names, stat, read, open } = await withFiles({ '/box/a': '1' }, { box: 0 })
      await expect(names('/box')).rejects.toMatchObject({ code: 'forbidden' })
      await expect(stat('/box/a')).rejects.toMatchObject({ code: 'forbidden' })
      await expect(read('/box/a')).rejects.toMatchObject({ code: 'forbidden' })
      open()
      expect(await read('/box/a')).toBe('1')
    })

    test('the old kernel says the same', async () => {
      const { disk, root, open } = await withFiles({ '/box/a': '1' }, { box: 0 })
      const { stat } = await makeHandle({ ...disk, kernel: linuxKernel({ openat2: false }) }, root)
      await expect(stat('/box/a')).rejects.toMatchObject({ code: 'forbidden' })
      open()
    })

    test('a kept folder goes with what is closed in it', async () => {
      const root = await makeFolder()
      await putFiles(root, { '/box/closed/deep/a': '1', '/box/unwritable/b': '2' })
      const { storage } = await makeHandle(makeDisk(keepingParts()), root)
      const keep = keepFor('remove')
      const place = await storage.keepPlace(parsePath('/box'), keep)
      await storage.remove(parsePath('/box'), { keptAt: place, keep })
      const kept = join(root, place ?? '')
      for (const [path, mode] of [
        ['closed/deep', 0],
        ['closed', 0o100],
        ['unwritable', 0o500],
        ['', 0],
      ] as const)
        chmodSync(join(kept, path), mode)
      await storage.purge(place ?? parsePath('/'))
      expect(Object.keys(await filesIn(root)).filter((path) => !path.endsWith('/'))).toEqual([])
    })
  })
