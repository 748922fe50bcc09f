import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel, O } from '../linux/kernel.ts'
import { draftPrefix, rootPath } from '../path.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { placedIn } from '../testing/subject.fixture.ts'
import { clearDrafts, guardHalfWritten } from './drafts.ts'
import { entryOf } from './entry.ts'
import { repairHalfWritten } from './half-written.ts'
import type { OverwriteTarget } from './repairing.ts'

afterAll(removeFolders)

const kernel = linuxKernel()
const fastPlace = existsSync('/dev/shm') ? '/dev/shm' : undefined
const [whole, half] = ['new '.repeat(2000), `${'new '.repeat(1100)}and the rest of the old one`]
const draft = `${draftPrefix}left`

/** A file with two names that a draft was being written into when the server died. */
async function crashed(second = '/b.txt') {
  const root = await makeFolder(fastPlace)
  await putFiles(root, { '/a.txt': half, [`/${draft}`]: whole, '/deep/er/kept': '1' })
  linkSync(join(root, 'a.txt'), join(root, second))
  const ledger = memoryLedger()
  const noted: OverwriteTarget = { place: `${root}/a.txt`, ...identity(join(root, 'a.txt')) }
  await ledger.begin(`${root}/${draft}`)
  await ledger.overwriting(`${root}/${draft}`, noted)
  const recovered: string[] = []
  const clear = (with_: Kernel = kernel) =>
    clearDrafts(with_, ledger, { root, recovered: (file) => recovered.push(file) })
  return {
    root,
    ledger,
    noted,
    recovered,
    clear,
    note: (target: OverwriteTarget) => ledger.overwriting(`${root}/${draft}`, target),
  }
}

function identity(path: string): Omit<OverwriteTarget, 'place'> {
  const fd = kernel.open(-1, path, O.PATH)
  const { device, inode } = kernel.statOpen(fd)
  const born = kernel.bornAt(fd)
  kernel.close(fd)
  return { device, inode, born, size: half.length, modified: '1700000000000000000' }
}

const unchanged = { '/deep/': '', '/deep/er/': '', '/deep/er/kept': '1' }

/** As an administrator does who finds the file broken: another one takes its name. */
function restore(root: string): void {
  writeFileSync(join(root, 'backup'), 'the good version')
  renameSync(join(root, 'backup'), join(root, 'a.txt'))
}

test('what was being written into is finished', async () => {
  const { root, ledger, clear } = await crashed()
  await clear()
  expect(await filesIn(root)).toEqual({ ...unchanged, '/a.txt': whole, '/b.txt': whole })
  expect(ledger.rows.size).toBe(0)
})

test('a node that does not know yet that another one died in a save does not let it undo a later save', async () => {
  const { root, ledger, clear, recovered } = await crashed()
  // It begins like the version that was interrupted, and is as long.
  const later = `${whole.slice(0, -4)}last`
  await (await makeHandle(makeDisk({ ledger }), root)).write('/b.txt', later, { precondition: 'any' })
  await clear()
  expect(await filesIn(root)).toMatchObject({ '/a.txt': later, '/b.txt': later })
  expect([recovered, ledger.rows.size]).toEqual([[], 0])
})

test.each(['/b.txt', '/deep/er/b.txt'])(
  'a file that came later stays, and the half-written one is repaired at %s',
  async (second) => {
    const { root, ledger, recovered, clear } = await crashed(second)
    restore(root)
    await clear()
    expect(await filesIn(root)).toEqual({ ...unchanged, '/a.txt': 'the good version', [second]: whole })
    expect([recovered, ledger.rows.size]).toEqual([[], 0])
  },
)

test('where the half-written file is gone, the draft is kept under a name that says so and was free', async () => {
  const { root, ledger, recovered, clear } = await crashed()
  rmSync(join(root, 'b.txt'))
  restore(root)
  await putFiles(root, { '/a (recovered).txt': 'of an earlier crash' })
  await clear()
  expect(await filesIn(root)).toEqual({
    ...unchanged,
    '/a.txt': 'the good version',
    '/a (recovered).txt': 'of an earlier crash',
    '/a (recovered 2).txt': whole,
  })
  expect([recovered, ledger.rows.size]).toEqual([[`${root}/a (recovered 2).txt`], 0])
})

test.each(['the good version', 'new '.repeat(2100), 'new '.repeat(1030)])(
  'what another program wrote into the half-written file since stays (%#)',
  async (content) => {
    const { root, ledger, clear } = await crashed()
    writeFileSync(join(root, 'b.txt'), content)
    await clear()
    expect(await filesIn(root)).toEqual({
      ...unchanged,
      '/a.txt': content,
      '/b.txt': content,
      '/a (recovered).txt': whole,
    })
    expect(ledger.rows.size).toBe(0)
  },
)

test('a file that was not written into yet stays as it was, and the draft goes like any other', async () => {
  const { root, noted, note, ledger, clear } = await crashed()
  writeFileSync(join(root, 'a.txt'), 'the old version')
  utimesSync(join(root, 'a.txt'), 1_700_000_000, 1_700_000_000)
  await note({ ...noted, size: 'the old version'.length })
  await clear()
  expect(await filesIn(root)).toEqual({ ...unchanged, '/a.txt': 'the old version', '/b.txt': 'the old version' })
  expect(ledger.rows.size).toBe(0)
})

test('on a volume that is not mounted nothing is found, and nothing is forgotten', async () => {
  const { root, ledger, clear } = await crashed()
  const away = await makeFolder(fastPlace)
  for (const name of ['a.txt', 'b.txt', draft]) renameSync(join(root, name), join(away, name))
  await clear()
  expect([await filesIn(root), ledger.rows.size]).toEqual([unchanged, 1])
  for (const name of ['a.txt', 'b.txt', draft]) renameSync(join(away, name), join(root, name))
  await clear()
  expect([await filesIn(root), ledger.rows.size]).toEqual([{ ...unchanged, '/a.txt': whole, '/b.txt': whole }, 0])
})

test('a folder, a link or nothing in its place is left as it is', async () => {
  for (const make of [() => {}, (path: string) => Bun.spawnSync(['mkdir', path]), symlink]) {
    const { root, clear } = await crashed()
    rmSync(join(root, 'b.txt'))
    rmSync(join(root, 'a.txt'))
    make(join(root, 'a.txt'))
    const before = await filesIn(root)
    await clear()
    const { [`/${draft}`]: _, ...others } = before
    expect(await filesIn(root)).toEqual({ ...others, '/a (recovered).txt': whole })
  }
  function symlink(path: string) {
    return Bun.spawnSync(['ln', '-s', 'deep/er/kept', path])
  }
})

test('a file that was given the number of the half-written one is told by its birth', async () => {
  const { root, noted, note, clear } = await crashed()
  expect(noted.born).toMatch(/^\d{10,}$|^$/)
  if (noted.born === '') return
  await note({ ...noted, born: '1700000000000000000' })
  await clear()
  expect(await filesIn(root)).toEqual({ ...unchanged, '/a.txt': half, '/b.txt': half, '/a (recovered).txt': whole })
})

test('a device that has another number since the machine was started anew is no other one', async () => {
  const { root, noted, note, clear } = await crashed()
  if (noted.born === '') return
  await note({ ...noted, device: 4711 })
  await clear()
  expect(await filesIn(root)).toEqual({ ...unchanged, '/a.txt': whole, '/b.txt': whole })
})

describe('Of what version 1.0.0 noted, without an identity,', () => {
  const nothing = { device: null, inode: null, born: null, size: null, modified: null }

  test('a file that begins like the draft is finished', async () => {
    const { root, noted, note, clear } = await crashed()
    await note({ place: noted.place, ...nothing })
    await clear()
    expect(await filesIn(root)).toEqual({ ...unchanged, '/a.txt': whole, '/b.txt': whole })
  })

  test.each([whole, ''])('any other stays, and the draft beside it (%#)', async (content) => {
    const { root, noted, note, clear } = await crashed()
    restore(root)
    writeFileSync(join(root, draft), content)
    await note({ place: noted.place, ...nothing })
    await clear()
    expect(await filesIn(root)).toMatchObject({ '/a.txt': 'the good version', '/a (recovered).txt': content })
  })
})

test('a draft in the spool stays there under a visible name, where the folder is closed to us', async () => {
  const { root, noted, ledger } = await crashed()
  const spool = await makeFolder(fastPlace)
  rmSync(join(root, 'b.txt'))
  restore(root)
  renameSync(join(root, draft), join(spool, draft))
  const closed: Kernel = {
    ...kernel,
    renameToFree(from, name, to, newName) {
      if (kernel.statOpen(to).inode === statSync(root).ino) throw new Errno('EACCES', 'test')
      kernel.renameToFree(from, name, to, newName)
    },
  }
  const there = memoryLedger()
  await there.overwriting(`${spool}/${draft}`, noted)
  await clearDrafts(closed, there)
  expect(await filesIn(spool)).toEqual({ '/a (recovered).txt': whole })
  expect([there.rows.size, ledger.rows.size]).toEqual([0, 1])
})

test.each([
  ['EIO', false],
  ['EIO', true],
  ['ENOSPC', true],
])(
  'mending survives %s at any call (and at all later ones: %p), and the next trial finishes it',
  async (code, lasting) => {
    for (const isRestored of [false, true]) {
      for (let failingCall = 1, isDone = false; !isDone; failingCall += 1) {
        const { root, ledger, clear } = await crashed()
        if (isRestored) restore(root)
        const descriptors = openBeneath(root)
        let calls = 0
        const counting = new Proxy(faultyKernel(kernel, failingCall, code, { lasting }), {
          get(target, name: keyof Kernel) {
            if (name !== 'close') calls += 1
            return target[name]
          },
        })
        await clear(counting)
        isDone = calls < failingCall
        expect(openBeneath(root)).toEqual(descriptors)
        const first = isRestored ? 'the good version' : whole
        // Nothing is lost in between, either: the whole version is there, and what came later is what it was.
        const files = await filesIn(root)
        expect(Object.values(files).includes(whole)).toBe(true)
        if (isRestored) expect(files['/a.txt']).toBe(first)
        await clear()
        expect(await filesIn(root)).toEqual({ ...unchanged, '/a.txt': first, '/b.txt': whole })
        expect(ledger.rows.size).toBe(0)
      }
    }
  },
)

describe('A file that a crash left half written', () => {
  test('is read and copied only after it is mended, under each of its names', async () => {
    const { root, ledger } = await crashed()
    const to = await makeHandle(makeDisk({ ledger }), root)
    await guardHalfWritten(kernel, ledger)
    const [read, stat] = [await to.read('/b.txt'), await to.stat('/a.txt')]
    expect([read, stat.size]).toEqual([whole, whole.length])
    expect(ledger.rows.size).toBe(0)

    const again = await crashed()
    await guardHalfWritten(kernel, again.ledger)
    const there = await makeHandle(makeDisk({ ledger: again.ledger }), again.root)
    await there.copy('/a.txt', '/copy')
    expect(readFileSync(join(again.root, 'copy'), 'utf8')).toBe(whole)
  })

  test('is refused as long as it cannot be mended, and read again after a trial or a save that succeeded', async () => {
    for (const isSaved of [false, true]) {
      const { root, ledger } = await crashed()
      let isFull = true
      const reserve = (fd: number, size: number) => {
        if (isFull) throw new Errno('ENOSPC', 'test')
        kernel.reserve(fd, size)
      }
      const filling = { ...kernel, reserve }
      const to = await makeHandle(makeDisk({ kernel: filling, ledger }), root)
      await guardHalfWritten(filling, ledger)
      const descriptors = openBeneath(root)
      await expect(to.read('/a.txt')).rejects.toMatchObject({ code: 'unavailable' })
      await expect(to.copy('/b.txt', '/copy')).rejects.toMatchObject({ code: 'unavailable' })
      expect(openBeneath(root)).toEqual(descriptors)
      expect(await to.read('/deep/er/kept')).toBe('1')
      const together = await to.storage.readFiles(rootPath, ['a.txt', 'b.txt'], 100_000)
      expect(together).toEqual([undefined, undefined])
      const entries = ['a.txt', 'b.txt'].map((name) => entryOf(name, kernel.stat(-1, join(root, name))))
      const places = { names: ['a.txt', 'b.txt'], entries, starts: [0, 100_000], size: 200_000 }
      const placed = await placedIn(to.storage, rootPath, places)
      expect(placed.map(({ checksum }) => checksum)).toEqual([undefined, undefined])

      isFull = false
      if (isSaved) await to.write('/b.txt', 'the last word', { precondition: 'any' })
      else await repairHalfWritten()
      const after = isSaved ? 'the last word' : whole
      expect([await to.read('/a.txt'), await to.read('/b.txt')]).toEqual([after, after])
      expect([await filesIn(root), ledger.rows.size]).toEqual([{ ...unchanged, '/a.txt': after, '/b.txt': after }, 0])
    }
  })

  test('is read at once when its draft is gone', async () => {
    const { root, ledger } = await crashed()
    rmSync(join(root, draft))
    await guardHalfWritten(kernel, ledger)
    const to = await makeHandle(makeDisk({ ledger }), root)
    expect(await to.read('/a.txt')).toBe(half)
    truncateSync(join(root, 'a.txt'), 3)
    expect(await to.read('/b.txt')).toBe('new')
  })
})
