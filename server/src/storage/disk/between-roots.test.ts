import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import { chmod, link, mkdir, symlink, truncate, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFailure } from '../../failure.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, movingPrefix, parsePath } from '../path.ts'
import { LinkInTheWay } from '../port.ts'
import { filesIn, makeDisk, makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { memoryLedger, memoryMoves } from '../testing/ledger.fixture.ts'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { recordingKernel } from '../testing/recording.fixture.ts'
import type { TransferOptions } from '../transfer-options.ts'
import { rootAt } from './base.ts'
import { transferBetween } from './between-roots.ts'
import { clearDrafts } from './drafts.ts'
import { restoreSources } from './moving-sources.ts'

afterAll(removeFolders)

const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const areApart = statSync(memory).dev !== statSync(tmpdir()).dev
const why = areApart ? '' : ' (skipped, because there is one file system alone)'

interface Roots {
  readonly from: string
  readonly to: string
  transfer(kind: 'move' | 'copy', from: string, to: string, options?: Partial<TransferOptions>): Promise<void>
  /** As the next start does. */
  restart(): Promise<void>
}

async function twoRoots({ isAcross = true, kernel = linuxKernel() } = {}): Promise<Roots> {
  const [from, to] = [await makeFolder(memory), await makeFolder(isAcross ? tmpdir() : memory)]
  const [ledger, moves] = [memoryLedger(), memoryMoves()]
  const disk = makeDisk({ kernel, ledger, moves, spool: from })
  return {
    from,
    to,
    transfer: (kind, source, target, options) =>
      transferBetween(
        kind,
        { disk, begin: rootAt(disk, from), path: parsePath(source) },
        { disk, begin: rootAt(disk, to), path: parsePath(target) },
        { replace: false, ...options },
      ),
    async restart() {
      await restoreSources(linuxKernel(), moves)
      await clearDrafts(linuxKernel(), ledger)
      expect([[...ledger.rows], [...moves.rows]]).toEqual([[], []])
    },
  }
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

const folders = [
  ['on two file systems', true],
  ['on one file system', false],
] as const

describe.each(folders)('roots %s', (_, isAcross) => {
  const testHere = isAcross ? test.if(areApart) : test

  testHere(`a move takes modes, times, symlinks and holes along${isAcross ? why : ''}`, async () => {
    const { from, to, transfer } = await twoRoots({ isAcross })
    await putFiles(from, { '/box/a.txt': 'a', '/box/deep/b.txt': 'b', '/box/hole': '' })
    await truncate(join(from, 'box/hole'), 8 << 20)
    await chmod(join(from, 'box/a.txt'), 0o640)
    await utimes(join(from, 'box/a.txt'), 1000, 2000)
    await symlink('../elsewhere', join(from, 'box/way'))
    await transfer('move', '/box', '/p/box')
    expect(await filesIn(from)).toEqual({})
    expect(Object.keys(await filesIn(to)).sort()).toEqual(
      ['/p/', '/p/box/', '/p/box/a.txt', '/p/box/deep/', '/p/box/deep/b.txt', '/p/box/hole', '/p/box/way@'].sort(),
    )
    const moved = statSync(join(to, 'p/box/a.txt'))
    expect([moved.mode & 0o777, moved.mtimeMs]).toEqual([0o640, 2_000_000])
    expect(readlinkSync(join(to, 'p/box/way'))).toBe('../elsewhere')
    expect(statSync(join(to, 'p/box/hole')).blocks * 512).toBeLessThan(1 << 20)
  })

  testHere('a copy leaves the source, and symlinks that lead out of it still lead to the same', async () => {
    const { from, to, transfer } = await twoRoots({ isAcross })
    await putFiles(from, { '/box/a.txt': 'a', '/beside.txt': 'beside' })
    await symlink('../beside.txt', join(from, 'box/way'))
    await transfer('copy', '/box', '/copied')
    expect(await filesIn(from)).toMatchObject({ '/box/a.txt': 'a', '/beside.txt': 'beside' })
    expect(await Bun.file(join(to, 'copied/way')).text()).toBe('beside')
  })

  testHere('a taken name is refused, replaced where that is wanted, and folders are merged', async () => {
    const { from, to, transfer } = await twoRoots({ isAcross })
    await putFiles(from, { '/box/same': 'new', '/box/deep/only': 'more', '/file': 'new' })
    await putFiles(to, { '/box/same': 'old', '/box/kept': 'kept', '/file': 'old' })
    expect(isFailure(await failureOf(transfer('move', '/file', '/file')), 'already-exists')).toBe(true)
    expect(isFailure(await failureOf(transfer('move', '/box', '/box')), 'already-exists')).toBe(true)
    expect(isFailure(await failureOf(transfer('move', '/file', '/box', { replace: true })), 'already-exists')).toBe(
      true,
    )
    expect(await filesIn(to)).toMatchObject({ '/box/same': 'old', '/file': 'old' })
    await transfer('move', '/file', '/file', { replace: true })
    await transfer('move', '/box', '/box', { replace: true })
    expect(await filesIn(from)).toEqual({})
    expect(await filesIn(to)).toEqual({
      '/box/': '',
      '/box/deep/': '',
      '/box/deep/only': 'more',
      '/box/kept': 'kept',
      '/box/same': 'new',
      '/file': 'new',
    })
  })

  testHere('a symlink on the way stands in the way on both sides, and is moved itself', async () => {
    const { from, to, transfer } = await twoRoots({ isAcross })
    await putFiles(from, { '/real/a.txt': 'a' })
    await mkdir(join(to, 'real'))
    await symlink('real', join(from, 'way'))
    await symlink('real', join(to, 'way'))
    expect(await failureOf(transfer('move', '/way/a.txt', '/a.txt'))).toBeInstanceOf(LinkInTheWay)
    expect(await failureOf(transfer('move', '/real/a.txt', '/way/a.txt'))).toBeInstanceOf(LinkInTheWay)
    await transfer('move', '/way', '/moved')
    expect(lstatSync(join(to, 'moved')).isSymbolicLink()).toBe(true)
    expect(await filesIn(from)).toMatchObject({ '/real/a.txt': 'a' })
  })

  testHere('neither root itself can be moved or replaced', async () => {
    const { from, transfer } = await twoRoots({ isAcross })
    await putFiles(from, { '/a': 'a' })
    for (const [source, target] of [
      ['/', '/x'],
      ['/a', '/'],
    ] as const)
      for (const kind of ['move', 'copy'] as const)
        expect(isFailure(await failureOf(transfer(kind, source, target, { replace: true })), 'forbidden')).toBe(true)
  })
})

test.if(areApart)(`a cancelled transfer leaves the source and nothing at the target${why}`, async () => {
  for (const kind of ['move', 'copy'] as const) {
    const { from, to, transfer, restart } = await twoRoots()
    await putFiles(from, Object.fromEntries([...'abcdefghij'].map((name) => [`/box/${name}`, name])))
    const before = await filesIn(from)
    let asked = 0
    const signal = {
      throwIfAborted() {
        asked += 1
        if (asked > 4) throw new DOMException('The client left', 'AbortError')
      },
    }
    expect(await failureOf(transfer(kind, '/box', '/new/box', { signal }))).toBeInstanceOf(DOMException)
    expect([await filesIn(from), await filesIn(to)]).toEqual([before, {}])
    await restart()
  }
})

test.if(areApart)(`two names of one file are two files that are whole${why}`, async () => {
  const { from, to, transfer } = await twoRoots()
  await putFiles(from, { '/box/a': 'same' })
  await link(join(from, 'box/a'), join(from, 'box/b'))
  await transfer('move', '/box', '/box')
  expect(await filesIn(to)).toEqual({ '/box/': '', '/box/a': 'same', '/box/b': 'same' })
  expect(await filesIn(from)).toEqual({})
})

const cases = {
  'moving a file': { kind: 'move', path: '/a', replace: false, before: { '/a': 'new' }, there: {} },
  'moving a file onto another': {
    kind: 'move',
    path: '/a',
    replace: true,
    before: { '/a': 'new' },
    there: { '/a': 'old' },
  },
  'moving a folder': {
    kind: 'move',
    path: '/box',
    replace: false,
    before: { '/box/x': 'new', '/box/deep/y': 'more' },
    there: {},
  },
  'merging a folder': {
    kind: 'move',
    path: '/box',
    replace: true,
    before: { '/box/x': 'new', '/box/deep/y': 'more' },
    there: { '/box/x': 'old', '/box/kept': 'kept' },
  },
  'copying a folder': {
    kind: 'copy',
    path: '/box',
    replace: false,
    before: { '/box/x': 'new', '/box/deep/y': 'more' },
    there: {},
  },
} as const

type Case = (typeof cases)[keyof typeof cases]

/** Whatever fails: each content is whole in one of both roots at every moment after it, and after a start nothing lies about. */
async function attempt(one: Case, kernel: Kernel): Promise<boolean> {
  const { from, to, transfer, restart } = await twoRoots({ kernel })
  await putFiles(from, one.before)
  await putFiles(to, one.there)
  const before = openBeneath(from).length + openBeneath(to).length
  const failure = await failureOf(transfer(one.kind, one.path, one.path, { replace: one.replace }))
  expect(openBeneath(from).length + openBeneath(to).length).toBe(before)
  const requireWhole = async () => {
    const [left, arrived] = [await filesIn(from), await filesIn(to)]
    for (const [path, content] of Object.entries(one.before)) {
      const isLeft = left[path] === content
      const isThere = arrived[path] === content
      if (!isLeft && !isThere && !hidden(left).includes(content)) throw new Error(`${path} is lost`)
      if (failure === undefined && !isThere) throw new Error(`${path} has not arrived`)
      if (one.kind === 'copy' && !isLeft) throw new Error(`${path} is gone from the source of a copy`)
      const old = (one.there as Record<string, string>)[path]
      if (arrived[path] !== undefined && arrived[path] !== content && arrived[path] !== old)
        throw new Error(`${path} is half written`)
    }
    for (const [path, content] of Object.entries(one.there))
      if (!(path in one.before) && arrived[path] !== content) throw new Error(`${path} was touched`)
    return [...Object.keys(left), ...Object.keys(arrived)]
  }
  await requireWhole()
  await restart()
  expect((await requireWhole()).filter((path) => path.includes(draftPrefix) || path.includes(movingPrefix))).toEqual([])
  return failure === undefined
}

const hidden = (files: Record<string, string>): string[] =>
  Object.entries(files)
    .filter(([path]) => path.includes(movingPrefix))
    .map(([, content]) => content)

describe.if(areApart).each(Object.entries(cases))(`%s between two file systems${why}`, (_, one) => {
  test.each([
    ['EIO', false],
    ['EIO', true],
    ['ENOSPC', false],
  ])('survives %s at any call (and at all later ones: %p)', async (code, lasting) => {
    const calls: [keyof Kernel, unknown][] = []
    expect(await attempt(one, recordingKernel(linuxKernel(), calls))).toBe(true)
    const count = calls.filter(([name]) => name !== 'close').length
    let failures = 0
    for (let failingCall = 1; failingCall <= count; failingCall += 1)
      if (!(await attempt(one, faultyKernel(linuxKernel(), failingCall, code, { lasting })))) failures += 1
    expect(failures).toBeGreaterThan(count / 3)
  })
})
