import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { draftPrefix } from '../src/storage/path.ts'
import { noteDraft } from './database.ts'
import { draftsBelow, fillFolder, snapshot } from './disk.ts'
import { headOf, type Line, openLine } from './line.ts'
import { admin, type Program, signIn, startProgram, until } from './process.ts'

const seed = Number(process.env.CRASH_SEED ?? 1)
const random = randomFrom(seed)

let program: Program
/** How many drafts the killed servers left: without any, nothing was interrupted. */
let interrupted = 0
beforeAll(async () => {
  program = await startProgram()
}, 120_000)
afterAll(() => program?.end())

test('a save killed at any moment leaves the old or the new content, and a new file complete or absent', async () => {
  const whole = await durationOf(() =>
    program.ask('/api/resources/first.bin', { method: 'POST', body: content('first', 2) }),
  )
  const found: string[] = []
  for (let round = 0; round < 5; round += 1) {
    // Many at once: a restart takes longer than all of them.
    const saves = ['a', 'b'].flatMap((each) => [
      savingOver(`${round}-${each}`, 'PUT'),
      savingOver(`${round}-${each}`, 'POST'),
      creating(`${round}-${each}-1`),
      creating(`${round}-${each}-2`),
    ])
    // At that moment some saves have sent a part of their bytes, others all of them.
    const parts = saves.map(() => Math.min(random() * 1.6, 1))
    await killedDuring(async () => {
      await Promise.all(saves.map((save, i) => save.send(parts[i] ?? 1)))
      await Bun.sleep(random() * whole)
    })
    // One that another server has received in part waits for the rest as long as its sender is there.
    for (const save of saves) save.leave()
    found.push(...saves.map((save) => `${save.name} ${save.outcome()}`).filter((line) => /torn|gone/.test(line)))
    await nothingUnfinished()
  }
  expect({ seed, found }).toEqual({ seed, found: [] })
  expect(interrupted).toBeGreaterThan(0)
}, 240_000)

test('a copied folder is complete or absent after the server is killed', async () => {
  const original = fill('original', 120)
  const copying = () => program.ask('/api/resources/original?action=copy&destination=/copy', { method: 'PATCH' })
  const whole = await durationOf(copying)
  for (let round = 0; round < 3; round += 1) {
    rmSync(join(program.root, 'copy'), { recursive: true, force: true })
    await killedDuring(copying, random() * whole)
    const copy = join(program.root, 'copy')
    expect({ seed, round, copy: existsSync(copy) ? snapshot(copy) : original }).toEqual({ seed, round, copy: original })
    await nothingUnfinished()
  }
  expect(snapshot(join(program.root, 'original'))).toEqual(original)
}, 120_000)

test('a removed folder is complete or gone after the server is killed', async () => {
  const removing = () => program.ask('/api/resources/doomed', { method: 'DELETE' })
  fill('doomed', 400)
  const whole = await durationOf(removing)
  for (let round = 0; round < 3; round += 1) {
    const before = fill('doomed', 400)
    await killedDuring(removing, random() * whole)
    const doomed = join(program.root, 'doomed')
    const after = existsSync(doomed) ? snapshot(doomed) : before
    expect({ seed, round, after }).toEqual({ seed, round, after: before })
    await nothingUnfinished()
    rmSync(doomed, { recursive: true, force: true })
  }
}, 120_000)

test('a file with a second hard link, overwritten in place, is old or new after a crash', async () => {
  const versions = [content('poured 0', 20), content('poured 1', 24)]
  const path = join(program.root, 'poured.bin')
  writeFileSync(path, content('poured', 22))
  linkSync(path, join(program.root, 'second-name.bin'))
  let torn = 0
  // A quick disk may be done before the crash comes; then it takes more rounds to meet one in the middle.
  for (let round = 0; round < 3 || (torn === 0 && round < 40); round += 1) {
    const before = readFileSync(path)
    const fresh = versions[round % 2] ?? before
    const saving = program.ask('/api/resources/poured.bin', { method: 'PUT', body: fresh }).catch(() => {})
    // As soon as the bytes are copied into the file, or a little later.
    await untilBeginsLike(path, fresh)
    if (round % 2 === 0) await Bun.sleep(random() * 10)
    await program.kill()
    await saving
    const atCrash = readFileSync(path)
    if (!atCrash.equals(before) && !atCrash.equals(fresh)) torn += 1
    await program.start()
    await nothingUnfinished()
    const now = readFileSync(path)
    expect({ seed, round, isWhole: now.equals(before) || now.equals(fresh) }).toEqual({ seed, round, isWhole: true })
    expect(readFileSync(join(program.root, 'second-name.bin')).equals(now)).toBe(true)
  }
  expect(torn).toBeGreaterThan(0)
}, 240_000)

test('a half-written file is repaired at the next start, and a file that took its name stays', async () => {
  const [path, second] = [join(program.root, 'replaced.bin'), join(program.root, 'replaced-too.bin')]
  const fresh = content('never acknowledged', 30)
  let torn = 0
  for (let round = 0; round < 1 || (torn === 0 && round < 40); round += 1) {
    const old = content(`old ${round}`, 32)
    for (const name of [path, second]) rmSync(name, { force: true })
    writeFileSync(path, old)
    linkSync(path, second)
    const saving = program.ask('/api/resources/replaced.bin', { method: 'PUT', body: fresh }).catch(() => {})
    await untilBeginsLike(path, fresh)
    await program.kill()
    await saving
    const atCrash = readFileSync(second)
    if (!atCrash.equals(old) && !atCrash.equals(fresh)) torn += 1
    writeFileSync(`${path}.backup`, 'the good version')
    renameSync(`${path}.backup`, path)

    await program.start()
    await nothingUnfinished()
    expect(readFileSync(path, 'utf8')).toBe('the good version')
    const mended = readFileSync(second)
    expect({ round, isWhole: mended.equals(old) || mended.equals(fresh) }).toEqual({ round, isWhole: true })
  }
  expect(torn).toBeGreaterThan(0)
}, 240_000)

test('the server answers before it has removed the leftovers of a crash', async () => {
  const left = join(program.root, `${draftPrefix}large`)
  await program.killAll()
  for (let i = 0; i < 4; i += 1)
    fillFolder(
      join(left, `${i}`),
      Array.from({ length: 10_000 }, (_, j) => `${j}.txt`),
    )
  await noteDraft(program.database, left)
  await program.start()
  expect(existsSync(left)).toBe(true)
  expect((await program.ask('/api/resources/')).status).toBe(200)
  await until(() => !existsSync(left))
  expect(existsSync(left)).toBe(false)
}, 120_000)

test('an interrupted save does not undo a later save at the next start', async () => {
  const path = join(program.root, 'twice.bin')
  writeFileSync(path, 'half of the')
  linkSync(path, join(program.root, 'twice-too.bin'))
  await program.kill()
  const draft = join(program.root, `${draftPrefix}interrupted`)
  writeFileSync(draft, content('interrupted', 60))
  await noteDraft(program.database, draft, path)

  await program.start()
  const saved = await program.ask('/api/resources/twice.bin', { method: 'PUT', body: 'the last word' })
  await nothingUnfinished()
  expect(saved.status).toBe(200)
  const now = readFileSync(path)
  expect(now.length).toBe('the last word'.length)
  expect(now.toString()).toBe('the last word')
}, 120_000)

test('acknowledged sign-ins and users exist after a crash', async () => {
  const data = { username: 'ann', password: 'an unusual password', scope: '/', perm: { download: true } }
  const body = JSON.stringify({ what: 'user', which: [], data, current_password: admin.password })
  const created = await program.ask('/api/users', { method: 'POST', body })
  const token = await signIn(program.url, admin)
  await program.kill()
  await program.start()
  expect(created.status).toBe(201)
  const answer = await program.ask('/api/resources/', { headers: { 'x-auth': token } })
  expect(answer.status).toBe(200)
  expect(await signIn(program.url, data)).not.toBe('')
}, 120_000)

interface Save {
  readonly name: string
  /** Sends this part of the bytes and does not wait for an answer. */
  send(part: number): Promise<void>
  /** Its sender is gone. */
  leave(): void
  outcome(): 'old' | 'new' | 'none' | 'torn' | 'gone'
}

function savingOver(label: string, method: 'PUT' | 'POST'): Save {
  const name = `${method.toLowerCase()}-${label}.bin`
  const old = content(`old ${name}`, 1)
  writeFileSync(join(program.root, name), old)
  return saving(method, name, old, content(`new ${name}`, 2))
}

const creating = (round: string): Save =>
  saving('POST', `fresh-${round}.bin`, undefined, content(`fresh ${round}`, 1 + random()))

function saving(method: string, name: string, old: Buffer | undefined, fresh: Buffer): Save {
  let line: Line | undefined
  return {
    name,
    async send(part) {
      line = await openLine(program.url)
      const path = `/api/resources/${name}${method === 'POST' ? '?override=true' : ''}`
      await line.send(headOf(method, path, { 'x-auth': program.token, 'content-length': fresh.length }))
      await line.send(fresh.subarray(0, Math.floor(fresh.length * part)))
    },
    leave: () => line?.reset(),
    outcome() {
      const path = join(program.root, name)
      if (!existsSync(path)) return old === undefined ? 'none' : 'gone'
      const now = readFileSync(path)
      return now.equals(fresh) ? 'new' : old?.equals(now) ? 'old' : 'torn'
    },
  }
}

/** Polls without a pause: the bytes are copied within a few milliseconds. */
async function untilBeginsLike(path: string, bytes: Buffer): Promise<void> {
  for (const deadline = Date.now() + 20_000; !beginsLike(path, bytes) && Date.now() < deadline; ) await Bun.sleep(0)
}

/** Have the first bytes of a file been replaced by these? */
function beginsLike(path: string, content: Buffer): boolean {
  const head = Buffer.alloc(16)
  const fd = openSync(path, 'r')
  readSync(fd, head, 0, head.length, 0)
  closeSync(fd)
  return head.equals(content.subarray(0, head.length))
}

/** Starts some work, kills the server when it is done or after some milliseconds, and starts it again. */
async function killedDuring(work: () => Promise<unknown>, milliseconds?: number): Promise<void> {
  const running = work().catch(() => {})
  await (milliseconds === undefined ? running : Bun.sleep(milliseconds))
  await program.kill()
  await running
  interrupted += draftsBelow(program.root).length
  await program.start()
}

async function nothingUnfinished(): Promise<void> {
  await until(() => draftsBelow(program.root).length === 0)
  expect({ seed, drafts: draftsBelow(program.root) }).toEqual({ seed, drafts: [] })
}

async function durationOf(work: () => Promise<Response>): Promise<number> {
  const start = performance.now()
  expect((await work()).ok).toBe(true)
  return performance.now() - start
}

function fill(name: string, count: number): Record<string, string> {
  const folder = join(program.root, name)
  for (const part of ['a', 'a/b', 'c']) mkdirSync(join(folder, part), { recursive: true })
  for (let i = 0; i < count; i += 1)
    writeFileSync(join(folder, ['a', 'a/b', 'c'][i % 3] ?? '', `${i}.txt`), `${name} ${i}\n`.repeat(50))
  return snapshot(folder)
}

/** Random bytes of so many megabytes. */
function content(label: string, megabytes: number): Buffer {
  const numbers = new Uint32Array(Math.floor(megabytes * 250_000))
  const next = randomFrom(Bun.hash.crc32(label))
  for (let i = 0; i < numbers.length; i += 1) numbers[i] = next() * 2 ** 32
  return Buffer.from(numbers.buffer)
}

/** A random generator with a seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
