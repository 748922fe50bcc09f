import { afterAll, describe, expect, test } from 'bun:test'
import { readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { filesIn, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { failureOf, long, putOld, twoRoots } from '../testing/staging.fixture.ts'
import type { TransferKind, TransferOptions } from '../transfer-options.ts'

afterAll(removeFolders)

type Roots = Awaited<ReturnType<typeof twoRoots>>

interface Case {
  readonly title: string
  readonly kind: TransferKind
  readonly path: string
  readonly options?: Partial<TransferOptions>
  prepare(roots: Roots): Promise<void>
  /** What there is in the end. */
  readonly from: Record<string, string>
  readonly to: Record<string, string>
}

const large = 17 << 20
const zeros = `${large} zeros`

/** As `filesIn`, but of a large file only the size. */
async function shortly(root: string): Promise<Record<string, string>> {
  const path = join(root, 'image')
  const { size = 0 } = await stat(path).catch(() => ({}) as { size?: number })
  const isWhole = size === large && Buffer.alloc(large).equals(await readFile(path))
  if (size > 0) await rm(path)
  return { ...(await filesIn(root)), ...(size > 0 && { '/image': isWhole ? zeros : 'damaged' }) }
}

async function putLarge(root: string): Promise<void> {
  await writeFile(join(root, 'image'), '')
  await truncate(join(root, 'image'), large)
  await utimes(join(root, 'image'), long, long)
}

const tree = { '/box/a': 'a', '/box/sub/b': 'b', '/box/sub/c': 'c' }
const whole = { '/box/': '', '/box/a': 'a', '/box/sub/': '', '/box/sub/b': 'b', '/box/sub/c': 'c' }

async function putConflicts({ from, to }: Roots): Promise<void> {
  await putOld(from, { '/box/both': 'from', '/box/skipped': 'from', '/box/free': 'from', '/box/same': 'same' })
  await putOld(to, { '/box/both': 'to', '/box/skipped': 'to', '/box/same': 'same' })
}
const merged = { '/box/': '', '/box/both': 'to', '/box/both(1)': 'from', '/box/free': 'from', '/box/same': 'same' }
const rule = { replace: true, taken: { default: 'skip', by: { both: 'keep-both' } } } as const

const cases: Case[] = [
  ...(['copy', 'move'] as const).flatMap((kind): Case[] => [
    {
      title: `a ${kind} of a folder`,
      kind,
      path: '/box',
      prepare: ({ from }) => putOld(from, tree),
      from: kind === 'copy' ? whole : {},
      to: whole,
    },
    {
      title: `a ${kind} of a folder that was written to a moment ago`,
      kind,
      path: '/box',
      prepare: ({ from }) => putFiles(from, tree),
      from: kind === 'copy' ? whole : {},
      to: whole,
    },
    {
      title: `a ${kind} of a large file`,
      kind,
      path: '/image',
      prepare: ({ from }) => putLarge(from),
      from: kind === 'copy' ? { '/image': zeros } : {},
      to: { '/image': zeros },
    },
    {
      title: `a ${kind} of a small file`,
      kind,
      path: '/a',
      prepare: ({ from }) => putOld(from, { '/a': 'a' }),
      from: kind === 'copy' ? { '/a': 'a' } : {},
      to: { '/a': 'a' },
    },
    {
      title: `a ${kind} that is merged by a rule`,
      kind,
      path: '/box',
      options: rule,
      prepare: putConflicts,
      from: {
        ...{ '/box/': '', '/box/skipped': 'from' },
        ...(kind === 'copy' && { '/box/both': 'from', '/box/free': 'from', '/box/same': 'same' }),
      },
      to: { ...merged, '/box/skipped': 'to' },
    },
  ]),
]

/** Everything, and then whatever the caller does when it is over. */
async function all(roots: Roots, { kind, path, options }: Case): Promise<void> {
  await roots.stage(kind, path, path, options)
  await roots.transfer(kind, path, path, options)
}

/** So many calls to the kernel all of it takes. */
async function callsOf(each: Case): Promise<number> {
  const roots = await twoRoots({ isFromDisk: true })
  await each.prepare(roots)
  let calls = 0
  roots.kernel = new Proxy(linuxKernel(), {
    get(kernel, name: keyof Kernel) {
      if (name !== 'close') calls += 1
      return kernel[name]
    },
  })
  await all(roots, each)
  return calls
}

describe.each(cases)('$title', (each) => {
  async function checkEach(
    prepare: (kernel: Kernel, call: number) => Kernel,
    restart: (roots: Roots) => Promise<void>,
  ) {
    const calls = await callsOf(each)
    for (let call = 1; call <= calls; call += 1) {
      const roots = await twoRoots({ isFromDisk: true })
      await each.prepare(roots)
      roots.kernel = prepare(linuxKernel(), call)
      await failureOf(all(roots, each))
      await restart(roots)
      await all(roots, each)
      await roots.unstage(each.path)
      await roots.restart()
      expect([call, await shortly(roots.from)]).toEqual([call, each.from])
      expect([call, await shortly(roots.to)]).toEqual([call, each.to])
      await removeFolders()
    }
  }

  test('that is killed at any call to the kernel is finished by the next try', async () => {
    await checkEach(
      (kernel, call) => faultyKernel(kernel, call, 'EIO', { lasting: true }),
      (roots) => roots.restart(),
    )
  }, 300_000)

  test('of which any call fails loses nothing, and the next try ends right', async () => {
    await checkEach(
      (kernel, call) => faultyKernel(kernel, call, 'ENOSPC'),
      async (roots) => {
        roots.kernel = linuxKernel()
      },
    )
  }, 300_000)
})
