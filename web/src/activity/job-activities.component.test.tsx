import { beforeEach, expect, mock, test } from 'bun:test'
import type { Job } from '@filestead/contract'
import { act, cleanup, fireEvent, render, screen } from '../component-dom.ts'
import '../i18n/i18n.ts'
import { dropJob, jobs, noteJobs, tellJob } from '../server/live/jobs.ts'
import { cache } from '../server/queries/cache.ts'
import { endScope } from '../state/session-scope.ts'
import { shownToasts } from '../ui/toasts.ts'
import { ActivityCentre, loadTray } from './ActivityCentre.tsx'
import { listJobs } from './job-activities.ts'

const job = (id: string, more: Partial<Job> = {}): Job => ({
  id,
  kind: 'delete',
  state: 'running',
  names: [id],
  count: 1,
  finished: 0,
  done: { files: 0, bytes: 0 },
  failures: [],
  conflicts: [],
  renamed: [],
  skipped: 0,
  createdAt: 100,
  ...more,
})

const ended = (id: string, state: Job['state'], took: number): Job => job(id, { state, endedAt: 100 + took })

/** What the eye reads in each row. */
const rows = () => screen.queryAllByRole('listitem').map((row) => row.textContent)
const titles = () => rows().map((text) => /^(?:Deleting|Deleted) \w+?(?=\d|Waiting|Paused|You|$)/.exec(text ?? '')?.[0])

let now = 0

beforeEach(async () => {
  await loadTray()
  localStorage.clear()
  endScope('cut-off')
  now = 1000
  performance.now = () => now
  await act(async () => void render(<ActivityCentre />))
})

/** The list that the page begins with. */
const begin = (...known: Job[]) =>
  act(async () => {
    noteJobs(known, 0)
    listJobs()
  })

const tell = (told: Job) => act(async () => tellJob(told))

test('jobs under way are in the tray of a page that begins, and what has ended long before is not', async () => {
  await begin(job('here'), ended('quick', 'done', 2), ended('cancelled', 'cancelled', 60))
  expect(titles()).toEqual(['Deleting here'])
})

test('a job that took long stays when it is over, until it is off the list', async () => {
  await begin(job('long'), job('quick'), job('given'))
  await tell(ended('long', 'done', 30))
  await tell(ended('quick', 'done', 2))
  await tell(ended('given', 'cancelled', 30))
  expect(titles()).toEqual(['Deleted long'])
  await act(async () => dropJob('long'))
  expect(rows()).toEqual([])
})

test('the numbers of the disk are asked for again when a job ends that another device has begun', async () => {
  await begin(job('here'))
  cache().setQueryData(['usage', '/'], { used: 1 })
  await tell(ended('here', 'done', 2))
  expect(cache().getQueryState(['usage', '/'])?.isInvalidated).toBe(true)
})

test('what went well is not shown again by the next page, and what failed is', async () => {
  await begin(job('well'), job('bad'))
  await tell(ended('well', 'done', 30))
  await tell(ended('bad', 'failed', 30))
  expect(titles()).toEqual(['Deleting bad', 'Deleted well'])
  cleanup()
  endScope('cut-off')
  await act(async () => void render(<ActivityCentre />))
  await begin(ended('well', 'done', 30), ended('bad', 'failed', 30))
  expect(titles()).toEqual(['Deleting bad'])
})

test('a job that begins later is shown once it has lasted half a second', async () => {
  await begin()
  await tell(job('new'))
  expect(rows()).toEqual([])
  now += 600
  await tell(job('new', { finished: 0, done: { files: 1, bytes: 0 } }))
  expect(titles()).toEqual(['Deleting new'])
})

const conflict = { isDir: false, size: 1, modified: '2026-01-01T00:00:00Z' }
const conflicts = [{ from: '/a', to: '/b', source: conflict, target: conflict }]

test('of many questions the latest is told beside the tray, which has them all', async () => {
  await begin(...['one', 'two', 'three'].map((id) => job(id, { state: 'asking', conflicts })))
  expect(rows()).toHaveLength(3)
  expect(shownToasts()).toHaveLength(1)
  await tell(job('four', { state: 'asking', conflicts }))
  expect(shownToasts().map(({ text }) => text)).toEqual(['Deleting four: a name is taken'])
  await tell(job('four'))
  expect(shownToasts()).toEqual([])
})

test('what waits for the person comes first, and what is over last; all that is over is closed at once', async () => {
  await begin(
    ended('one', 'failed', 30),
    ended('two', 'failed', 30),
    job('running'),
    job('asking', { state: 'asking', conflicts }),
  )
  const order = screen.getAllByRole('listitem').map((row) => row.getAttribute('data-state'))
  expect(order).toEqual(['asking', 'running', 'failed', 'failed'])
  const fetching = mock(async () => new Response(null, { status: 204 }))
  globalThis.fetch = fetching as unknown as typeof fetch
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Dismiss finished' })))
  expect(
    jobs
      .get()
      ?.map(({ id }) => id)
      .toSorted(),
  ).toEqual(['asking', 'running'])
  expect(fetching).toHaveBeenCalledTimes(2)
})
