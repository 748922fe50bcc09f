import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOver, type Job } from '@filestead/contract'
import { draftPrefix, movingPrefix } from '../src/storage/path.ts'
import { jsonIn } from './answers.ts'
import { countBelow } from './disk.ts'
import { type Program, startProgram, until } from './process.ts'

/*
 * A copy and a move of many files and one sparse file between two file systems, killed at random times. The numbers are
 * small here; JUDGED_FILES=20000 JUDGED_ROUNDS=20 JUDGED_SEED=… makes them large.
 */
const [firstFiles, givenRounds, gigabytes, kills] = [
  ['JUDGED_FILES', 600],
  ['JUDGED_ROUNDS', 1],
  ['JUDGED_GIGABYTES', 20],
  ['JUDGED_KILLS', 2],
].map(([name, usual]) => Number(process.env[name as string] ?? usual)) as [number, number, number, number]
let [files, rounds] = [firstFiles, givenRounds]
const seed = Number(process.env.JUDGED_SEED ?? 1)
let state = seed
/** From 0 to 1, the same for the same seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return state / 2 ** 31
}

const other = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-judged-')))
const areTwo = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=2g', 'tmpfs', other], { stderr: 'ignore' }).success
if (!areTwo) console.warn('No disk can be mounted here: copies and moves between two are not killed')

let program: Program
beforeAll(async () => {
  if (!areTwo) return
  program = await startProgram({ flags: ['--mount', `Other=${other}`] })
  const rights = ['see', 'download', 'create', 'change', 'delete']
  const body = JSON.stringify({ subject: 'user:1', mount: 2, folder: '/', rights })
  expect((await program.ask('/api/grants', { method: 'POST', body })).status).toBe(201)
  const { items } = await jsonIn<{ items: { name: string }[] }>(program.ask('/api/resources/'))
  expect(items.map(({ name }) => name).sort()).toEqual([...Object.values(parts)].sort())
}, 120_000)
afterAll(async () => {
  await program?.end()
  Bun.spawnSync(['umount', '-l', other], { stderr: 'ignore' })
  rmSync(other, { recursive: true, force: true })
})

const islandSize = 65_536
const islandsOf = (size: number) =>
  Array.from({ length: 8 }, (_, index) => Math.floor((size / 8) * index) + 4096 * index)
const isSparse = (size: number) => size > 2 ** 30

function makeTree(folder: string): void {
  for (let index = 0; index < files; index += 1) {
    const below = join(folder, `folder ${index % 23}`, `${index % 5}`)
    mkdirSync(below, { recursive: true })
    const size = index % 40 === 0 ? 700_000 : index % 7 === 0 ? 40_000 : Math.floor(random() * 4000)
    writeFileSync(join(below, `file ${index}`), Buffer.alloc(size, `${index} ${random()} `))
  }
  const [path, size] = [join(folder, 'folder 3', 'sparse'), gigabytes * 2 ** 30]
  mkdirSync(join(folder, 'folder 3'), { recursive: true })
  writeFileSync(path, '')
  truncateSync(path, size)
  const fd = openSync(path, 'r+')
  for (const at of islandsOf(size)) writeSync(fd, crypto.getRandomValues(Buffer.alloc(islandSize)), 0, islandSize, at)
  closeSync(fd)
}

interface Found {
  readonly hash: string
  readonly inode: number
  readonly size: number
}

/** A file that is mostly holes is told by what is not: as it takes no more room than that, all else are zeros. */
function hashOf(path: string, stat: Stats): string {
  if (!isSparse(stat.size)) return Bun.hash(readFileSync(path)).toString(36)
  const parts: string[] = [`${stat.blocks * 512 <= 16 * islandSize ? 'sparse' : 'full'}`]
  const fd = openSync(path, 'r')
  const memory = Buffer.alloc(islandSize)
  for (const at of islandsOf(stat.size)) {
    readSync(fd, memory, 0, islandSize, at)
    parts.push(Bun.hash(memory).toString(36))
  }
  closeSync(fd)
  return parts.join(' ')
}

/** All files below a folder, by their path in it. */
function filesBelow(folder: string): Map<string, Found> {
  const found = new Map<string, Found>()
  if (!existsSync(folder)) return found
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const stat = statSync(path)
    found.set(path.slice(folder.length + 1), { hash: hashOf(path, stat), inode: stat.ino, size: stat.size })
  }
  return found
}

const hashes = (found: ReadonlyMap<string, Found>) =>
  Object.fromEntries([...found].map(([path, { hash }]) => [path, hash]).sort())

const hiddenIn = (folder: string, prefix: string) => readdirSync(folder).filter((name) => name.startsWith(prefix))

/** What a killed server left. */
interface Left {
  /** Files of which no place has a whole version. */
  readonly lost: string[]
  /** Files that are whole in the draft, and the large one as far as it has come. */
  readonly staged: Map<string, Found>
  readonly large: Found | undefined
}

function lookAround(whole: Record<string, string>, from: string, to: string, name: string): Left {
  const drafts = hiddenIn(to, draftPrefix)
  const staged = new Map<string, Found>()
  for (const draft of drafts) for (const [path, found] of filesBelow(join(to, draft))) staged.set(path, found)
  const large = [...staged].find(([, { size }]) => size > 2 ** 20)?.[1]
  const places = [
    filesBelow(join(from, name)),
    ...hiddenIn(from, movingPrefix).map((hidden) => filesBelow(join(from, hidden))),
    filesBelow(join(to, name)),
    staged,
  ]
  const lost = Object.entries(whole)
    .filter(([path, hash]) => !places.some((place) => place.get(path)?.hash === hash))
    .map(([path]) => path)
  return { lost, staged, large }
}

const start = async (kind: 'copy' | 'move', from: string, to: string): Promise<Job> => {
  const body = JSON.stringify({ kind, items: [{ from, to }] })
  return jsonIn<Job>(program.ask('/api/jobs', { method: 'POST', body, headers: { prefer: 'respond-async' } }))
}

const now = async ({ id }: Job): Promise<Job> => jsonIn<Job>(program.ask(`/api/jobs/${id}`))

async function ended(job: Job): Promise<Job> {
  let last = job
  await until(async () => {
    last = await now(job)
    return isOver(last.state)
  }, 300_000)
  return last
}

/** What the administrator finds at the top. */
const parts = { first: 'Files', other: 'Other' }

/** Kills that came in the middle of the work. Without any, nothing was tested. */
let interruptions = 0

/** Until so many files are staged, or all have arrived. */
const comeSoFar = (to: string, name: string, count: number): Promise<void> =>
  until(
    () =>
      existsSync(join(to, name)) ||
      hiddenIn(to, draftPrefix).some((draft) => countBelow(join(to, draft)) > Math.max(1, count)),
    120_000,
  )

async function killedTransfer(kind: 'copy' | 'move', round: number): Promise<void> {
  // To and fro by turns.
  const isBack = (round + (kind === 'move' ? 1 : 0)) % 2 === 1
  const [from, to] = isBack ? [other, program.root] : [program.root, other]
  const [fromName, toName] = isBack ? [parts.other, parts.first] : [parts.first, parts.other]
  const name = `${kind} ${round}`
  makeTree(join(from, name))
  const before = filesBelow(join(from, name))
  const whole = hashes(before)
  const job = await start(kind, `/${fromName}/${name}`, `/${toName}/${name}`)
  /** Inodes of copies that were whole when the server was killed. */
  const kept = new Map<string, number>()
  const large: number[] = []
  let copiedAgain = 0
  for (let kill = 0; kill < kills; kill += 1) {
    await comeSoFar(to, name, random() * 0.8 * files)
    await program.kill()
    const left = lookAround(whole, from, to, name)
    if (left.staged.size > 1 || hiddenIn(from, movingPrefix).length > 0) interruptions += 1
    expect({ seed, round, kind, lost: left.lost }).toEqual({ seed, round, kind, lost: [] })
    for (const [path, { inode, hash }] of left.staged) {
      if (hash !== whole[path]) continue
      if (kept.has(path) && kept.get(path) !== inode) copiedAgain += 1
      kept.set(path, inode)
    }
    if (left.large !== undefined) large.push(left.large.inode)
    await program.start()
  }
  const end = await ended(job)
  expect({ seed, round, state: end.state, problem: end.problem }).toEqual({
    seed,
    round,
    state: 'done',
    problem: undefined,
  })
  const after = filesBelow(join(to, name))
  expect({ seed, round, kind, tree: hashes(after) }).toEqual({ seed, round, kind, tree: whole })
  for (const [path, inode] of kept) if (after.get(path)?.inode !== inode) copiedAgain += 1
  expect({ seed, round, kind, copiedAgain, large: new Set(large).size <= 1 }).toEqual({
    ...{ seed, round, kind, copiedAgain: 0 },
    large: true,
  })
  const source = filesBelow(join(from, name))
  if (kind === 'copy') expect(hashes(source)).toEqual(whole)
  else expect(existsSync(join(from, name))).toBe(false)
  // What the job put aside goes with it.
  await until(() => [from, to].every((folder) => hiddenIn(folder, '.filestead-').length === 0))
  for (const folder of [from, to]) rmSync(join(folder, name), { recursive: true, force: true })
}

for (let round = 0; round < rounds; round += 1)
  for (const kind of ['copy', 'move'] as const)
    test.if(areTwo)(
      `round ${round}: a ${kind} between file systems that is killed again and again ends by itself, and loses nothing`,
      () => killedTransfer(kind, round),
      600_000,
    )

test.if(areTwo)(
  'servers were killed in the middle of their work',
  async () => {
    // A fast machine can be done before the kill: there it gets more to do.
    for (const end = rounds + 4; interruptions === 0 && rounds < end; rounds += 1) {
      files *= 3
      await killedTransfer('copy', rounds)
    }
    expect(interruptions).toBeGreaterThan(0)
  },
  600_000,
)
