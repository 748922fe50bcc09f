import { beforeEach, expect, mock, test } from 'bun:test'
import type { Job } from '@filestead/contract'
import { act, fireEvent, render, screen, within } from '../component-dom.ts'
import '../i18n/i18n.ts'
import type { Activity } from './activities.ts'
import { provideAnswers } from './answers.ts'
import { JobRow } from './JobRow.tsx'
import { notices } from './notices.ts'

const job = (more: Partial<Job> = {}): Job => ({
  id: 'one',
  kind: 'copy',
  state: 'running',
  names: ['Photos', 'b.txt', 'c.txt'],
  count: 3,
  from: '/',
  to: '/Box',
  finished: 1,
  done: { files: 1234, bytes: 3.25 * 2 ** 30 },
  total: { files: 20_000, bytes: 20 * 2 ** 30 },
  rate: 120 * 2 ** 20,
  secondsLeft: 119,
  current: '/Photos/2024/lake.jpg',
  failures: [],
  conflicts: [],
  renamed: [],
  skipped: 0,
  createdAt: 100,
  ...more,
})

const conflict = {
  from: '/a.txt',
  to: '/Box/a.txt',
  source: { isDir: false, size: 1, modified: '2026-01-01T00:00:00Z' },
  target: { isDir: false, size: 2, modified: '2026-01-01T00:00:00Z' },
}

const controls = () => ({
  pause: mock(() => {}),
  resume: mock(() => {}),
  cancel: mock(() => {}),
  retry: mock(() => {}),
  show: mock(() => {}),
})

function show(shown: Job) {
  const own = controls()
  const activity = { kind: shown.kind, ...own } as unknown as Activity
  render(<JobRow activity={activity} job={shown} />)
  return own
}

const item = () => screen.getByRole('listitem', { name: 'Copying 3 items' })
const click = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))

beforeEach(() => notices.set('none'))

test('a job under way says how much of all is done, how fast, how long still, and at which file it is', () => {
  show(job())
  expect(item().textContent).toContain('Copying 3 items to Box')
  expect(item().textContent).toContain('1,234 of 20,000 items · 2 min left')
  expect(item().textContent).toContain('3.25 GiB of 20 GiB · 120 MiB/s')
  expect(item().textContent).toContain('lake.jpg')
  const bar = within(item()).getByRole('progressbar')
  expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual(['16', '1,234 of 20,000'])
})

test('small files move the bar, too, and "0 seconds left" is nothing to tell', () => {
  show(job({ done: { files: 6000, bytes: 0 }, total: { files: 6001, bytes: 700 * 2 ** 20 }, secondsLeft: 0 }))
  expect(within(item()).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('35')
  expect(item().textContent).not.toContain('left')
})

test('of one file the bytes are told, and not that it is one', () => {
  show(job({ count: 1, names: ['film.mkv'], total: { files: 1, bytes: 2 ** 30 }, done: { files: 0, bytes: 2 ** 29 } }))
  const { textContent } = screen.getByRole('listitem', { name: 'Copying 1 item' })
  expect(textContent).toContain('Copying film.mkv to Box')
  expect(textContent).toContain('512 MiB of 1 GiB · 2 min left')
  expect(textContent).not.toContain('of 1 item')
})

test('until all is counted, the entries that were chosen are', () => {
  const { total: _, secondsLeft: __, ...uncounted } = job()
  show(uncounted)
  expect(within(item()).getByRole('progressbar').getAttribute('aria-valuetext')).toBe('1 of 3')
  expect(item().textContent).toContain('1 of 3 items')
})

test('a job is paused, resumed, shown and stopped by its buttons, whose names stay the same', async () => {
  const running = show(job())
  const pause = screen.getByRole('button', { name: 'Pause Copying 3 items' })
  expect(pause.getAttribute('aria-pressed')).toBe('false')
  for (const name of ['Pause Copying 3 items', 'Show Copying 3 items', 'Stop Copying 3 items']) await click(name)
  expect([running.pause, running.show, running.cancel].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1])
})

test('a paused job is resumed by the same button', async () => {
  const paused = show(job({ state: 'paused' }))
  expect(item().textContent).toContain('Paused')
  const button = screen.getByRole('button', { name: 'Pause Copying 3 items' })
  expect(button.getAttribute('aria-pressed')).toBe('true')
  await click('Pause Copying 3 items')
  expect([paused.resume.mock.calls.length, paused.pause.mock.calls.length]).toEqual([1, 0])
})

test('what keeps a job from going on is said in a sentence', () => {
  show(job({ problem: { code: 'unavailable', message: 'x' } }))
  expect(item().textContent).toContain('The disk does not answer. This goes on when it does.')
  expect(item().textContent).not.toContain('min left')
})

test('a job that failed says why, and can be tried again or closed', async () => {
  const failed = show(job({ state: 'failed', problem: { code: 'no-space', message: 'x' }, endedAt: 200 }))
  expect(item().textContent).toContain('There is not enough space left on the server')
  expect(screen.queryByRole('button', { name: 'Stop Copying 3 items' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Dismiss Copying 3 items' })).toBeTruthy()
  await click('Try again: Copying 3 items')
  expect(failed.retry).toHaveBeenCalledTimes(1)
})

test('entries that could not be done are named', () => {
  const failures = ['/a.txt', '/b.txt', '/c.txt'].map((path) => ({ path, code: 'forbidden', message: 'x' }))
  show(job({ state: 'failed', failures, endedAt: 200 }))
  expect(item().textContent).toContain('Could not copy a.txt and 2 more: You are not allowed to do this')
})

test('a job that asks offers the answer', async () => {
  const asked = mock(async (_: Job) => {})
  provideAnswers(asked)
  show(job({ state: 'asking', conflicts: [conflict] }))
  expect(item().textContent).toContain('1 name is taken')
  await click('Answer: Copying 3 items')
  expect(asked.mock.calls[0]?.[0].conflicts).toEqual([conflict])
})

test('a job that is done says what was done, and what was left out', () => {
  show(job({ state: 'done', skipped: 2, endedAt: 200, done: { files: 20_000, bytes: 20 * 2 ** 30 } }))
  expect(item().textContent).toContain('Copied 3 items to Box')
  expect(item().textContent).toContain('20,000 items · 20 GiB · 2 skipped')
  expect(within(item()).queryByRole('progressbar')).toBeNull()
})

test('a notice is offered for what lasts, where it can be had and was not asked for before', async () => {
  notices.set('unasked')
  show(job())
  expect(screen.getByRole('button', { name: 'Tell me when it is done' })).toBeTruthy()
  await act(async () => notices.set('none'))
  expect(screen.queryByRole('button', { name: 'Tell me when it is done' })).toBeNull()
})

test('a notice is not offered for what is over in a moment', () => {
  notices.set('unasked')
  show(job({ secondsLeft: 5 }))
  expect(screen.queryByRole('button', { name: 'Tell me when it is done' })).toBeNull()
})

test('an administrator is told whose job it is', () => {
  show(job({ owner: { id: 2, name: 'Ada' } }))
  expect(screen.getByRole('listitem', { name: 'Copying 3 items · Ada' })).toBeTruthy()
})

test('a job that is done names what the storage cannot have', () => {
  const leftOut = { count: 3, paths: ['/Photos/link', '/Photos/in/pipe', '/Photos/other'] }
  show(job({ state: 'done', leftOut }))
  expect(item().textContent?.replace(/[\u2066-\u2069]/g, '')).toContain('Left out: link and 2 more')
})
