import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { parsePath, rootPath, type VirtualPath } from '../path.ts'
import type { RestoreOptions } from '../port.ts'
import { storeNames } from '../store-names.ts'
import { diskStorage, filesIn, makeDisk, makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { keepFor, keepingParts } from '../testing/keeping.fixture.ts'
import { memoryLedger, memoryMoves } from '../testing/ledger.fixture.ts'
import { piecesOf } from '../testing/subject.fixture.ts'
import { rootAt } from './base.ts'
import { clearDrafts } from './drafts.ts'
import { restoreSources } from './moving-sources.ts'
import { readStoresAt } from './store-contents.ts'

afterAll(removeFolders)

interface Made {
  readonly root: string
  /** The same folder with another kernel. */
  storageWith(kernel: Kernel): ReturnType<typeof diskStorage>
  readonly place: VirtualPath
  readonly version: string | undefined
  /** As the next start does, and the look at the stores two hours later. */
  restart(): Promise<void>
}

interface Case {
  readonly title: string
  readonly kept: Record<string, string>
  readonly there?: Record<string, string>
  /** What was removed. */
  readonly path: string
  readonly options?: Partial<RestoreOptions>
  /** As a version of the file that is there. */
  readonly isOver?: boolean
  readonly hasNoLinks?: boolean
  /** What must not be lost, and not be there twice. */
  readonly contents: readonly string[]
}

async function make({ kept, there = {}, path, isOver = false }: Case): Promise<Made> {
  const root = await makeFolder()
  const [ledger, moves] = [memoryLedger(), memoryMoves()]
  const parts = { ...keepingParts(), ledger, moves, spool: root }
  const storageWith = (kernel: Kernel) => diskStorage(makeDisk({ ...parts, kernel }), root)
  const storage = storageWith(linuxKernel())
  await putFiles(root, kept)
  const keep = keepFor(isOver ? 'save' : 'remove')
  let place: VirtualPath | undefined
  if (isOver) {
    await storage.write(parsePath(path), piecesOf(Object.values(there)[0] ?? ''), { precondition: 'any', keep })
    await storage.kept((found) => {
      place = found[0]?.place
    })
  } else {
    place = await storage.keepPlace(parsePath(path), keep)
    await storage.remove(parsePath(path), { keptAt: place, keep })
    await putFiles(root, there)
  }
  if (place === undefined) throw new Error('Nothing was kept')
  const version = isOver ? (await storage.stat(parsePath(path))).version : undefined
  return {
    root,
    storageWith,
    place,
    version,
    async restart() {
      await restoreSources(linuxKernel(), moves)
      await clearDrafts(linuxKernel(), ledger)
      const disk = makeDisk()
      const mount = { disk, begin: rootAt(disk, root) }
      await readStoresAt(mount, rootPath, () => {}, { now: Date.now() + 7_200_000 })
    },
  }
}

/** Contents of all files that are no infos, in order. */
async function contentsIn(root: string): Promise<string[]> {
  const found = Object.entries(await filesIn(root)).filter(([path]) => !path.endsWith('/') && !isInfo(path))
  return found.map(([, content]) => content).sort()
}

const isInfo = (path: string) => path.endsWith('.trashinfo')

/** Each info has its thing, and each thing in a store its info. */
async function requireMatchingInfos(root: string): Promise<void> {
  const paths = Object.keys(await filesIn(root))
  for (const store of Object.values(storeNames)) {
    const inside = (folder: string) =>
      paths.flatMap((path) => new RegExp(`^/${store.replaceAll('.', '\\.')}/${folder}/([^/]+)`).exec(path)?.[1] ?? [])
    const infos = inside('info').map((name) => name.replace(/\.trashinfo$/, ''))
    expect([...new Set(inside('files'))].sort()).toEqual(infos.sort())
  }
}

const cases: Case[] = [
  { title: 'a file', kept: { 'docs/a.txt': 'a' }, path: '/docs/a.txt', contents: ['a'] },
  { title: 'a folder', kept: { 'f/a.txt': 'a', 'f/g/b.txt': 'b' }, path: '/f', contents: ['a', 'b'] },
  {
    title: 'a file in place of another one',
    kept: { 'a.txt': 'old' },
    there: { 'a.txt': 'new' },
    path: '/a.txt',
    options: { replace: true, keep: keepFor('restore') },
    contents: ['new', 'old'],
  },
  {
    title: 'a file in place of another one, where files have one name',
    kept: { 'a.txt': 'old' },
    there: { 'a.txt': 'new' },
    path: '/a.txt',
    options: { replace: true, keep: keepFor('restore') },
    hasNoLinks: true,
    contents: ['new', 'old'],
  },
  {
    title: 'a version over the present one',
    kept: { 'a.txt': 'old' },
    there: { 'a.txt': 'new' },
    path: '/a.txt',
    options: { keep: keepFor('restore') },
    isOver: true,
    contents: ['new', 'old'],
  },
  {
    title: 'a folder that is merged',
    kept: { 'f/a.txt': 'old', 'f/b.txt': 'b' },
    there: { 'f/a.txt': 'new', 'f/c.txt': 'c' },
    path: '/f',
    options: { replace: true, keep: keepFor('restore') },
    contents: ['b', 'c', 'new', 'old'],
  },
]

const kernelOf = ({ hasNoLinks }: Case): Kernel => {
  const kernel = linuxKernel()
  const link = () => {
    throw new Errno('EPERM', 'test')
  }
  return hasNoLinks ? { ...kernel, link } : kernel
}

/** Runs work with a disk that is gone from the nth call on, for every n, until it ends without noticing. */
async function atEveryCall(work: (failing: number, isLast: () => void) => Promise<void>): Promise<number> {
  for (let failing = 1; ; failing += 1) {
    let isLast = false
    await work(failing, () => {
      isLast = true
    })
    if (isLast) return failing
  }
}

describe('a server that dies in a restore', () => {
  test.each(cases.map((one) => [one.title, one] as const))('%s is neither lost nor there twice', async (_, one) => {
    const calls = await atEveryCall(async (failing, isLast) => {
      const made = await make(one)
      const over = made.version === undefined ? {} : { over: [made.version] }
      const storage = made.storageWith(faultyKernel(kernelOf(one), failing, 'EIO', { lasting: true }))
      await storage
        .restore(made.place, parsePath(one.path), { replace: false, ...one.options, ...over })
        .then(isLast, () => {})
      await made.restart()
      expect([failing, await contentsIn(made.root)]).toEqual([failing, [...one.contents]])
      await requireMatchingInfos(made.root)
    })
    expect(calls).toBeGreaterThan(5)
  })

  test.each(cases.map((one) => [one.title, one] as const))(
    '%s is neither lost nor twice when one call fails',
    async (_, one) => {
      await atEveryCall(async (failing, isLast) => {
        const made = await make(one)
        const over = made.version === undefined ? {} : { over: [made.version] }
        let count = 0
        const kernel = faultyKernel(kernelOf(one), failing)
        const counting = new Proxy(kernel, {
          get(target, name: keyof Kernel) {
            const call = target[name] as (...args: unknown[]) => unknown
            if (name === 'close') return call
            return (...args: unknown[]) => {
              count += 1
              return call(...args)
            }
          },
        })
        await made
          .storageWith(counting)
          .restore(made.place, parsePath(one.path), { replace: false, ...one.options, ...over })
          .catch(() => {})
        if (count < failing) isLast()
        await made.restart()
        expect([failing, await contentsIn(made.root)]).toEqual([failing, [...one.contents]])
        await requireMatchingInfos(made.root)
      })
    },
  )
})

test('a server that dies in a purge leaves nothing hidden and touches nothing else, and a second purge ends it', async () => {
  const one = cases[1] as Case
  await atEveryCall(async (failing, isLast) => {
    const made = await make(one)
    await mkdir(join(made.root, 'beside'))
    await symlink('../beside', join(made.root, made.place, 'link'))
    await putFiles(made.root, { 'beside/x': 'x' })
    const storage = made.storageWith(faultyKernel(linuxKernel(), failing, 'EIO', { lasting: true }))
    await storage.purge(made.place).then(isLast, () => {})
    await made.restart()
    const left = await filesIn(made.root)
    expect(left['/beside/x']).toBe('x')
    expect(existsSync(join(made.root, 'f'))).toBe(false)
    await made.storageWith(linuxKernel()).purge(made.place)
    expect(await contentsIn(made.root)).toEqual(['x'])
    await requireMatchingInfos(made.root)
  })
})
