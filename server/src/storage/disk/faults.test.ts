import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readlinkSync } from 'node:fs'
import { link, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, movingPrefix } from '../path.ts'
import { filesIn, makeDisk, makeFolder, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { memoryLedger, memoryMoves } from '../testing/ledger.fixture.ts'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { recordingKernel } from '../testing/recording.fixture.ts'
import type { Handle } from '../testing/subject.fixture.ts'
import { clearDrafts, type DraftLedger } from './drafts.ts'
import { restoreSources } from './moving-sources.ts'

afterAll(removeFolders)

// More than one piece each, so that overwriting has a middle in which to fail.
const [old, fresh] = ['old '.repeat(330_000), 'new '.repeat(270_000)]
const merged = { '/from/same': 'new', '/from/deep/same': 'new', '/from/deep/only': 'more' }
const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const mergeTarget = { '/to/same': 'old', '/to/deep/same': 'old', '/to/kept': 'kept' }

// Hundreds of attempts, each of which waits for the disk many times.
const fastPlace = existsSync('/dev/shm') ? '/dev/shm' : undefined

interface Case {
  /** Everything below '/other' lies on another file system. */
  isAcross?: boolean
  before: Record<string, string>
  links?: [existing: string, name: string][]
  work(to: Handle): Promise<unknown>
  /** What each file may hold when the work failed; undefined is "gone". Unnamed files must be as before. */
  mayBe: Record<string, (string | undefined)[]>
  after: Record<string, string | undefined>
  /** Contents of which one copy at least must be somewhere. */
  neverLost?: string[]
}

const cases: Record<string, Case> = {
  'writing a new file': {
    before: { '/kept': '1' },
    work: ({ write }) => write('/p/q/a', 'new'),
    mayBe: { '/p/q/a': [undefined, 'new'] },
    after: { '/p/q/a': 'new' },
  },
  'writing a small new file': {
    before: { '/kept': '1' },
    work: ({ write }) => write('/p/q/a', 'new', { length: 3 }),
    mayBe: { '/p/q/a': [undefined, 'new'] },
    after: { '/p/q/a': 'new' },
  },
  'replacing a file': {
    before: { '/a': 'old' },
    work: ({ write }) => write('/a', 'new', { precondition: 'any' }),
    mayBe: { '/a': ['old', 'new'] },
    after: { '/a': 'new' },
  },
  'replacing a file with two names': {
    before: { '/a': old },
    links: [['/a', '/b']],
    work: ({ write }) => write('/a', fresh, { precondition: 'any' }),
    mayBe: { '/a': [old, fresh], '/b': [old, fresh] },
    after: { '/a': fresh, '/b': fresh },
  },
  'renaming a file': {
    before: { '/a': '1' },
    work: ({ rename }) => rename('/a', '/p/b'),
    mayBe: { '/a': ['1', undefined], '/p/b': [undefined, '1'] },
    after: { '/a': undefined, '/p/b': '1' },
    neverLost: ['1'],
  },
  'renaming onto a file': {
    before: { '/a': 'new', '/b': 'old' },
    work: ({ rename }) => rename('/a', '/b', true),
    mayBe: { '/a': ['new', undefined], '/b': ['old', 'new'] },
    after: { '/a': undefined, '/b': 'new' },
    neverLost: ['new'],
  },
  'merging a folder into another': {
    before: { ...merged, ...mergeTarget },
    work: ({ rename }) => rename('/from', '/to', true),
    mayBe: {
      '/from/same': ['new', undefined],
      '/from/deep/same': ['new', undefined],
      '/from/deep/only': ['more', undefined],
      '/to/same': ['old', 'new'],
      '/to/deep/same': ['old', 'new'],
      '/to/deep/only': [undefined, 'more'],
    },
    after: {
      '/from/same': undefined,
      '/from/deep/same': undefined,
      '/from/deep/only': undefined,
      '/to/same': 'new',
      '/to/deep/same': 'new',
      '/to/deep/only': 'more',
    },
    neverLost: ['new', 'more'],
  },
  'copying a folder': {
    before: merged,
    work: ({ copy }) => copy('/from', '/p/to'),
    mayBe: {
      '/p/to/same': [undefined, 'new'],
      '/p/to/deep/same': [undefined, 'new'],
      '/p/to/deep/only': [undefined, 'more'],
    },
    after: { '/p/to/same': 'new', '/p/to/deep/same': 'new', '/p/to/deep/only': 'more' },
  },
  'copying a folder of more files than are copied at a time, and synced one by one': {
    before: Object.fromEntries(many.map((name) => [`/from/${name}`, name])),
    work: ({ copy }) => copy('/from', '/to'),
    mayBe: Object.fromEntries(many.map((name) => [`/to/${name}`, [undefined, name]])),
    after: Object.fromEntries(many.map((name) => [`/to/${name}`, name])),
  },
  'copying onto a file': {
    before: { '/a': 'new', '/b': 'old' },
    work: ({ copy }) => copy('/a', '/b', true),
    mayBe: { '/b': ['old', 'new'] },
    after: { '/b': 'new' },
  },
  'copying onto a file with two names': {
    before: { '/a': fresh, '/b': old },
    links: [['/b', '/c']],
    work: ({ copy }) => copy('/a', '/b', true),
    mayBe: { '/b': [old, fresh], '/c': [old, fresh] },
    after: { '/b': fresh, '/c': fresh },
  },
  'copying a folder into another': {
    before: { ...merged, ...mergeTarget },
    work: ({ copy }) => copy('/from', '/to', true),
    mayBe: {
      '/to/same': ['old', 'new'],
      '/to/deep/same': ['old', 'new'],
      '/to/deep/only': [undefined, 'more'],
    },
    after: { '/to/same': 'new', '/to/deep/same': 'new', '/to/deep/only': 'more' },
  },
  'moving a folder to another file system': {
    isAcross: true,
    before: { ...merged, '/other/kept': 'kept' },
    work: ({ rename }) => rename('/from', '/other/to'),
    mayBe: {
      '/from/same': ['new', undefined],
      '/from/deep/same': ['new', undefined],
      '/from/deep/only': ['more', undefined],
      '/other/to/same': [undefined, 'new'],
      '/other/to/deep/same': [undefined, 'new'],
      '/other/to/deep/only': [undefined, 'more'],
    },
    after: {
      '/from/same': undefined,
      '/from/deep/same': undefined,
      '/from/deep/only': undefined,
      '/other/to/same': 'new',
      '/other/to/deep/same': 'new',
      '/other/to/deep/only': 'more',
    },
    neverLost: ['new', 'more'],
  },
  'merging a folder into one on another file system': {
    isAcross: true,
    before: { ...merged, '/other/to/same': 'old', '/other/to/kept': 'kept' },
    work: ({ rename }) => rename('/from', '/other/to', true),
    mayBe: {
      '/from/same': ['new', undefined],
      '/from/deep/same': ['new', undefined],
      '/from/deep/only': ['more', undefined],
      '/other/to/same': ['old', 'new'],
      '/other/to/deep/same': [undefined, 'new'],
      '/other/to/deep/only': [undefined, 'more'],
    },
    after: {
      '/from/same': undefined,
      '/from/deep/same': undefined,
      '/from/deep/only': undefined,
      '/other/to/same': 'new',
      '/other/to/deep/same': 'new',
      '/other/to/deep/only': 'more',
    },
    neverLost: ['new', 'more'],
  },
  'moving a file to another file system': {
    isAcross: true,
    before: { '/a': '1', '/other/kept': 'kept' },
    work: ({ rename }) => rename('/a', '/other/b'),
    mayBe: { '/a': ['1', undefined], '/other/b': [undefined, '1'] },
    after: { '/a': undefined, '/other/b': '1' },
    neverLost: ['1'],
  },
  'removing a folder': {
    before: { '/box/a': '1', '/box/deep/b': '2', '/kept': '3' },
    work: ({ remove }) => remove('/box'),
    mayBe: { '/box/a': ['1', undefined], '/box/deep/b': ['2', undefined] },
    after: { '/box/a': undefined, '/box/deep/b': undefined },
  },
  'removing a file': {
    before: { '/a': '1', '/b': '2' },
    work: ({ remove }) => remove('/a'),
    mayBe: { '/a': ['1', undefined] },
    after: { '/a': undefined },
  },
}

/** Whatever happened, after the next start everything is old or new, and no draft lies about. */
async function attempt(one: Case, kernel: Kernel, ledger = memoryLedger(), brokenLedger: DraftLedger = ledger) {
  const root = await makeFolder(fastPlace)
  await putFiles(root, one.before)
  for (const [existing, name] of one.links ?? []) await link(join(root, existing), join(root, name))
  const before = await filesIn(root)
  const moves = memoryMoves()
  const disk = { kernel: one.isAcross ? sundered(kernel) : kernel, ledger: brokenLedger, moves, spool: root }
  const to = await makeHandle(makeDisk(disk), root)
  const descriptors = openBeneath(root)
  const isDone = await one.work(to).then(
    () => true,
    () => false,
  )
  expect(openBeneath(root)).toEqual(descriptors)
  // What is written in place may be half written until the next start; all else is whole at once.
  if (!one.links) requireWhole(one, isDone, before, await filesIn(root))
  await restoreSources(linuxKernel(), moves)
  await clearDrafts(linuxKernel(), ledger)

  const files = await filesIn(root)
  requireWhole(one, isDone, before, files)
  expect(Object.keys(files).filter(isOurs)).toEqual([])
  expect([[...ledger.rows], [...moves.rows]]).toEqual([[], []])
  if (one.links) expect(files[one.links[0]?.[0] ?? ''] === files[one.links[0]?.[1] ?? '']).toBe(true)
  for (const content of one.neverLost ?? []) expect(Object.values(files)).toContain(content)
  return isDone
}

type Files = Record<string, string>

const isOurs = (path: string): boolean => path.includes(draftPrefix) || path.includes(movingPrefix)

/** As if a volume were mounted on '/other': nothing is renamed from one to the other. */
function sundered(inner: Kernel): Kernel {
  const isThere = (folder: number) => readlinkSync(`/proc/self/fd/${folder}`).includes('/other')
  const within =
    (rename: Kernel['rename']): Kernel['rename'] =>
    (from, name, to, newName) => {
      if (isThere(from) !== isThere(to)) throw new Errno('EXDEV', 'test')
      rename(from, name, to, newName)
    }
  return { ...inner, rename: within(inner.rename), renameToFree: within(inner.renameToFree) }
}

function requireWhole(one: Case, isDone: boolean, before: Files, files: Files): void {
  for (const path of new Set([...Object.keys(before), ...Object.keys(one.mayBe), ...Object.keys(files)])) {
    if (path.endsWith('/') || isOurs(path)) continue
    const allowed = isDone && path in one.after ? [one.after[path]] : (one.mayBe[path] ?? [before[path]])
    // Said in few words, because the contents are long.
    if (!allowed.includes(files[path]))
      throw new Error(`${path} is ${files[path] === undefined ? 'gone' : `half written: ${files[path].length} bytes`}`)
  }
}

describe.each(Object.entries(cases))('%s', (_, one) => {
  test.each([
    ['EIO', false],
    ['EIO', true],
    ['ENOSPC', false],
    ['ENOSPC', true],
  ])('survives %s at any call (and at all later ones: %p)', async (code, lasting) => {
    const calls: [keyof Kernel, unknown][] = []
    expect(await attempt(one, recordingKernel(linuxKernel(), calls))).toBe(true)
    const count = calls.filter(([name]) => name !== 'close').length
    expect(count).toBeGreaterThan(4)
    let failures = 0
    for (let failingCall = 1; failingCall <= count; failingCall += 1)
      if (!(await attempt(one, faultyKernel(linuxKernel(), failingCall, code, { lasting })))) failures += 1
    expect(failures).toBeGreaterThan(count / 3)
    expect(await attempt(one, faultyKernel(linuxKernel(), count + 1, code))).toBe(true)
  })

  test('survives a ledger that cannot be written', async () => {
    for (let failingCall = 1; failingCall <= 3; failingCall += 1) {
      const ledger = memoryLedger()
      await attempt(one, linuxKernel(), ledger, faultyLedger(ledger, failingCall))
    }
  })
})

test.each([1, 2])('a file that is written in place is whole at once, though the disk fails %p times', async (times) => {
  let failures = 0
  for (const call of ['read', 'write', 'truncate', 'sync'] as const) {
    const root = await makeFolder(fastPlace)
    await putFiles(root, { '/a': old })
    await link(join(root, 'a'), join(root, 'b'))
    const linux = linuxKernel()
    const target = (await stat(join(root, 'a'))).ino
    let left = times
    const failing = async (...args: [number, never, never]) => {
      const isPouring = call === 'read' || linux.statOpen(args[0]).inode === target
      if (isPouring && left > 0) {
        left -= 1
        failures += 1
        throw new Errno('EIO', 'test')
      }
      return (linux[call] as (...all: unknown[]) => Promise<unknown>)(...args)
    }
    const ledger = memoryLedger()
    const to = await makeHandle(makeDisk({ kernel: { ...linux, [call]: failing }, ledger }), root)
    await to.write('/a', fresh, { precondition: 'any' })
    expect([await filesIn(root), ledger.rows.size]).toEqual([{ '/a': fresh, '/b': fresh }, 0])
  }
  expect(failures).toBe(4 * times)
})

test('a version that broke is not written over a later one at the next start', async () => {
  const root = await makeFolder()
  await putFiles(root, { '/a': old })
  await link(join(root, 'a'), join(root, 'b'))
  const ledger = memoryLedger()
  const failing = { ...linuxKernel(), truncate: () => Promise.reject(new Error('the disk broke')) }
  const broken = await makeHandle(makeDisk({ kernel: failing, ledger }), root)
  const whole = await makeHandle(makeDisk({ ledger }), root)

  await expect(broken.write('/a', fresh, { precondition: 'any' })).rejects.toThrow('the disk broke')
  await expect(broken.write('/b', fresh, { precondition: 'any' })).rejects.toThrow('the disk broke')
  expect(ledger.rows.size).toBe(1)
  await whole.write('/b', 'the last word', { precondition: 'any' })
  await clearDrafts(linuxKernel(), ledger)
  expect(await filesIn(root)).toEqual({ '/a': 'the last word', '/b': 'the last word' })
  expect(ledger.rows.size).toBe(0)
})

test('two who write in place at once do not mix', async () => {
  const root = await makeFolder()
  await putFiles(root, { '/a': old })
  await link(join(root, 'a'), join(root, 'b'))
  const linux = linuxKernel()
  const uneven: Kernel = {
    ...linux,
    async write(fd, bytes, position) {
      await Bun.sleep(Math.random() * 5)
      await linux.write(fd, bytes, position)
    },
  }
  const to = await makeHandle(makeDisk({ kernel: uneven }), root)
  const versions = ['1', '2', '3'].map((digit) => digit.repeat(3_000_000 + Number(digit)))
  await Promise.all(versions.map((text, at) => to.write(at === 1 ? '/b' : '/a', text, { precondition: 'any' })))
  const files = await filesIn(root)
  expect(versions.includes(files['/a'] ?? '')).toBe(true)
  expect(files['/a'] === files['/b']).toBe(true)
})

test('drafts that cannot be reached at the start are remembered', async () => {
  const [root, ledger] = [await makeFolder(), memoryLedger()]
  const draft = `${draftPrefix}left`
  await putFiles(root, { [`/${draft}`]: 'x', '/precious': 'y' })
  await ledger.begin(`${root}/away/${draft}`)
  await ledger.begin(`${root}/${draft}`)
  await ledger.begin(`${root}/precious`)
  await ledger.begin(`${root}/${draft}-gone`)
  await clearDrafts(linuxKernel(), ledger)
  expect(await filesIn(root)).toEqual({ '/precious': 'y' })
  expect([...ledger.rows.keys()]).toEqual([`${root}/away/${draft}`, `${root}/precious`])
})

function faultyLedger(inner: DraftLedger, failingCall: number): DraftLedger {
  let calls = 0
  const call =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      calls += 1
      if (calls === failingCall) throw new Error('the database is full')
      return work(...args)
    }
  return { ...inner, begin: call(inner.begin), overwriting: call(inner.overwriting), end: call(inner.end) }
}
