import type { Locator, Page } from '@playwright/test'
import { hold } from './slow-line.ts'

/** Copies, moves and deletions wait on their way to the server, until they are let go. */
export const holdJobs = (page: Page) => hold(page, '**/api/jobs', 'POST')

/** The row of a job in the tray, by its name, such as "Copying 3 items". */
export const jobRow = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('region', { name: 'Activity' }).getByRole('listitem', { name })

/** The server does all of the next job but for one entry. */
export async function refuseOne(page: Page, path: string): Promise<void> {
  let isDone = false
  await page.route('**/api/jobs', async (route) => {
    // The page also asks which jobs there are.
    if (isDone || route.request().method() !== 'POST') return route.fallback()
    isDone = true
    const request = route.request().postDataJSON()
    const isRefused = (item: string | { from: string }) => (typeof item === 'string' ? item : item.from) === path
    const items = request.items.filter((item: string | { from: string }) => !isRefused(item))
    const response = await route.fetch({ postData: JSON.stringify({ ...request, items }) })
    const failures = [{ path, code: 'forbidden', message: '403 Forbidden' }]
    const json = { ...(await response.json()), count: request.items.length, state: 'failed', failures }
    await route.fulfill({ status: 200, json })
  })
}

/** A job as the server would tell of it, for what a real one is too fast for. */
export interface ToldJob {
  readonly id: string
  readonly kind: string
  state: string
  names: string[]
  count: number
  finished: number
  done: { files: number; bytes: number }
  total?: { files: number; bytes: number }
  [more: string]: unknown
}

/** Jobs are told by this test: the first one that is begun becomes `job`, and PATCH does with it what `change` says. */
export async function tellJob(page: Page, job: ToldJob, change: (action: string) => Partial<ToldJob>): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const whole = { failures: [], conflicts: [], renamed: [], skipped: 0, createdAt: now, startedAt: now, ...job }
  let isBegun = false
  await page.route('**/api/events*', (route) => route.abort())
  await page.route('**/api/jobs', (route) => {
    if (route.request().method() !== 'POST') return route.fulfill({ json: isBegun ? [whole] : [] })
    isBegun = true
    return route.fulfill({ status: 202, json: whole })
  })
  await page.route('**/api/jobs/*', (route) => {
    if (route.request().method() === 'PATCH') Object.assign(whole, change(route.request().postDataJSON().action))
    return route.fulfill({ json: whole })
  })
}
