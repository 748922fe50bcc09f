import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JobRequest, type JobState, User } from '@filestead/contract'
import { testDatabase } from '../../test/database.ts'
import type { Scope } from '../access/scope.ts'
import { scopeOf } from '../access/scope.ts'
import type { Changes } from '../changes/pipeline.ts'
import { DatabaseRefusal } from '../database/port.ts'
import { Failure } from '../failure.ts'
import { joinNodes, type Node } from '../nodes/node.ts'
import { noSiblings, type Siblings } from '../nodes/siblings.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { isKnownJob, type Jobs, jobsIn } from './jobs.ts'
import type { Kind, Run } from './kind.ts'
import type { JobNews } from './record.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-jobs-'))
const db = await testDatabase()
afterAll(async () => {
  await db.destroy()
  rmSync(folder, { recursive: true })
})

const [ann, bob] = [7, 8]
const users = new Map([ann, bob].map((id) => [id, User.parse({ id, username: `user ${id}`, scope: '/' })]))
const storage = memoryStorage()

async function scopeFor(id: number): Promise<Scope> {
  const user = users.get(id)
  if (user === undefined) throw new Failure('unauthenticated', 'gone')
  return scopeOf({ user, rules: [] }, storage)
}

/** Work that lasts until it is let go, entry by entry. */
function steadyKind() {
  const runs: Run<unknown>[] = []
  const cleared: string[] = []
  let step: (run: Run<unknown>) => Promise<void> = async () => {}
  const kind: Kind = {
    plan: async (_, request) => ({ plan: {}, count: 3, names: ['a'], ...(request.kind === 'delete' && {}) }),
    async run(run) {
      runs.push(run)
      await run.scope()
      while (run.cursor < 3) {
        await step(run)
        run.signal.throwIfAborted()
        run.cursor += 1
      }
    },
    async clear({ id }) {
      cleared.push(id)
    },
  }
  return {
    kind,
    runs,
    cleared,
    /** What happens in each step from now on. */
    steps(work: typeof step) {
      step = work
    },
  }
}

const until = async (isTrue: () => boolean | Promise<boolean>) => {
  while (!(await isTrue())) await Bun.sleep(1)
}

/** Until the go is interrupted. */
const forever = (run: Run<unknown>) => until(() => run.signal.aborted)

interface Process {
  readonly jobs: Jobs
  readonly node: Node
  readonly told: JobNews[]
  /** Whether no other process can have taken this one for dead. */
  isSure: boolean
}

const work = steadyKind()
const processes: Process[] = []
const handlers: [Process['node'], string, (value: unknown) => unknown][] = []
let now = 1000

function startProcess(): Process {
  const node = joinNodes(folder)
  const told: JobNews[] = []
  const siblings: Siblings = {
    ...noSiblings,
    ask: async (topic, value) => {
      const others = handlers.filter(([owner, name]) => owner !== node && name === topic)
      return others.map(([, , answer]) => answer(structuredClone(value))).filter((answer) => answer !== undefined)
    },
    answer: (topic, handler) => void handlers.push([node, topic, handler]),
  }
  const log = { info() {}, warn() {}, error() {} }
  const jobs = jobsIn({
    node: { ...node, isSure: () => made.isSure },
    ...{ db, siblings, log, scopeOf: scopeFor, clock: { unixSeconds: () => now } },
    changes: {} as Changes,
    kinds: { delete: work.kind, copy: work.kind },
    tell: (news) => told.push(news),
  })
  const made: Process = { jobs, node, told, isSure: true }
  processes.push(made)
  return made
}

/** As after SIGKILL: what it held is free, and nothing was put in order. */
async function crash({ node }: Process): Promise<void> {
  await node.leave()
  for (let index = handlers.length - 1; index >= 0; index -= 1)
    if (handlers[index]?.[0] === node) handlers.splice(index, 1)
}

let [one, two]: [Process, Process] = [startProcess(), startProcess()]
beforeEach(() => {
  work.steps(async () => {})
})
afterEach(async () => {
  work.steps(async () => {})
  for (const { jobs, node } of processes.splice(0)) {
    await jobs.close()
    await node.leave()
  }
  handlers.splice(0)
  await db.deleteFrom('job').execute()
  work.runs.splice(0)
  work.cleared.splice(0)
  one = startProcess()
  two = startProcess()
})

const request: JobRequest = { kind: 'delete', items: ['/a'] }
const stateOf = async (process: Process, id: string): Promise<JobState> =>
  (await process.jobs.find(await scopeFor(ann), id)).state
const untilState = (process: Process, id: string, state: JobState) =>
  until(async () => (await stateOf(process, id)) === state)

async function begin(process = one, owner = ann) {
  const before = work.runs.length
  const job = await process.jobs.start(await scopeFor(owner), request, 0)
  await until(() => work.runs.length > before)
  return { id: job.id, run: work.runs.at(-1) as Run<unknown> }
}

test('a process that does not run a job pauses, resumes and cancels it', async () => {
  work.steps(forever)
  const { id } = await begin()
  await two.jobs.change(await scopeFor(ann), id, { action: 'pause' })
  await until(() => work.runs[0]?.signal.aborted === true)
  expect([await stateOf(one, id), await stateOf(two, id)]).toEqual(['paused', 'paused'])
  await until(async () => (await rowOf(id)).node === null)
  await two.jobs.change(await scopeFor(ann), id, { action: 'resume' })
  await until(() => work.runs.length === 2)
  // The one that was asked has it now.
  expect((await rowOf(id)).node).toBe(two.node.id)
  await one.jobs.remove(await scopeFor(ann), id)
  await until(() => work.cleared.length === 1)
  await until(async () => (await rowOf(id)).node === null)
  expect([await stateOf(one, id), work.cleared]).toEqual(['cancelled', [id]])
})

const rowOf = (id: string) => db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a process tells the progress of a job that another one runs', async () => {
  work.steps(forever)
  const { id, run } = await begin()
  run.progress({ files: 2, bytes: 50, current: '/a/b.txt' })
  expect(await two.jobs.find(await scopeFor(ann), id)).toMatchObject({ done: { bytes: 50 }, current: '/a/b.txt' })
})

test('a job of a process that died goes on in another one, from where it was stored', async () => {
  work.steps(async (run) => (run.cursor === 2 ? forever(run) : undefined))
  const { id, run } = await begin()
  await until(async () => (await rowOf(id)).cursor === 2)
  await two.jobs.recover()
  expect(work.runs).toHaveLength(1)
  await crash(one)
  work.steps(async () => {})
  await two.jobs.recover()
  await untilState(two, id, 'done')
  expect(work.runs).toHaveLength(2)
  expect((work.runs[1] as Run<unknown>).cursor).toBe(3)
  // The first one finds out that it has lost the job, and writes nothing about it.
  run.cursor = 1
  await until(() => run.signal.aborted)
  expect((await rowOf(id)).cursor).toBe(3)
})

test('a process without its lease begins no further step of a job, and no other job, until it has it again', async () => {
  let steps = 0
  work.steps(async (run) => {
    if (run.cursor === 1) one.isSure = false
    await run.scope()
    steps += 1
  })
  const { id } = await begin()
  await until(async () => (await rowOf(id)).node === null)
  expect([(await rowOf(id)).state, steps]).toEqual(['queued', 1])
  await one.jobs.recover()
  expect([steps, (await rowOf(id)).node]).toEqual([1, null])
  work.steps(async () => {})
  one.isSure = true
  await untilState(one, id, 'done')
})

test('a job whose claim was made, but not answered, goes on; one that is at work is left alone', async () => {
  one.isSure = false
  const { id } = await one.jobs.start(await scopeFor(ann), request, 0)
  await db.updateTable('job').set({ state: 'running', node: one.node.id }).execute()
  one.isSure = true
  await two.jobs.recover()
  expect((await rowOf(id)).node).toBe(one.node.id)
  work.steps(forever)
  await one.jobs.recover()
  await until(() => work.runs.length === 1)
  await one.jobs.recover()
  expect([work.runs.length, (await rowOf(id)).node]).toEqual([1, one.node.id])
})

test('a job whose cancelling was stored, but not answered, is cleared up after', async () => {
  one.isSure = false
  const { id } = await one.jobs.start(await scopeFor(ann), request, 0)
  await db.updateTable('job').set({ state: 'cancelled', node: one.node.id }).execute()
  await one.jobs.recover()
  expect([await rowOf(id), work.cleared]).toMatchObject([{ state: 'cancelled', node: null }, [id]])
})

test('a job that meets a database that is away goes on when it is back', async () => {
  let isAway = true
  work.steps(async () => {
    if (isAway) throw new DatabaseRefusal('away', new Error('gone'))
  })
  const { id } = await one.jobs.start(await scopeFor(ann), request, 0)
  await until(async () => (await rowOf(id)).message !== null)
  expect((await rowOf(id)).state).not.toBe('failed')
  isAway = false
  await untilState(one, id, 'done')
  expect((await rowOf(id)).message).toBeNull()
})

test('a job that was cancelled when its process died is cleared up after by another one', async () => {
  work.steps(forever)
  const { id } = await begin()
  await crash(one)
  await two.jobs.remove(await scopeFor(ann), id)
  expect([await stateOf(two, id), work.cleared]).toEqual(['cancelled', []])
  await two.jobs.recover()
  expect(work.cleared).toEqual([id])
  await one.jobs.close()
})

test('a clean stop puts a job back for the next process, and one that is paused stays so', async () => {
  work.steps(forever)
  const { id } = await begin()
  const paused = await begin()
  await one.jobs.change(await scopeFor(ann), paused.id, { action: 'pause' })
  await one.jobs.close()
  expect(await rowOf(id)).toMatchObject({ state: 'queued', node: null })
  expect((await rowOf(paused.id)).state).toBe('paused')
  work.steps(async () => {})
  await two.jobs.recover()
  await untilState(two, id, 'done')
  expect(await stateOf(two, paused.id)).toBe('paused')
})

test('a job that is paused and resumed at once goes on', async () => {
  let mayEnd = false
  work.steps((run) => until(() => mayEnd || run.signal.aborted))
  const { id } = await begin()
  await Promise.all([
    one.jobs.change(await scopeFor(ann), id, { action: 'pause' }),
    one.jobs.change(await scopeFor(ann), id, { action: 'resume' }),
  ])
  if ((await stateOf(one, id)) === 'paused') await one.jobs.change(await scopeFor(ann), id, { action: 'resume' })
  mayEnd = true
  await untilState(one, id, 'done')
})

test('a job that is cancelled while it comes to rest is cleared up after', async () => {
  const resting = Promise.withResolvers<void>()
  work.steps(async (run) => {
    await forever(run)
    await resting.promise
  })
  const { id } = await begin()
  await one.jobs.change(await scopeFor(ann), id, { action: 'pause' })
  await one.jobs.change(await scopeFor(ann), id, { action: 'cancel' })
  resting.resolve()
  await until(() => work.cleared.includes(id))
  await until(async () => (await db.selectFrom('job').select('node').executeTakeFirst())?.node === null)
  expect(await stateOf(one, id)).toBe('cancelled')
})

test('a job that is taken off the list in the moment it is cancelled is cleared up after', async () => {
  work.steps(forever)
  const { id } = await begin()
  // As another request of the same moment wishes it.
  await db.updateTable('job').set({ state: 'cancelled' }).execute()
  await one.jobs.remove(await scopeFor(ann), id)
  expect([work.cleared, await db.selectFrom('job').select('id').execute()]).toEqual([[id], []])
})

test.each(['question', 'failure'])(
  'a job that is cancelled in the moment of its last %s stays cancelled',
  async (end) => {
    work.steps(async (run) => {
      const side = { isDir: false, size: 1, modified: '' }
      if (end === 'question') run.ask(0, { from: '/a', to: '/b', source: side, target: side })
      else run.failed(0, parsePath('/a'), new Failure('not-found', 'gone'))
      // As another process wishes it; this one has not looked yet.
      if (run.cursor === 2) await db.updateTable('job').set({ state: 'cancelled' }).execute()
    })
    const { id } = await begin()
    await until(() => work.cleared.includes(id))
    await until(async () => (await db.selectFrom('job').select('node').executeTakeFirst())?.node === null)
    expect(await stateOf(one, id)).toBe('cancelled')
  },
)

test('entries that failed are done again by retry, and no others', async () => {
  work.steps(async (run) => {
    if (run.cursor !== 1) return
    run.failed(1, parsePath('/b'), new Failure('locked', 'in use'))
  })
  const { id } = await begin()
  await untilState(one, id, 'failed')
  expect((await one.jobs.find(await scopeFor(ann), id)).failures).toMatchObject([{ path: '/b', code: 'locked' }])
  expect(await isKnownJob(db)(id)).toBe(true)
  await one.jobs.change(await scopeFor(ann), id, { action: 'retry' })
  await untilState(one, id, 'done')
  expect([...(work.runs[1] as Run<unknown>).again]).toEqual([1])
  expect(await isKnownJob(db)(id)).toBe(false)
})

test('entries that failed are not done again when the job goes on after a crash', async () => {
  work.steps(async (run) => {
    if (run.cursor === 0) run.failed(0, parsePath('/a'), new Failure('changed-meanwhile', 'another one'))
    else await forever(run)
  })
  const { id } = await begin()
  await until(async () => (await rowOf(id)).notes.includes('changed-meanwhile'))
  await crash(one)
  work.steps(async () => {})
  await two.jobs.recover()
  await untilState(two, id, 'failed')
  expect([...(work.runs[1] as Run<unknown>).again]).toEqual([])
})

test('an answer that comes while the job ends is not lost', async () => {
  const side = { isDir: false, size: 1, modified: '' }
  work.steps(async (run) => {
    if (run.cursor > 0) return
    run.ask(0, { from: '/a', to: '/b', source: side, target: side })
  })
  const { id } = await begin()
  await untilState(one, id, 'asking')
  await one.jobs.change(await scopeFor(ann), id, { choices: { '/b': 'replace' } })
  await untilState(one, id, 'done')
  expect([...(work.runs[1] as Run<unknown>).again]).toEqual([0])
  expect((work.runs[1] as Run<unknown>).choice(parsePath('/b'))).toBe('replace')
})

test('nothing is told of a job that is done within its request; of others each state is', async () => {
  await one.jobs.start(await scopeFor(ann), request, 10_000)
  expect(one.told).toEqual([])
  work.steps(forever)
  const { id } = await begin()
  await one.jobs.remove(await scopeFor(ann), id)
  await untilState(one, id, 'cancelled')
  await until(() => one.told.some(({ job }) => job?.state === 'cancelled'))
  await until(async () => (await rowOf(id)).node === null)
  await one.jobs.remove(await scopeFor(ann), id)
  expect(one.told.map(({ job, userId }) => [job?.state, userId])).toContainEqual(['running', ann])
  expect(one.told.at(-1)).toEqual({ id, userId: ann })
})

test('jobs that are over are kept for seven days, a hundred of an account', async () => {
  const before = now
  const { jobs } = one
  let mayEnd = false
  work.steps((run) => until(() => mayEnd || run.signal.aborted))
  for (const owner of [...Array<number>(103).fill(ann), bob]) await jobs.start(await scopeFor(owner), request, 0)
  mayEnd = true
  await until(async () => (await jobs.list(undefined)).every(({ state }) => state === 'done'))
  expect(await jobs.list(undefined)).toHaveLength(104)
  await jobs.recover()
  expect([(await jobs.list(ann)).length, (await jobs.list(bob)).length]).toEqual([100, 1])
  now += 7 * 86_400 + 1
  await jobs.recover()
  expect([(await jobs.list(ann)).length, (await jobs.list(bob)).length]).toEqual([0, 0])
  now = before
})

test('a request that two processes are sent at once begins one job', async () => {
  const [scope, asked] = [await scopeFor(ann), { ...request, id: 'an-id-of-the-sender' }]
  const both = await Promise.all([one, two].map(({ jobs }) => jobs.start(scope, asked, 0)))
  expect(both[0]?.id).toBe(both[1]?.id as string)
})

test('answers about single names do not add up without an end', async () => {
  work.steps(forever)
  const { id } = await begin()
  const answer = async (start: number) => {
    const names = Array.from({ length: 10_000 }, (_, at) => [`/${start + at}`, 'skip'] as const)
    await one.jobs.change(await scopeFor(ann), id, { choices: Object.fromEntries(names) })
  }
  for (const start of [0, 10_000, 0]) await answer(start)
  expect(await answer(20_000).catch((error) => error.code)).toBe('invalid')
})

test('the jobs of an account that is gone are forgotten', async () => {
  work.steps(forever)
  const { id } = await begin()
  const user = users.get(ann) as User
  users.delete(ann)
  await until(() => work.runs[0]?.signal.aborted === true)
  await until(async () => (await rowOf(id)).state === 'failed')
  await one.jobs.recover()
  expect(await db.selectFrom('job').selectAll().execute()).toEqual([])
  users.set(ann, user)
})
