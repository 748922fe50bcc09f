import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBeneath } from '../testing/open-files.fixture.ts'
import { O } from './kernel.ts'
import {
  type LookupJob,
  type LookupOptions,
  type LookupThread,
  lookupsWith,
  type Mounts,
  mountTable,
} from './lookups.ts'

/** Threads that do nothing until they are told to. */
function heldThreads(options: Partial<LookupOptions> = {}) {
  const jobs: (LookupJob & { finish(took?: number): void })[] = []
  let threads = 0
  const startThread = (): LookupThread => {
    threads += 1
    return {
      run: (job) => new Promise((resolve) => jobs.push({ ...job, finish: (took = 1) => resolve(took) })),
      stop() {},
    }
  }
  const mounts: Mounts = {
    of: (name) => (name.includes('/slow') ? 'slow' : 'fast'),
    areIn: (folder) => folder === '/root//',
    areBelow: () => true,
  }
  const lookups = lookupsWith({ follows: false, startThread, mounts, stuckAfter: 5, ...options })
  const look = (path: string, flags: number = O.PATH) => lookups.look('/root', '', `/${path}`, flags)
  const job = async (index: number) => {
    while (jobs[index] === undefined) await Bun.sleep(1)
    return jobs[index]
  }
  return { look, job, jobs, threads: () => threads }
}

const refusalOf = (looking: Promise<void> | undefined) =>
  Promise.resolve(looking).then(
    () => undefined,
    (error) => error.code,
  )

test('a worker thread looks at a path first; a moment later that is not needed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-lookups-'))
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'sub/a.txt'), 'a')
  const { look } = lookupsWith({ follows: false, awakeFor: 0, recentFor: 60_000 })
  for (const [path, flags] of [
    ['', O.PATH | O.DIRECTORY],
    ['sub', O.PATH | O.DIRECTORY],
    ['sub/a.txt', O.PATH],
    ['none', O.PATH],
    ['sub/a.txt/none', O.PATH | O.DIRECTORY],
  ] as const) {
    const looking = look(folder, '', `/${path}`, flags)
    expect(looking).toBeInstanceOf(Promise)
    await looking
    expect(look(folder, '', `/${path}`, flags)).toBeUndefined()
  }
  expect(openBeneath(folder)).toEqual([])
  rmSync(folder, { recursive: true })
})

test('a file system that has just answered at once is not asked by threads', async () => {
  const { look, job } = heldThreads({ awakeFor: 60_000 })
  const first = look('fast')
  ;(await job(0)).finish(0.01)
  await first
  expect(look('fast/a.txt')).toBeUndefined()
  expect(look('slow/a.txt')).toBeInstanceOf(Promise)
})

test('a file system that hangs holds few threads, and no other file system', async () => {
  const { look, job, threads } = heldThreads({ awakeFor: 0 })
  const hanging: unknown[] = []
  for (const [index, path] of ['slow/a', 'slow/b', 'slow/c'].entries()) {
    hanging.push(look(path))
    await job(index)
    await Bun.sleep(20)
  }
  hanging.push(...['slow', 'slow/a', 'slow/d'].map((path) => look(path)))
  expect(threads()).toBe(3)
  const healthy = look('fast/a.txt')
  ;(await job(3)).finish()
  await healthy
  expect(threads()).toBe(4)
  for (const index of [0, 1, 2, 4, 5, 6]) (await job(index)).finish()
  await Promise.all(hanging)
})

test('a lookup that hangs keeps those of the same name waiting, and others of its file system not', async () => {
  const { look, job, jobs } = heldThreads({ awakeFor: 0 })
  // Something that hangs is mounted in this folder, and reading ahead meets it.
  const hanging = look('', O.PATH | O.DIRECTORY)
  const first = await job(0)
  await Bun.sleep(20)
  const same = look('', O.PATH | O.DIRECTORY)
  const other = look('fast/a.txt')
  ;(await job(1)).finish()
  await other
  expect(jobs.map(({ path }) => path)).toEqual(['', 'fast/a.txt'])
  first.finish()
  ;(await job(2)).finish()
  await Promise.all([hanging, same])
})

test('a folder in which something is mounted is read by a thread, however quick its own file system is', async () => {
  const { look, job } = heldThreads({ awakeFor: 60_000 })
  const first = look('fast')
  ;(await job(0)).finish(0.01)
  await first
  expect(look('fast/folder', O.PATH | O.DIRECTORY)).toBeUndefined()
  expect(look('', O.PATH | O.DIRECTORY)).toBeInstanceOf(Promise)
})

test('a path that was looked at before is asked for again while its file system hangs', async () => {
  const { look, job } = heldThreads({ awakeFor: 60_000, recentFor: 60_000 })
  const known = look('slow/known.txt')
  ;(await job(0)).finish(1)
  await known
  expect(look('slow/known.txt')).toBeUndefined()
  void look('slow/hangs.txt')
  await job(1)
  await Bun.sleep(20)
  expect(look('slow/known.txt')).toBeInstanceOf(Promise)
})

test('a folder that was found a moment ago is still to be read', async () => {
  const { look, job } = heldThreads({ awakeFor: 0, recentFor: 60_000 })
  const found = look('slow/folder')
  ;(await job(0)).finish(1)
  await found
  expect(look('slow/folder')).toBeUndefined()
  const read = look('slow/folder', O.PATH | O.DIRECTORY)
  expect(read).toBeInstanceOf(Promise)
  ;(await job(1)).finish(1)
  await read
  expect(look('slow/folder', O.PATH | O.DIRECTORY)).toBeUndefined()
})

test.each([
  ['run', () => ({ run: () => Promise.reject(new Error('no such module')), stop() {} })],
  [
    'be started',
    () => {
      throw new TypeError('Failed to spawn worker thread')
    },
  ],
] satisfies [string, () => LookupThread][])(
  'where threads cannot %s, one is tried now and then, and nothing waits for more',
  async (_, begin) => {
    let threads = 0
    const startThread = () => {
      threads += 1
      return begin()
    }
    const { look } = lookupsWith({
      follows: false,
      startThread,
      mounts: { of: () => 'any', areIn: () => false, areBelow: () => true },
    })
    await look('/root', '', '/a', O.PATH)
    expect(['b', 'c', 'd'].map((path) => look('/root', '', `/${path}`, O.PATH))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(threads).toBe(1)
  },
)

test('a lookup that takes too long is given up', async () => {
  const { look, jobs } = heldThreads({ deadline: 20 })
  expect(await Promise.all([look('slow/a'), look('slow/b')].map(refusalOf))).toEqual(['unavailable', 'unavailable'])
  for (const job of jobs) job.finish()
})

test('a table of mounts that cannot be read breaks nothing', () => {
  const without = mountTable(() => undefined)
  expect([without.of('/srv/a'), without.areIn('/srv'), without.areBelow('/')]).toEqual(['/', false, false])
  const broken = mountTable(() => {
    throw new Error('EMFILE')
  })
  expect([broken.of('/srv/a'), broken.areIn('/srv'), broken.areBelow('/')]).toEqual(['/', false, false])
  const known = mountTable(() => [
    { point: '/', type: 'ext4' },
    { point: '/srv/disk', type: 'ext4' },
  ])
  expect([known.of('/srv/disk/a'), known.of('/srv/disks'), known.areIn('/srv/')]).toEqual(['/srv/disk', '/', true])
  expect([known.areBelow('/srv'), known.areBelow('/srv/disk')]).toEqual([true, false])
})
