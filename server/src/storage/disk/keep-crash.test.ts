import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, linkSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, parsePath, rootPath } from '../path.ts'
import { storeNames } from '../store-names.ts'
import { diskStorage, makeDisk, makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { faultyKernel } from '../testing/faulty.ts'
import { keepFor, keepingParts } from '../testing/keeping.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { rootAt } from './base.ts'
import { clearDrafts } from './drafts.ts'
import { readStoresAt } from './store-contents.ts'

afterAll(removeFolders)

// Hundreds of attempts, each of which waits for the disk.
const fastPlace = existsSync('/dev/shm') ? '/dev/shm' : undefined

interface World {
  readonly root: string
  readonly storage: ReturnType<typeof diskStorage>
}

interface Case {
  readonly before: Record<string, string>
  readonly links?: [existing: string, name: string][]
  /** A file system of which this is true. */
  readonly kernel?: (kernel: Kernel) => Kernel
  work(world: World): Promise<unknown>
  /** By path, what it may hold. */
  readonly mayBe: Record<string, (string | undefined)[]>
  /** Contents that are under one name, wherever that is; two names of one file in a store and its place are cleared. */
  readonly once: readonly string[]
  /** So many files are in a store when it is done: one, if not said. */
  readonly keptFiles?: number
}

async function removeKept({ storage }: World, path: string): Promise<void> {
  const keep = keepFor('remove')
  const keptAt = await storage.keepPlace(parsePath(path), keep)
  await storage.remove(parsePath(path), { keptAt, keep })
}

const save = ({ storage }: World, path: string, text: string) =>
  storage.write(parsePath(path), pieces(text), { precondition: 'any', length: text.length, keep: keepFor('save') })

async function* pieces(text: string) {
  yield Buffer.from(text)
}

const withoutLinks = (kernel: Kernel): Kernel => ({
  ...kernel,
  link() {
    throw new Errno('EPERM', 'linkat')
  },
})

const cases: Record<string, Case> = {
  'a removal of a file to the trash': {
    before: { '/docs/a': 'old' },
    work: (world) => removeKept(world, '/docs/a'),
    mayBe: { '/docs/a': ['old', undefined] },
    once: ['old'],
  },
  'a removal of a folder to the trash': {
    before: { '/box/a': 'one', '/box/deep/b': 'two' },
    work: (world) => removeKept(world, '/box'),
    mayBe: { '/box/a': ['one', undefined], '/box/deep/b': ['two', undefined] },
    once: ['one', 'two'],
    keptFiles: 2,
  },
  'a save that keeps the old version': {
    before: { '/a': 'old' },
    work: (world) => save(world, '/a', 'new'),
    mayBe: { '/a': ['old', 'new'] },
    once: ['old'],
  },
  'the same without second names of files': {
    before: { '/a': 'old' },
    kernel: withoutLinks,
    work: (world) => save(world, '/a', 'new'),
    mayBe: { '/a': ['old', 'new', undefined] },
    once: ['old'],
  },
  'a save of a file with two names': {
    before: { '/a': 'old' },
    links: [['/a', '/b']],
    work: (world) => save(world, '/a', 'newer'),
    mayBe: { '/a': ['old', 'newer'], '/b': ['old', 'newer'] },
    once: [],
  },
  'a move that replaces a file': {
    before: { '/a': 'new', '/b': 'old' },
    work: ({ storage }) => storage.rename(parsePath('/a'), parsePath('/b'), { replace: true, keep: keepFor('move') }),
    mayBe: { '/a': ['new', undefined], '/b': ['old', 'new'] },
    once: ['old', 'new'],
  },
}

async function makeWorld(each: Case, failing: (kernel: Kernel) => Kernel = (kernel) => kernel) {
  const root = await makeFolder(fastPlace)
  await putFiles(root, each.before)
  for (const [existing, name] of each.links ?? []) linkSync(join(root, existing), join(root, name))
  const ledger = memoryLedger()
  const parts = keepingParts()
  const kernel = failing((each.kernel ?? ((kernel) => kernel))(linuxKernel()))
  return { root, ledger, ...parts, storage: diskStorage(makeDisk({ kernel, ledger, ...parts }), root) }
}

/** What a next start does, and a look at what is kept. */
async function restart({ root, ledger }: Awaited<ReturnType<typeof makeWorld>>) {
  await clearDrafts(linuxKernel(), ledger)
  const disk = makeDisk()
  await readStoresAt({ disk, begin: rootAt(disk, root) }, rootPath, () => undefined, { now: Date.now() + twoHours })
  return infosIn(root)
}

/** In milliseconds: what is younger may be under way. */
const twoHours = 7_200_000

/** All contents with their names; drafts apart. */
function contentsIn(root: string, below = ''): { path: string; text: string; isStored: boolean }[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = `${below}/${entry.name}`
    if (entry.name.startsWith(draftPrefix) || /^\/[^/]+\/info$/.test(path)) return []
    if (entry.isDirectory()) return contentsIn(root, path)
    const isStored = Object.values(storeNames).some((name) => path.startsWith(`/${name}/files/`))
    return [{ path, text: readFileSync(join(root, path), 'utf8'), isStored }]
  })
}

const infosIn = (root: string): string[] =>
  Object.values(storeNames).flatMap((name) =>
    existsSync(join(root, name, 'info')) ? readdirSync(join(root, name, 'info')) : [],
  )

function check(each: Case, root: string): void {
  const contents = contentsIn(root)
  for (const [path, allowed] of Object.entries(each.mayBe))
    expect(allowed).toContain(contents.find((one) => one.path === path)?.text)
  for (const text of each.once)
    expect([text, contents.filter((one) => one.text === text).map(({ path }) => path)]).toEqual([
      text,
      [expect.any(String)],
    ])
  for (const { path, isStored } of contents) if (isStored) expect(statSync(join(root, path)).nlink).toBe(1)
}

async function callsOf(each: Case): Promise<number> {
  let calls = 0
  const world = await makeWorld(
    each,
    (kernel) =>
      new Proxy(kernel, {
        get(target, name: keyof Kernel) {
          if (name !== 'close') calls += 1
          return target[name]
        },
      }),
  )
  await each.work(world)
  return calls
}

describe.each(Object.entries(cases))('%s', (_, each) => {
  test('that is killed at any call to the kernel loses nothing, and keeps nothing twice', async () => {
    const calls = await callsOf(each)
    expect(calls).toBeGreaterThan(10)
    for (let call = 1; call <= calls; call += 1) {
      const world = await makeWorld(each, (kernel) => faultyKernel(kernel, call, 'EIO', { lasting: true }))
      await each.work(world).catch(() => {})
      const infos = await restart(world)
      check(each, world.root)
      expect(infos.length).toBe(contentsIn(world.root).some(({ isStored }) => isStored) ? 1 : 0)
    }
    await removeFolders()
  })

  test.each(['ENOSPC', 'EIO', 'EACCES'])(
    'of which any call fails with %s is done or undone, and an undone one leaves no trace',
    async (code) => {
      const calls = await callsOf(each)
      for (let call = 1; call <= calls; call += 1) {
        const world = await makeWorld(each, (kernel) => faultyKernel(kernel, call, code))
        const before = JSON.stringify(contentsIn(world.root))
        const isDone = await each.work(world).then(
          () => true,
          () => false,
        )
        const lost = world.told.filter(({ kind }) => kind === 'lost').length
        const kept = world.told.filter(({ kind }) => kind === 'kept').length
        const state = contentsIn(world.root)
        if (!isDone && kept === 0) {
          expect([call, JSON.stringify(state)]).toEqual([call, before])
          expect([call, infosIn(world.root)]).toEqual([call, []])
        } else if (lost === 0) {
          await restart(world)
          check(each, world.root)
        }
        if (isDone) expect([call, kept + lost]).toEqual([call, 1])
        const stored = state.filter(({ isStored }) => isStored).length
        expect([call, stored]).toEqual([call, kept === 0 ? 0 : (each.keptFiles ?? 1)])
      }
      await removeFolders()
    },
  )
})
