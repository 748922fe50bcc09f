import { afterEach, expect, test } from 'bun:test'
import type { Job, JobState } from '@filestead/contract'

const storage = { getItem: () => null, setItem() {}, removeItem() {} }
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
Object.assign(globalThis, {
  window: new EventTarget(),
  document: page,
  localStorage: storage,
  sessionStorage: storage,
})
const { endScope } = await import('../../state/session-scope.ts')
const { jobs, noteJob } = await import('./jobs.ts')
const { pollJobs } = await import('./poll-jobs.ts')

let state: JobState = 'running'
let count = 0
globalThis.fetch = Object.assign(
  async () => {
    count += 1
    return Response.json([jobIn(state)])
  },
  { preconnect: () => {} },
)

const jobIn = (state: JobState): Job => ({
  ...{ id: '1', kind: 'copy', state, names: [], count: 1, finished: 0, done: { files: 0, bytes: 0 } },
  ...{ failures: [], conflicts: [], renamed: [], skipped: 0, createdAt: 1 },
})

const times = { busy: 5, idle: 100_000 }
let over = new AbortController()
afterEach(() => {
  over.abort()
  endScope('cut-off')
  count = 0
})

function poll() {
  over = new AbortController()
  let reads = 0
  const polling = pollJobs(over.signal, () => (reads += 1), times)
  return { ...polling, reads: () => reads }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}

test('without a connection jobs are read at short intervals until they are over', async () => {
  state = 'running'
  const { reads } = poll()
  await until(() => reads() >= 3)
  state = 'done'
  await until(() => jobs.get()?.[0]?.state === 'done')
  const before = count
  await Bun.sleep(times.busy * 5)
  expect(count).toBe(before)
})

test('with a connection nothing is read, until it is lost', async () => {
  state = 'running'
  const { setConnected, reads } = poll()
  setConnected(true)
  await Bun.sleep(times.busy * 5)
  expect(count).toBe(0)
  setConnected(false)
  await until(() => reads() >= 1)
})

test('a job that is begun while nothing was going on is followed at once', async () => {
  state = 'done'
  const { reads } = poll()
  await until(() => reads() === 1)
  state = 'running'
  noteJob({ ...jobIn('running'), id: '2', createdAt: 2 }, performance.now())
  await until(() => reads() >= 2)
})
