import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { setReadOnly } from '../../test/broken-writes.ts'
import { testDatabase } from '../../test/database.ts'
import { openDatabase } from '../database/open.ts'
import { distantNodes } from './distant-nodes.fixture.ts'
import { lockIn } from './kernel-lock.ts'
import { joinNodes } from './node.ts'
import { isRunning, kernelId, ownProcess } from './processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-nodes-'))
const db = await testDatabase()
/** Whose servers the kernel tells about. */
const local = await openDatabase(':memory:')
afterEach(() => Promise.all([db, local].map((each) => each.deleteFrom('node').execute())))
afterAll(async () => {
  await Promise.all([db.destroy(), local.destroy()])
  rmSync(folder, { recursive: true })
})

test('a node is alive for all others until it leaves', async () => {
  const [one, two] = [joinNodes(folder), joinNodes(folder)]
  expect(one.id).not.toBe(two.id)
  expect([one.isAlive(one.id), one.isAlive(two.id), two.isAlive(one.id)]).toEqual([true, true, true])
  await one.leave()
  await one.leave()
  expect(two.isAlive(one.id)).toBe(false)
  // It cannot know any more, and so it takes nothing from any other.
  expect(one.isAlive(two.id)).toBe(true)
  expect(two.isAlive('node:1')).toBe(false)
  expect([two.isAlive(null), two.isAlive('dead'), two.isAlive('')]).toEqual([false, false, false])
  await two.leave()
})

test('a node stays alive though the file with the locks is removed', async () => {
  const place = join(folder, 'removed')
  mkdirSync(place)
  const one = joinNodes(place)
  rmSync(place, { recursive: true })
  await one.renew()
  const two = joinNodes(place)
  expect(two.isAlive(one.id)).toBe(true)
  await two.renew()
  expect([two.isAlive(one.id), one.isAlive(two.id)]).toEqual([true, true])
  await one.leave()
  await one.renew()
  expect(two.isAlive(one.id)).toBe(false)
  await two.leave()
})

test('a node without a place for its lock is identified by its process', async () => {
  const node = joinNodes(join(folder, 'missing'))
  expect(node.id).toBe(ownProcess())
  expect([node.isAlive(node.id), node.isAlive('4194305:1'), node.isAlive(null)]).toEqual([true, false, false])
  const other = joinNodes(folder)
  expect(other.isAlive(node.id)).toBe(true)
  await other.leave()
})

test('a process that has ended is not running, whether or not its parent knows', async () => {
  const processOf = (pid: number) => ownProcess().replace(/\d+:\d+$/, `${pid}:${startOf(pid)}`)
  // The shell becomes a program that asks for no child of its own.
  const parent = Bun.spawn(['sh', '-c', 'sleep 100 & echo $!; exec sleep 100'], { stdout: 'pipe' })
  const { value } = await parent.stdout.getReader().read()
  const pid = Number(new TextDecoder().decode(value))
  const child = processOf(pid)
  expect(isRunning(child)).toBe(true)
  process.kill(pid, 'SIGKILL')
  for (let tries = 0; tries < 1000 && isRunning(child); tries += 1) await Bun.sleep(1)
  expect(isRunning(child)).toBe(false)
  parent.kill()
  await parent.exited
  expect(isRunning(ownProcess())).toBe(true)
})

test('a process of another kernel or container is unknown, unless there can be no other kernel', () => {
  const own = ownProcess()
  const elsewhere = own.replace(kernelId(), 'another')
  expect([isRunning(elsewhere), isRunning(elsewhere, { isOnlyKernel: true })]).toEqual([undefined, false])
  const contained = own.replace(/:\d+:(?=\d+:\d+$)/, ':1:')
  expect([isRunning(contained), isRunning(contained, { isOnlyKernel: true })]).toEqual([undefined, undefined])
})

test('a node with a kernel lock writes its row once, and the row goes when it leaves', async () => {
  let repeated = 0
  const repeat = () => {
    repeated += 1
    return () => {}
  }
  const node = joinNodes(folder, { db: local, repeat })
  await node.renew()
  await node.renew()
  expect(await rows(local)).toMatchObject([{ id: node.id, lease: 'lock', beats: 1, kernel: kernelId() }])
  expect(repeated).toBe(0)
  await node.leave()
  expect(await rows(local)).toEqual([])
})

test('the row of a killed node is removed by another one', async () => {
  const node = joinNodes(folder, { db: local })
  const row = {
    host: 'host',
    kernel: kernelId(),
    lease: 'lock',
    started_at: 0,
    beaten_at: 0,
    beats: 1,
    version: '',
  } as const
  await local
    .insertInto('node')
    .values({ id: 'node:1', ...row })
    .execute()
  await node.renew()
  expect((await rows(local)).map(({ id }) => id)).toEqual([node.id])
  await node.leave()
})

const distant = distantNodes(folder, db)

/** The last beat of one, which the other has seen. Of two that beat at once, one may see the beat of the other only with its next. */
async function beatLast(one: ReturnType<typeof distant>, other: ReturnType<typeof distant>): Promise<void> {
  await one.beats(1)
  await other.beats(1)
}

const rows = (of = db) => of.selectFrom('node').selectAll().execute()

test('a distant node is alive while it beats, and dead after four missed heartbeats', async () => {
  const [one, two] = [distant('one'), distant('two')]
  await Promise.all([one.beats(1), two.beats(1)])
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([one.beats(1), two.beats(1)])
    expect([one.isAlive(two.id), two.isAlive(one.id)]).toEqual([true, true])
  }
  await beatLast(one, two)
  await two.beats(3)
  expect(two.isAlive(one.id)).toBe(true)
  await two.beats(1)
  expect(two.isAlive(one.id)).toBe(false)
  // One that is new here knows nothing yet, and takes nothing away.
  const three = distant('three')
  await three.beats(3)
  expect(three.isAlive(one.id)).toBe(true)
  await Promise.all([one.leave(), two.leave(), three.leave()])
})

test('a node that leaves is dead at once for those that have seen it', async () => {
  const [one, two] = [distant('one'), distant('two')]
  await one.beats(1)
  await two.beats(1)
  expect(two.isAlive(one.id)).toBe(true)
  await one.leave()
  await two.beats(1)
  expect(two.isAlive(one.id)).toBe(false)
  await two.leave()
})

test('a node whose lock cannot be seen from here counts as alive, whatever its heartbeats', async () => {
  const holder = joinNodes(folder, { db })
  await holder.renew()
  const blind = distant('blind')
  await blind.beats(1)
  expect(blind.isAlive(holder.id)).toBe(true)
  await blind.beats(10)
  expect(blind.isAlive(holder.id)).toBe(true)
  await Promise.all([holder.leave(), blind.leave()])
})

test('a clock that jumps, forward or back, ends no lease', async () => {
  let time = 1_000_000
  const [one, two] = [distant('one', { now: () => time }), distant('two', { now: () => -time })]
  await Promise.all([one.beats(1), two.beats(1)])
  for (const jump of [86_400, -3_000_000, 5_000_000, 0]) {
    time += jump
    await Promise.all([one.beats(1), two.beats(1)])
    expect([one.isAlive(two.id), two.isAlive(one.id)]).toEqual([true, true])
  }
  await Promise.all([one.leave(), two.leave()])
})

test('the node that joined first does what one alone has to do, however wrong the clocks are', async () => {
  const one = distant('one', { now: () => 7200 })
  await one.beats(1)
  const two = distant('two', { now: () => 3600 })
  await two.beats(1)
  const firstOf = async (...nodes: (typeof one)[]) => {
    const first = await Promise.all(nodes.map((node) => node.isFirst()))
    return nodes.filter((_, index) => first[index]).map(({ id }) => id)
  }
  expect(await firstOf(one, two)).toEqual([one.id])
  const three = distant('three')
  await three.beats(1)
  expect(await firstOf(one, two, three)).toEqual([one.id])
  await one.leave()
  await Promise.all([two.beats(1), three.beats(1)])
  expect(await firstOf(two, three)).toEqual([two.id])
  // It comes back, with a clock that says it began before all others.
  const again = distant('one')
  await again.beats(1)
  expect(await firstOf(two, three, again)).toEqual([two.id])
  await Promise.all([two.leave(), three.leave(), again.leave()])
})

test('a node that is alone looks for its own lock with each beat; of several, the watch over the others does', async () => {
  let looks = 0
  const absent = async (ids: readonly string[]) => {
    looks += 1
    return [...ids]
  }
  const { presence } = db.engine
  Object.assign(db.engine, { presence: { hold() {}, isHeld: true, absent } })
  const one = distant('one')
  await one.beats(2)
  expect(looks).toBe(3)
  const two = distant('two')
  await two.beats(1)
  await one.beats(3)
  expect(looks).toBe(3)
  await Promise.all([one.leave(), two.leave()])
  Object.assign(db.engine, { presence })
})

test('a node is told when the tables have changed under it, and one that comes afterwards is not', async () => {
  let told = 0
  const outdated = () => {
    told += 1
  }
  const node = distant('old', { outdated })
  await node.beats(2)
  expect(told).toBe(0)
  await db.insertInto('counter').values({ name: 'tables', value: 1 }).execute()
  const newer = distant('new', { outdated })
  await newer.beats(2)
  expect(told).toBe(0)
  await node.beats(1)
  expect(told).toBe(1)
  await Promise.all([node.leave(), newer.leave()])
  await db.deleteFrom('counter').where('name', '=', 'tables').execute()
})

test('a node is told when the tables were changed between the opening of the database and its first beat', async () => {
  let told = 0
  const outdated = () => {
    told += 1
  }
  await sql`insert into kysely_migration (name, timestamp) values ('9999_later', 'now')`.execute(db)
  try {
    const node = distant('old', { outdated })
    await node.beats(1)
    expect(told).toBe(1)
    await node.leave()
  } finally {
    await sql`delete from kysely_migration where name = '9999_later'`.execute(db)
  }
})

test('a node that was stopped for longer than its lease is told, and counts as alive again', async () => {
  let lost = 0
  const one = distant('one', {
    leaseLost: () => {
      lost += 1
    },
  })
  const two = distant('two')
  await beatLast(one, two)
  expect(two.isAlive(one.id)).toBe(true)
  await two.beats(4)
  await two.renew()
  expect((await rows()).map(({ id }) => id)).toEqual([two.id])
  await one.beats(1)
  expect(lost).toBe(1)
  await two.beats(1)
  expect(two.isAlive(one.id)).toBe(true)
  await Promise.all([one.leave(), two.leave()])
})

test('while nothing can be written no node is found dead, and no call fails', async () => {
  const [one, two] = [distant('one'), distant('two')]
  await beatLast(one, two)
  expect(two.isAlive(one.id)).toBe(true)
  await setReadOnly(db, true)
  await Promise.all([one.beats(10), two.beats(10), two.renew()])
  expect(two.isAlive(one.id)).toBe(true)
  await setReadOnly(db, false)
  await two.beats(4)
  expect(two.isAlive(one.id)).toBe(false)
  await Promise.all([one.leave(), two.leave()])
})

test('on a network file system a free byte tells about processes of the same kernel only', async () => {
  const shared = (place: string) => {
    const lock = lockIn(place)
    return lock && { ...lock, isDecisive: false }
  }
  let beat = async () => {}
  const repeat = (given: () => Promise<void>) => {
    beat = given
    return () => {}
  }
  const node = joinNodes(folder, { db, lock: shared, repeat })
  const row = { host: 'host', lease: 'beats', started_at: 0, beaten_at: 0, beats: 1, version: '' } as const
  await db
    .insertInto('node')
    .values([
      { id: 'node:1', kernel: kernelId(), ...row },
      { id: 'node:2', kernel: 'other', ...row },
    ])
    .execute()
  await beat()
  expect([node.isAlive('node:1'), node.isAlive('node:2')]).toEqual([false, true])
  for (let made = 0; made < 4; made += 1) await beat()
  expect(node.isAlive('node:2')).toBe(false)
  await node.renew()
  expect((await rows()).map(({ id }) => id)).toEqual([node.id])
  await node.leave()
})

test('a node with a kernel lock beats only while it judges another one by heartbeats', async () => {
  const node = joinNodes(folder, { db: local })
  const contained = ownProcess().replace(/:\d+:(?=\d+:\d+$)/, ':1:')
  await node.renew()
  expect(node.isAlive(contained)).toBe(true)
  for (let looks = 0; looks < 4; looks += 1) await node.renew()
  expect(node.isAlive(contained)).toBe(false)
  const beats = async () => (await rows(local)).map((row) => row.beats)
  for (let looks = 0; looks < 20; looks += 1) await node.renew()
  const [before] = await beats()
  await node.renew()
  expect(await beats()).toEqual([before ?? 0])
  await node.leave()
})

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
