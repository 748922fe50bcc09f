import { afterAll, describe, expect, test } from 'bun:test'
import { linkSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linuxKernel } from '../linux/kernel.ts'
import { draftPrefix } from '../path.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { canHaveOwnMounts, mount, unmountAll, withOwnMounts } from '../testing/own-mounts.fixture.ts'
import { isRerun, rerun } from '../testing/rerun.fixture.ts'
import { clearDrafts } from './drafts.ts'

afterAll(async () => {
  unmountAll()
  await removeFolders()
})

// Where the system allows no mounts, the test is shown as skipped.
if (!isRerun())
  test.if(canHaveOwnMounts())('full disks and odd mounts (the tests below, with mounts of their own)', () => {
    rerun(import.meta.path, withOwnMounts)
  })

const _draftsIn = (folder: string): number =>
  readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(draftPrefix)).length

async function storageIn(root: string, spool = root) {
  const ledger = memoryLedger()
  return { ...(await makeHandle(makeDisk({ ledger, spool }), root)), ledger }
}

if (isRerun())
  describe('on a full disk', () => {
    const old = 'old '.repeat(50_000)
    const larger = 'new '.repeat(500_000)

    async function withFullDisk() {
      const root = await makeFolder()
      mount(root, '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs')
      await putFiles(root, { '/a': old, '/b': old, '/box/c': old, '/box/d': old })
      linkSync(join(root, 'b'), join(root, 'b2'))
      const before = await filesIn(root)
      return { ...(await storageIn(root)), before }
    }

    test.each([
      ['a new file', '/p/new', 'absent'],
      ['a new version', '/a', 'any'],
      ['a new version of a file with two names', '/b', 'any'],
    ] as const)('%s is refused, and everything is as before', async (_, path, precondition) => {
      const { write, root, ledger, before } = await withFullDisk()
      const descriptors = openBeneath(root)
      await expect(write(path, larger, { precondition })).rejects.toMatchObject({ code: 'no-space' })
      expect([(await filesIn(root)) as unknown, ledger.rows.size]).toEqual([before, 0])
      expect(openBeneath(root)).toEqual(descriptors)
      await write('/small', 'there is room for this one')
    })

    test('a file with two names is not touched when its new version fits as a draft, but not a second time', async () => {
      const { write, root, ledger, before } = await withFullDisk()
      await expect(write('/b', 'x'.repeat(1_000_000), { precondition: 'any' })).rejects.toMatchObject({
        code: 'no-space',
      })
      expect([await filesIn(root), ledger.rows.size]).toEqual([before, 0])
      expect(statSync(join(root, 'b')).blocks * 512).toBeLessThan(300_000)
      await clearDrafts(linuxKernel(), ledger)
      expect(await filesIn(root)).toEqual(before)
    })

    test.each([
      ['/box', '/p/copy', false],
      ['/a', '/p/copy', false],
      ['/a', '/b', true],
      ['/box', '/box2', true],
    ])('a copy of %s to %s leaves nothing', async (from, to, replace) => {
      const { copy, root, ledger } = await withFullDisk()
      mkdirSync(join(root, 'box2'))
      writeFileSync(join(root, 'filler'), Buffer.alloc(1_100_000))
      const before = await filesIn(root)
      await expect(copy(from, to, replace)).rejects.toMatchObject({ code: 'no-space' })
      expect([await filesIn(root), ledger.rows.size]).toEqual([before, 0])
    })
  })

if (isRerun())
  describe('where a file cannot be renamed over', () => {
    test('a file that is a mount of its own is written in place', async () => {
      const { put, write, copy, stat, read, root, ledger } = await storageIn(await makeFolder())
      await put({ '/outside': 'old and long', '/a': '', '/b': 'copied' })
      mount(join(root, 'a'), '--bind', join(root, 'outside'))
      const { id } = await stat('/a')
      expect(await write('/a', 'new', { precondition: 'any' })).toMatchObject({ id, size: 3 })
      expect(await read('/outside')).toBe('new')
      await copy('/b', '/a', true)
      expect(await read('/outside')).toBe('copied')
      expect([Object.keys(await filesIn(root)).sort(), ledger.rows.size]).toEqual([['/a', '/b', '/outside'], 0])
    })

    test('a writable file in a read-only folder is written from the spool', async () => {
      const [outside, spool] = [await makeFolder(), await makeFolder()]
      const { put, write, read, root, ledger } = await storageIn(await makeFolder(), spool)
      await putFiles(outside, { '/a': 'old' })
      await put({ '/box/a': '', '/box/b': 'old' })
      mount(join(root, 'box'), '--bind', join(root, 'box'))
      mount(join(root, 'box'), '-o', 'remount,bind,ro')
      mount(join(root, 'box/a'), '--bind', join(outside, 'a'))
      await write('/box/a', 'new', { precondition: 'any' })
      expect(await read('/box/a')).toBe('new')
      await expect(write('/box/b', 'new', { precondition: 'any' })).rejects.toMatchObject({ code: 'forbidden' })
      await expect(write('/box/c', 'new')).rejects.toMatchObject({ code: 'forbidden' })
      expect([await filesIn(spool), ledger.rows.size]).toEqual([{}, 0])
      expect(await filesIn(join(root, 'box'))).toEqual({ '/a': 'new', '/b': 'old' })
    })
  })

if (isRerun())
  describe('on an overlay, as in a container', () => {
    async function withOverlay() {
      const place = await makeFolder()
      mount(place, '-t', 'tmpfs', 'tmpfs')
      await putFiles(join(place, 'lower'), { '/box/a': '1', '/other/deep/b': '2', '/c': 'old' })
      linkSync(join(place, 'lower/c'), join(place, 'lower/c2'))
      for (const folder of ['upper', 'work', 'root']) mkdirSync(join(place, folder))
      const layers = ['lower', 'upper', 'work'].map((name) => `${name}dir=${join(place, name)}`)
      mount(join(place, 'root'), '-t', 'overlay', '-o', [...layers, 'redirect_dir=off'].join(), 'overlay')
      return storageIn(join(place, 'root'))
    }

    test('what lies in the lower layer is changed, moved and removed like anything else', async () => {
      const { write, copy, rename, remove, tree, root, ledger } = await withOverlay()
      await write('/box/a', 'new', { precondition: 'any' })
      await write('/c', 'new', { precondition: 'any' })
      await rename('/box', '/moved')
      await remove('/other')
      await copy('/moved', '/copy')
      expect(await tree()).toMatchObject({ '/moved/a': 'new', '/copy/a': 'new', '/c': 'new' })
      expect(Object.keys(await filesIn(root)).sort()).toEqual(['/c', '/c2', '/copy/', '/copy/a', '/moved/', '/moved/a'])
      expect(ledger.rows.size).toBe(0)
    })
  })
