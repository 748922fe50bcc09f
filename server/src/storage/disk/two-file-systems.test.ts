import { afterAll, describe, expect, test } from 'bun:test'
import { chownSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../test/process.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, movingPrefix, parsePath } from '../path.ts'
import { attributeOf, setAttribute } from '../testing/attributes.fixture.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { memoryLedger, memoryMoves } from '../testing/ledger.fixture.ts'
import { canHaveOwnMounts, mount, unmountAll, withOwnMounts } from '../testing/own-mounts.fixture.ts'
import { isRerun, rerun } from '../testing/rerun.fixture.ts'
import { type Handle, piecesOf } from '../testing/subject.fixture.ts'
import { clearDrafts } from './drafts.ts'
import { restoreSources } from './moving-sources.ts'

afterAll(async () => {
  unmountAll()
  await removeFolders()
})

// Where the system allows no mounts, the test is shown as skipped.
if (!isRerun())
  test.if(canHaveOwnMounts())('two file systems (the tests below, with mounts of their own)', () => {
    rerun(import.meta.path, withOwnMounts)
  })

const draftsIn = (folder: string): number =>
  readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(draftPrefix)).length

async function storageIn(root: string, spool = root) {
  const ledger = memoryLedger()
  return { ...(await makeHandle(makeDisk({ ledger, spool }), root)), ledger }
}

if (isRerun())
  describe('between two file systems', () => {
    async function withTwo() {
      const root = await makeFolder()
      mkdirSync(join(root, 'other'))
      mount(join(root, 'other'), '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs')
      return storageIn(root)
    }

    test('a move arrives whole, with owner, mode, time, attributes and links as they were', async () => {
      const { put, rename, stat, tree, root, ledger } = await withTwo()
      await put({ '/box/a': '1', '/box/deep/b': '2' })
      symlinkSync('../../outside', join(root, 'box/deep/link'))
      chownSync(join(root, 'box/a'), 1234, 4321)
      const hasAttributes = setAttribute(join(root, 'box/a'), 'user.colour', 'green')
      const before = await stat('/box/a')
      await rename('/box', '/other/p/box')
      expect(await tree()).toEqual({
        '/other/': '',
        '/other/p/': '',
        '/other/p/box/': '',
        '/other/p/box/a': '1',
        '/other/p/box/deep/': '',
        '/other/p/box/deep/b': '2',
        '/other/p/box/deep/link@': '',
      })
      expect(await filesIn(root)).toMatchObject({ '/other/p/box/deep/link@': '../../outside' })
      const { mode, seconds, nanoseconds } = await stat('/other/p/box/a')
      expect([mode, seconds, nanoseconds]).toEqual([before.mode, before.seconds, before.nanoseconds])
      expect(statSync(join(root, 'other/p/box/a'))).toMatchObject({ uid: 1234, gid: 4321 })
      if (hasAttributes) expect(attributeOf(join(root, 'other/p/box/a'), 'user.colour')).toBe('green')
      expect(ledger.rows.size).toBe(0)
    })

    test('a move replaces and merges, and moves a link as a link', async () => {
      const { put, rename, tree, root } = await withTwo()
      await put({ '/a': 'new', '/box/same': 'new', '/box/only': '1', '/other/a': 'old', '/other/box/same': 'old' })
      await put({ '/other/box/kept': '2' })
      symlinkSync('a', join(root, 'link'))
      await expect(rename('/a', '/other/a')).rejects.toMatchObject({ code: 'already-exists' })
      await rename('/a', '/other/a', true)
      await rename('/box', '/other/box', true)
      await rename('/link', '/other/link')
      expect(await tree()).toEqual({
        '/other/': '',
        '/other/a': 'new',
        '/other/box/': '',
        '/other/box/same': 'new',
        '/other/box/only': '1',
        '/other/box/kept': '2',
        '/other/link@': '',
      })
    })

    test('a move that does not fit changes nothing', async () => {
      const { put, rename, root, ledger } = await withTwo()
      await put({ '/box/a': '1'.repeat(100), '/box/big': 'x'.repeat(9_000_000) })
      const before = await filesIn(root)
      await expect(rename('/box', '/other/p/box')).rejects.toMatchObject({ code: 'no-space' })
      expect(Object.keys(await filesIn(root))).toEqual(Object.keys(before))
      expect(ledger.rows.size).toBe(0)
    })

    /** Bytes of a sender who waits in the middle until the gate is opened. */
    function gated(content: string) {
      const { promise, resolve } = Promise.withResolvers<void>()
      async function* bytes() {
        yield Buffer.from(content.slice(0, 1))
        await promise
        yield Buffer.from(content.slice(1))
      }
      return { bytes: bytes(), open: resolve }
    }

    /** Two file systems, and something that happens as soon as the first file has been copied. */
    async function withMeanwhile(meanwhile: (to: Handle) => Promise<unknown>) {
      const moves = memoryMoves()
      const linux = linuxKernel()
      let isFirst = true
      const kernel = {
        ...linux,
        copyFromMemory: () => false,
        async copyBytes(from: number, to: number) {
          await linux.copyBytes(from, to)
          if (!isFirst) return
          isFirst = false
          await meanwhile(storage)
        },
      }
      const root = await makeFolder()
      mkdirSync(join(root, 'other'))
      mount(join(root, 'other'), '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs')
      const ledger = memoryLedger()
      const storage = await makeHandle(makeDisk({ kernel, ledger, moves, spool: root }), root)
      return { ...storage, ledger, moves }
    }

    test('what is written under the old name while a folder moves is something new, and stays', async () => {
      const { put, rename, tree, moves } = await withMeanwhile(async ({ put, write, names }) => {
        expect(await names('/')).toEqual(['other'])
        await expect(write('/box/a', 'saved', { precondition: 'present' })).rejects.toMatchObject({ code: 'not-found' })
        await put({ '/box/made': 'made' })
      })
      await put({ '/box/a': '1', '/box/deep/b': '2' })
      await rename('/box', '/other/box')
      expect(await tree()).toEqual({
        '/box/': '',
        '/box/made': 'made',
        '/other/': '',
        '/other/box/': '',
        '/other/box/a': '1',
        '/other/box/deep/': '',
        '/other/box/deep/b': '2',
      })
      expect(moves.rows.size).toBe(0)
    })

    test('a file that was being written into the folder when its move began is kept, whenever the write ends', async () => {
      const [during, after] = [gated('during'), gated('after')]
      let written: Promise<unknown> = Promise.resolve()
      const { put, rename, storage, root, moves } = await withMeanwhile(async () => {
        during.open()
        await written
      })
      await put({ '/box/a': '1', '/box/deep/b': '2' })
      written = storage.write(parsePath('/box/during'), during.bytes, { precondition: 'absent' })
      const writtenLater = storage.write(parsePath('/box/deep/after'), after.bytes, { precondition: 'absent' })
      await until(() => draftsIn(root) === 2)
      await rename('/box', '/other/box')
      after.open()
      await writtenLater
      const files = await filesIn(root)
      const found = (name: string) => Object.keys(files).filter((path) => path.endsWith(`/${name}`))
      expect([found('a'), found('b'), found('after')]).toEqual([
        ['/other/box/a'],
        ['/other/box/deep/b'],
        ['/box/deep/after'],
      ])
      expect(found('during')).toHaveLength(1)
      expect([files[found('during')[0] ?? ''], files['/box/deep/after'], draftsIn(root)]).toEqual([
        'during',
        'after',
        0,
      ])
      expect(moves.rows.size).toBe(0)
    })

    test('files with several names go with all of them', async () => {
      const { put, rename, names, root, read } = await withTwo()
      await put({ '/box/a': '1', '/box/deep/kept': '2', '/outside': '3' })
      linkSync(join(root, 'box/a'), join(root, 'box/deep/second'))
      linkSync(join(root, 'box/a'), join(root, 'box/third'))
      linkSync(join(root, 'outside'), join(root, 'box/deep/inside'))
      await rename('/box', '/other/box')
      expect([await names('/'), await names('/other/box'), await names('/other/box/deep')]).toEqual([
        ['other', 'outside'],
        ['a', 'deep', 'third'],
        ['inside', 'kept', 'second'],
      ])
      expect([await read('/other/box/deep/second'), await read('/outside')]).toEqual(['1', '3'])
    })

    test('an unfinished upload comes along', async () => {
      const { put, rename, storage, root } = await withTwo()
      const id = Bun.randomUUIDv7()
      await put({ '/box/a': '1' })
      await storage.beginDraft(parsePath('/box/film'), id, { precondition: 'absent', length: 6 })
      const before = await storage.openDraft(parsePath('/box/film'), id)
      await before.append(piecesOf('abc'))
      await before.sync()
      before.close()
      await rename('/box', '/other/box')
      const draft = await storage.openDraft(parsePath('/other/box/film'), id)
      expect(draft.size).toBe(3)
      draft.close()
      expect(Object.keys(await filesIn(root)).filter((path) => path.startsWith('/box'))).toEqual([])
    })

    test('remove and merge refuse a folder out of which something is being moved', async () => {
      const { put, rename, tree } = await withMeanwhile(async ({ put, remove, rename, copy, names }) => {
        await expect(remove('/top')).rejects.toMatchObject({ code: 'locked' })
        await put({ '/target/x': '1' })
        await expect(rename('/top', '/target', true)).rejects.toMatchObject({ code: 'locked' })
        await copy('/top', '/copy')
        expect([await names('/top'), await names('/copy')]).toEqual([['kept'], ['kept']])
      })
      await put({ '/top/box/a': '1', '/top/kept': '2' })
      await rename('/top/box', '/other/box')
      expect(await tree()).toMatchObject({ '/top/kept': '2', '/other/box/a': '1', '/target/x': '1' })
    })

    test('after a crash what was being moved is back under its name', async () => {
      const { promise: isMoving, resolve } = Promise.withResolvers<void>()
      // The process stops here, as far as the disk can tell.
      const { promise: restart, reject } = Promise.withResolvers<void>()
      const { put, rename, root, ledger, moves } = await withMeanwhile(() => {
        resolve()
        return restart
      })
      await put({ '/box/a': '1', '/box/deep/b': '2' })
      const before = await filesIn(root)
      const moving = rename('/box', '/other/p/box')
      await isMoving
      expect(Object.keys(await filesIn(root))).not.toContain('/box/a')
      await restoreSources(linuxKernel(), moves)
      await clearDrafts(linuxKernel(), ledger)
      expect(await filesIn(root)).toEqual({ ...before, '/other/p/': '' })
      expect([moves.rows.size, ledger.rows.size]).toEqual([0, 0])
      reject(new Error('It went on after all'))
      await expect(moving).rejects.toThrow()
      expect(await filesIn(root)).toEqual(before)
    })

    test('after a crash what had arrived is cleared away, and what came later is back beside its successor', async () => {
      const { root } = await withTwo()
      const moves = memoryMoves()
      const hidden = `${movingPrefix}x`
      await putFiles(root, { [`/${hidden}/a`]: '1', [`/${hidden}/deep/b`]: '2', '/box/c': 'another one' })
      // Only a pause tells the times of the two groups apart.
      await Bun.sleep(50)
      const since = Date.now()
      await Bun.sleep(50)
      await putFiles(root, { [`/${hidden}/c`]: 'late' })
      await moves.begin(join(root, hidden), join(root, 'box'))
      await moves.arrived(join(root, hidden), since)
      await moves.begin(join(root, 'box'), join(root, 'other/box'))
      await restoreSources(linuxKernel(), moves)
      expect(await filesIn(root)).toEqual({ '/box/': '', '/box/c': 'another one', '/box/c(1)': 'late', '/other/': '' })
      expect([...moves.rows.keys()]).toEqual([join(root, 'box')])
    })

    test('what cannot be removed afterwards is not moved in the first place', async () => {
      const { put, rename, root } = await withTwo()
      await put({ '/box/a': '1', '/box/deep/b': '2' })
      mount(join(root, 'box/deep'), '--bind', join(root, 'box/deep'))
      const before = await filesIn(root)
      await expect(rename('/box', '/other/box')).rejects.toMatchObject({ code: 'forbidden' })
      expect(await filesIn(root)).toEqual(before)
      mount(root, '--bind', root)
      mount(root, '-o', 'remount,bind,ro')
      await expect(rename('/box', '/other/box')).rejects.toMatchObject({ code: 'forbidden' })
      expect(Object.keys(await filesIn(join(root, 'other')))).toEqual([])
    })

    test('a pipe keeps its folder from moving', async () => {
      const { put, rename, names, root } = await withTwo()
      await put({ '/box/a': '1' })
      Bun.spawnSync(['mkfifo', join(root, 'box/pipe')])
      await expect(rename('/box', '/other/box')).rejects.toMatchObject({ code: 'forbidden' })
      expect([await names('/box'), await names('/other')]).toEqual([['a', 'pipe'], []])
    })

    test('a mount point is neither moved nor removed', async () => {
      const { put, rename, remove, tree } = await withTwo()
      await put({ '/other/a': '1' })
      await expect(rename('/other', '/moved')).rejects.toMatchObject({ code: 'forbidden' })
      await expect(remove('/other')).rejects.toMatchObject({ code: 'forbidden' })
      expect(await tree()).toEqual({ '/other/': '', '/other/a': '1' })
    })
  })
