import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { until } from '../../../test/process.ts'
import { openDatabase } from '../open.ts'
import { durable, preparedChange } from '../port.ts'
import type { Database } from '../schema.ts'
import { sqliteOf } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-log-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Commits of some four pages each. */
function writerOf(db: Kysely<Database>): (count: number) => Promise<void> {
  const sample = { target: '', failures: 0, last_at: 0, blocked_until: 0 }
  const insert = preparedChange(db, db.insertInto('attempt').values(sample))
  return async (count) => {
    for (let made = 0; made < count; made += 1) await insert([crypto.randomUUID().repeat(8), 1, made, 0])
  }
}

/** How many pages the log has, from its start. */
const logOf = (db: Kysely<Database>): number =>
  sqliteOf(db)?.query<{ log: number }, []>('pragma wal_checkpoint(noop)').get()?.log ?? 0

test('the worker makes checkpoints while the server writes, and empties the log at the end', async () => {
  const file = join(folder, 'copied')
  const db = await openDatabase(file, { isServer: true, thread: { seconds: 0.1 } })
  const write = writerOf(db)
  for (let round = 0; round < 5; round += 1) {
    await write(500)
    await until(() => logOf(db) < 1000)
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(17 * 1_048_576)
  expect(await db.selectFrom('attempt').select('failures').execute()).toHaveLength(2500)
  await db.destroy()
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).toBeUndefined()
  const again = await openDatabase(file)
  expect(await again.selectFrom('attempt').select('failures').execute()).toHaveLength(2500)
  await again.destroy()
})

test('a short log is copied after a while, too', async () => {
  const db = await openDatabase(join(folder, 'timed'), { isServer: true, thread: { seconds: 0.01 } })
  await writerOf(db)(20)
  // The beginning of the next log is all that is left.
  await until(() => logOf(db) <= 2)
  await db.destroy()
})

test.each([
  ['cannot be started', 'no-such-worker.ts', undefined],
  ['dies at its first task', 'dying-worker.ts', 'self.onmessage = () => { throw new Error("broken") }'],
  ['ends without a word', 'ending-worker.ts', 'self.onmessage = () => process.exit(1)'],
  ['has opened another file', 'wrong-worker.ts', 'self.onmessage = () => postMessage({ value: { dev: 1, ino: 1 } })'],
])('where a worker %s, SQLite makes checkpoints itself', async (_, name, text) => {
  const worker = join(folder, name)
  if (text !== undefined) writeFileSync(worker, text)
  const file = join(folder, `${name}.db`)
  const db = await openDatabase(file, { isServer: true, thread: { worker } })
  const setting = () => sqliteOf(db)?.query('pragma wal_autocheckpoint').get()
  await until(() => Bun.deepEquals(setting(), { wal_autocheckpoint: 1000 }))
  await writerOf(db)(1500)
  await durable(db)
  expect(statSync(`${file}-wal`).size).toBeLessThan(6 * 1_048_576)
  await db.destroy()
})

const strace = Bun.which('strace')

test.if(strace !== null)(
  `the event loop of a server neither syncs nor reads the file through, also when another process makes checkpoints${strace === null ? ' (skipped: there is no strace)' : ''}`,
  async () => {
    const trace = join(folder, 'trace')
    const calls = ['-f', '-qq', '-e', 'trace=fsync,fdatasync,sync_file_range,write,openat', '-o', trace]
    const child = Bun.spawn(
      [
        strace ?? '',
        ...calls,
        process.execPath,
        join(import.meta.dirname, 'syncing.fixture.ts'),
        join(folder, 'traced'),
      ],
      { stdout: 'ignore', stderr: 'inherit', timeout: 50_000 },
    )
    expect(await child.exited).toBe(0)
    const lines = readFileSync(trace, 'utf8').split('\n')
    const [opened, closing] = ['"opened', '"closing'].map((word) => lines.findIndex((line) => line.includes(word)))
    const loop = lines[opened ?? 0]?.split(' ')[0]
    const between = lines.slice(opened, closing)
    const ofLoop = (some: string[]) => some.filter((line) => line.startsWith(`${loop} `))
    const syncs = between.filter((line) => /sync\w*\(/.test(line))
    expect(syncs.length).toBeGreaterThan(5)
    expect(ofLoop(syncs)).toEqual([])
    // A connection of its own is opened to read the file through.
    const openings = between.filter((line) => line.includes('/traced"'))
    expect(openings.length).toBeGreaterThan(3)
    expect(ofLoop(openings)).toEqual([])
  },
  120_000,
)

test('a log that another process adds to without a pause begins anew', async () => {
  const file = join(folder, 'shared')
  const db = await openDatabase(file, { isServer: true, thread: { commits: 50, seconds: 0.1 } })
  const other = await openDatabase(file, { isServer: true, thread: { commits: Number.POSITIVE_INFINITY } })
  const [write, writeToo] = [writerOf(db), writerOf(other)]
  for (let round = 0; round < 40; round += 1) await Promise.all([write(100), writeToo(100)])
  await until(() => logOf(db) < 8000)
  expect(await db.selectFrom('attempt').select('failures').execute()).toHaveLength(8000)
  await Promise.all([db.destroy(), other.destroy()])
})
