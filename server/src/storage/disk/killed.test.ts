import { afterAll, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { linuxKernel } from '../linux/kernel.ts'
import { rootPath } from '../path.ts'
import { storeNames } from '../store-names.ts'
import { diskStorage, filesIn, makeDisk, makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { keepingParts } from '../testing/keeping.fixture.ts'
import { type KilledVerb, type KilledWork, ledgersIn, work } from '../testing/killed.fixture.ts'
import { rootAt } from './base.ts'
import { clearDrafts } from './drafts.ts'
import { restoreSources } from './moving-sources.ts'
import { readStoresAt } from './store-contents.ts'

afterAll(removeFolders)

const program = join(import.meta.dirname, '../testing/killed.fixture.ts')
const fastPlace = existsSync('/dev/shm') ? '/dev/shm' : undefined

interface Case {
  readonly title: string
  readonly files: Record<string, string>
  /** What is removed before, so that it can be restored. */
  readonly removed?: string
  /** What is there when that is done. */
  readonly there?: Record<string, string>
  readonly verb: KilledVerb
  /** What comes by the verb itself, and may be missing. */
  readonly brings?: string
}

const restore = { do: 'restore', place: '', to: '/f' } as const satisfies KilledVerb

const cases: Case[] = [
  { title: 'a removal of a file', files: { 'd/a': 'a' }, verb: { do: 'remove', path: '/d/a' } },
  { title: 'a removal of a folder', files: { 'f/a': 'a', 'f/g/b': 'b' }, verb: { do: 'remove', path: '/f' } },
  { title: 'a restore of a file', files: { f: 'a' }, removed: '/f', verb: restore },
  { title: 'a restore of a folder', files: { 'f/a': 'a', 'f/g/b': 'b' }, removed: '/f', verb: restore },
  {
    title: 'a restore in place of another file',
    files: { f: 'old' },
    removed: '/f',
    there: { f: 'new' },
    verb: restore,
  },
  {
    title: 'a restore of a folder that is merged',
    files: { 'f/a': 'old', 'f/b': 'b', 'f/g/c': 'c' },
    removed: '/f',
    there: { 'f/a': 'new', 'f/g/d': 'd' },
    verb: restore,
  },
  {
    title: 'a save that keeps the version before',
    files: { a: 'old' },
    verb: { do: 'save', path: '/a', text: 'new' },
    brings: 'new',
  },
  {
    title: 'a folder that is merged with another one',
    files: { 'f/a': 'new', 'f/g/b': 'b', 'to/a': 'old', 'to/g/c': 'c' },
    verb: { do: 'move', path: '/f', to: '/to' },
  },
]

async function made({ files, removed, there = {}, verb }: Case): Promise<Omit<KilledWork, 'after'>> {
  const root = await makeFolder(fastPlace)
  const ledger = `${root}.ledger`
  await putFiles(root, files)
  if (removed === undefined) return { root, ledger, verb }
  const storage = diskStorage(makeDisk({ ...keepingParts(), spool: root }), root)
  await work(storage, { do: 'remove', path: removed })
  let place = ''
  await storage.kept((found) => {
    place = found[0]?.place ?? place
  })
  await putFiles(root, there)
  return { root, ledger, verb: { ...restore, place } }
}

/** As the next start does, and the look at the stores two hours later. */
async function restart({ root, ledger: file }: Pick<KilledWork, 'root' | 'ledger'>): Promise<void> {
  const { ledger, moves } = ledgersIn(file)
  await restoreSources(linuxKernel(), moves)
  await clearDrafts(linuxKernel(), ledger)
  const disk = makeDisk()
  await readStoresAt({ disk, begin: rootAt(disk, root) }, rootPath, () => {}, { now: Date.now() + 7_200_000 })
  rmSync(file, { force: true })
}

const isInfo = (path: string) => path.endsWith('.trashinfo')

/** All contents but infos, in order; and each thing in a store has its info, and each info its thing. */
async function contentsIn(root: string): Promise<string[]> {
  const files = await filesIn(root)
  for (const store of Object.values(storeNames)) {
    const inside = (folder: string) =>
      Object.keys(files).flatMap((path) => (path.startsWith(`/${store}/${folder}/`) ? (path.split('/')[3] ?? []) : []))
    const things = [...new Set(inside('files').filter(Boolean))].sort()
    const infos = inside('info').filter(Boolean)
    expect(infos.map((name) => name.replace(/\.trashinfo$/, '')).sort()).toEqual(things)
  }
  const found = Object.entries(files).filter(([path]) => !path.endsWith('/') && !isInfo(path))
  return found.map(([, content]) => content).sort()
}

test.each(cases.map((one) => [one.title, one] as const))(
  '%s by a process that is killed between any two calls loses nothing, and leaves nothing twice',
  async (_, one) => {
    const own = Object.values({
      ...one.files,
      ...Object.fromEntries(Object.entries(one.there ?? {}).map(([path, text]) => [`then ${path}`, text])),
    })
    let kills = 0
    // Several at once: to start a process takes most of the time.
    const together = 4
    for (let isOver = false; !isOver; kills += together) {
      const ends = await Promise.all(
        Array.from({ length: together }, async (_, index) => {
          const world = await made(one)
          const given: KilledWork = { ...world, after: kills + index }
          const { exited } = Bun.spawn([process.execPath, program, JSON.stringify(given)], {
            stdout: 'ignore',
            stderr: 'inherit',
          })
          const code = await exited
          expect([0, 137]).toContain(code)
          await restart(world)
          const contents = await contentsIn(world.root)
          const brought = one.brings !== undefined && contents.includes(one.brings) ? [one.brings] : []
          expect([given.after, contents]).toEqual([given.after, [...own, ...brought].sort()])
          return code
        }),
      )
      isOver = ends.includes(0)
    }
    expect(kills).toBeGreaterThan(3)
    await removeFolders()
  },
)
