import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { statusOf } from './answers.ts'
import { inDatabase } from './database.ts'
import { fillFolder } from './disk.ts'
import { type Program, startProgram, until } from './process.ts'
import { startServer } from './server.ts'

// A process of its own: what is measured is the event loop of the server, not that of the test.
let program: Program
beforeAll(async () => {
  program = await startProgram()
  makeLarge('large.bin', 2 ** 28)
  const cues = Array.from({ length: 50_000 }, (_, index) => `${index}\n00:00:01,000 --> 00:00:02,000\nx\n`)
  writeFileSync(at('film.srt'), cues.join('\n').slice(0, 2 * 1024 * 1024))
})
afterAll(() => program?.end())

const at = (path: string) => join(program.root, path)
const names = Array.from({ length: 50_000 }, (_, index) => `file ${index}.txt`)

/** Without holes, which would be copied in no time. */
function makeLarge(path: string, size: number): void {
  const fd = openSync(at(path), 'w')
  const piece = Buffer.alloc(1 << 20, 'x')
  for (let written = 0; written < size; written += piece.length) writeSync(fd, piece)
  closeSync(fd)
}

interface Gap {
  /** Milliseconds that passed between two answers, and those of them that the event loop of the server was computing. */
  readonly passed: number
  readonly computed: number
}

/** In steps of ten milliseconds. The event loop runs on the first thread of the process. */
function computedBy(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1')
  // Behind the name, which may hold blanks: utime and stime are the fields 14 and 15 of all.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Asks /health again and again until `isOver`: the longest gaps between two answers. */
async function longestGap(isOver: () => boolean): Promise<Gap> {
  const now = (): Gap => ({ passed: performance.now(), computed: computedBy(program.pid) })
  let [passed, computed, last] = [0, 0, now()]
  while (!isOver()) {
    await statusOf(fetch(`${program.url}/health`))
    const next = now()
    passed = Math.max(passed, next.passed - last.passed)
    computed = Math.max(computed, next.computed - last.computed)
    last = next
  }
  return { passed, computed }
}

function calmGap(): Promise<Gap> {
  const questions = Array.from({ length: 50 }).values()
  return longestGap(() => questions.next().done === true)
}

/** In milliseconds. Time that passed depends on what else the machine does, computing time hardly. */
const tolerable: Gap = { passed: 1000, computed: 250 }

/**
 * Fails when each of three rounds holds a gap far above those of a calm server: a busy machine causes one now and then,
 * work that keeps the event loop to itself does so every time.
 */
async function expectNoGap(work: () => Promise<number>, status: number): Promise<void> {
  const rounds: { gap: Gap; calm: Gap }[] = []
  for (let round = 0; round < 3; round += 1) {
    const calm = await calmGap()
    let isOver = false
    const working = work().finally(() => {
      isOver = true
    })
    const gap = await longestGap(() => isOver)
    expect(await working).toBe(status)
    if (gap.passed < Math.max(tolerable.passed, 10 * calm.passed) && gap.computed < tolerable.computed) return
    rounds.push({ gap, calm })
  }
  expect(rounds).toEqual([])
}

const request = (method: string, path: string, body?: URLSearchParams | object) =>
  statusOf(program.ask(path, { method, body: body instanceof URLSearchParams ? body : JSON.stringify(body) }))

/** What is known of an upload of so many files. */
function operations(batch: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, number) => {
    const at = `/${number}.txt`
    const effects = JSON.stringify([{ kind: 'made', at, id: '1 1', version: '"1-1"', state: '1 1', isFolder: false }])
    const id = `${batch}-${String(number).padStart(6, '0')}`
    return { id, batch, user_id: 1, door: 'web', kind: 'upload', to_location: at, effects, at: Date.now() }
  })
  return inDatabase(program.database, async (db) => {
    await db.deleteFrom('operation').where('batch', '=', batch).execute()
    for (let start = 0; start < count; start += 1000)
      await db
        .insertInto('operation')
        .values(rows.slice(start, start + 1000))
        .execute()
  })
}

function huge(): void {
  rmSync(at('huge'), { recursive: true, force: true })
  fillFolder(at('huge'), names)
}

test.each<[what: string, status: number, work: () => Promise<number>, prepare?: () => void | Promise<void>]>([
  ['a folder of 50,000 is listed', 200, () => request('GET', '/api/resources/huge'), huge],
  ['everything below it is listed', 200, () => request('GET', '/api/resources/huge?recursive=true')],
  ['a folder of 50,000 is searched', 200, () => request('GET', '/api/search/huge?query=49999')],
  ['256 MB are hashed', 200, () => request('GET', '/api/resources/large.bin?checksum=sha256')],
  [
    '256 MB are copied',
    200,
    () => request('PATCH', '/api/resources/large.bin?action=copy&override=true&destination=%2Fcopy.bin'),
  ],
  [
    'ten long subtitle files are converted',
    200,
    async () =>
      Math.max(...(await Promise.all(Array.from({ length: 10 }, () => request('GET', '/api/subtitle/film.srt'))))),
  ],
  [
    '50,000 chosen names are looked up and none exists',
    200,
    () =>
      request(
        'POST',
        '/api/raw/?algo=tar',
        new URLSearchParams(names.map((name): [string, string] => ['files', `none/${name}`])),
      ),
  ],
  [
    '40,000 uploads are to be taken back and none of them is there',
    412,
    () => request('POST', '/api/jobs', { kind: 'undo', operation: 'forty-thousand-files' }),
    () => operations('forty-thousand-files', 40_000),
  ],
])(
  'the server answers other requests without a long gap while %s',
  async (_what, status, work, prepare) => {
    await prepare?.()
    await expectNoGap(work, status)
  },
  120_000,
)

test('the server answers other requests without a long gap while a folder of 50,000 is removed', async () => {
  await expectNoGap(async () => {
    huge()
    return request('DELETE', '/api/resources/huge')
  }, 204)
}, 120_000)

test('a checksum stops when its client disconnects', async () => {
  await using server = await startServer()
  await server.addUser('alice')
  const alice = await server.as('alice')
  writeFileSync(join(server.root, 'endless.bin'), '')
  // A hole of this size takes a quarter of an hour to read.
  truncateSync(join(server.root, 'endless.bin'), 2 ** 40)
  const { checksums } = server.app.deps.limits
  const leave = new AbortController()
  const answer = alice('/api/resources/endless.bin?checksum=sha512', { signal: leave.signal })
  await until(() => checksums.running === 1)
  expect(checksums.running).toBe(1)
  leave.abort()
  await answer.catch(() => {})
  await until(() => checksums.running === 0)
  expect(checksums.running).toBe(0)
})
