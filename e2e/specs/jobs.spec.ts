import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { treeOf } from '../disk.ts'
import { jobRow } from '../jobs.ts'
import { manyFiles } from '../many-files.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { toast } from '../toast.ts'

/** As many files as a server is busy with for a while. */
const many = 30_000

const files = manyFiles(many, '%g.txt')

const countIn = (product: Product, folder: string): number =>
  existsSync(join(product.root, folder)) ? readdirSync(join(product.root, folder)).length : 0

async function transfer(page: Page, how: 'Copy' | 'Move', to: string, ...names: string[]): Promise<void> {
  await choose(page, ...names)
  await act(page, `${how} file`)
  await page.getByRole('listbox', { name: 'Folders' }).getByRole('option', { name: to, exact: true }).click()
  await page.getByRole('dialog', { name: how }).getByRole('button', { name: how, exact: true }).click()
}

/** Begins a copy that lasts. */
async function beginCopy(page: Page, product: Product): Promise<void> {
  await product.put({ 'Box/': '', 'letter.txt': 'Dear reader' })
  files.lend(product, 'Large')
  await product.signIn(page)
  await transfer(page, 'Copy', 'Box', 'Large')
  await page
    .getByRole('dialog', { name: 'Copying 1 item' })
    .getByRole('button', { name: 'Continue in background' })
    .click()
}

async function pausedCopy(page: Page, product: Product): Promise<void> {
  await beginCopy(page, product)
  // What is to be copied is counted meanwhile, and a pause holds that up, too.
  await expect(copying(page)).toContainText(/of 30,\d{3} items/)
  await pause(page).click()
  await expect(copying(page)).toHaveAttribute('data-state', 'paused')
}

const copying = (page: Page) => jobRow(page, 'Copying 1 item')
const pause = (page: Page) => copying(page).getByRole('button', { name: 'Pause Copying 1 item' })

/** The pages of other tests would tell of them. A job that is under way is cancelled, and is over a moment later. */
async function forgetJobs(product: Product): Promise<void> {
  await expect(async () => {
    const jobs = (await (await callApi(product, 'GET', 'jobs')).json()) as { id: string }[]
    for (const { id } of jobs) await callApi(product, 'DELETE', `jobs/${id}`).catch(() => {})
    expect(jobs).toEqual([])
  }).toPass({ timeout: 30_000 })
}

test.beforeEach(({ product }) => forgetJobs(product))
test.afterEach(async ({ product }) => {
  await forgetJobs(product)
  for (const folder of ['Large', 'guests/Large']) files.takeBack(product, folder)
})

test('a copy that lasts shows how far it is, is paused, survives a reload and is seen elsewhere, and goes on', async ({
  page,
  product,
  browser,
}) => {
  await pausedCopy(page, product)
  await expect(pause(page)).toHaveAttribute('aria-pressed', 'true')
  await expect(copying(page)).toContainText('Copying Large to Box')
  expect(countIn(product, 'Box/Large')).toBe(0)

  // No question: the server has it.
  await page.reload()
  await expect(copying(page)).toContainText('Paused')
  await expect(copying(page)).toContainText(/of 30,\d{3} items/)
  const elsewhere = await browser.newContext()
  const other = await elsewhere.newPage()
  await product.signIn(other)
  await expect(copying(other)).toContainText('Paused')

  await pause(other).click()
  await expect(copying(page)).not.toHaveAttribute('data-state', 'paused')
  await expect.poll(() => countIn(product, 'Box/Large'), { timeout: 60_000 }).toBe(many)
  await expect(copying(page).getByRole('button', { name: 'Stop Copying 1 item' })).toHaveCount(0)
  await elsewhere.close()
})

test('a copy that is stopped says so, and what it came from is whole', async ({ page, product }) => {
  await pausedCopy(page, product)
  await copying(page).getByRole('button', { name: 'Stop Copying 1 item' }).click()
  await expect(copying(page)).toHaveCount(0)
  await expect(toast(page, 'Stopped. 1 item was left as it is.')).toBeVisible()
  expect(countIn(product, 'Large')).toBe(many)
  // Nothing hidden is left behind.
  await expect.poll(() => readdirSync(join(product.root, 'Box')).filter((name) => name.startsWith('.'))).toEqual([])
})

test('a phone shows the number of jobs on its button, and unfolds them', async ({ page, product }) => {
  await page.setViewportSize(phone)
  await beginCopy(page, product)
  const toggle = page.getByRole('button', { name: 'Toggle activity list' })
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(copying(page)).toHaveCount(0)
  await page.keyboard.press('Escape')
  const activity = page.getByRole('button', { name: 'Activity', exact: true })
  await expect(activity).toHaveAccessibleDescription('1')
  await activity.click()
  await pause(page).click()
  await expect(copying(page)).toHaveAttribute('data-state', 'paused')
  expect(await findBarriersInBothThemes(page, '[data-activity-tray]')).toEqual([])
  await copying(page).getByRole('button', { name: 'Stop Copying 1 item' }).click()
  await expect(toggle).toHaveCount(0)
})

test('on a phone many jobs and many uploads unfold each by their own button, and both buttons stay on the screen', async ({
  page,
  product,
}) => {
  await page.setViewportSize(phone)
  await product.put({ 'letter.txt': 'Dear reader', 'taken.txt': '' })
  const items = [{ from: '/letter.txt', to: '/taken.txt' }]
  for (let count = 0; count < 12; count += 1) await callApi(product, 'POST', 'jobs', { kind: 'copy', items })
  await product.signIn(page)
  const small = Array.from({ length: 30 }, (_, index) => ({
    name: `${index}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from('x'),
  }))
  await page.setInputFiles('#upload-input', small)
  await expect(page.getByRole('heading', { name: 'Uploads finished' })).toBeVisible()
  const ofJobs = page.getByRole('button', { name: 'Toggle activity list' })
  const ofUploads = page.getByRole('button', { name: 'Toggle file upload list' })
  const uploads = page.getByRole('list', { name: 'Upload list' })
  await ofJobs.click()
  await expect(copying(page).first()).toBeVisible()
  await expect(uploads).toHaveCount(0)
  await ofUploads.click()
  await expect(uploads).toBeVisible()
  await expect(copying(page).first()).toBeVisible()
  for (const toggle of [ofJobs, ofUploads]) await expect(toggle).toBeInViewport({ ratio: 1 })
  await ofJobs.click()
  await expect(copying(page)).toHaveCount(0)
  await expect(uploads).toBeVisible()
  await ofUploads.click()
  await expect(ofUploads).toHaveAttribute('aria-expanded', 'false')
})

test('Show leads to where a job puts things', async ({ page, product }) => {
  await pausedCopy(page, product)
  await copying(page).getByRole('button', { name: 'Show Copying 1 item' }).click()
  await expect(page).toHaveURL(/\/files\/Box\/$/)
  await copying(page).getByRole('button', { name: 'Stop Copying 1 item' }).click()
})

test('an administrator sees the jobs of all accounts, and whose they are', async ({ page, product, browser }) => {
  await product.put({ 'guests/Box/': '' })
  files.lend(product, 'guests/Large')
  await addUser(product, 'visitor', 'a seat by the fire', { scope: '/guests' })
  const elsewhere = await browser.newContext()
  const other = await elsewhere.newPage()
  await signInAs(other, product, 'visitor', 'a seat by the fire')
  await transfer(other, 'Copy', 'Box', 'Large')
  await other.getByRole('button', { name: 'Continue in background' }).click()
  await pause(other).click()
  await expect(copying(other)).toHaveAttribute('data-state', 'paused')

  await product.signIn(page)
  await expect(page.getByRole('region', { name: 'Activity' })).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox').fill('Jobs of all')
  await page.getByRole('option', { name: 'Jobs of all accounts' }).click()
  const all = page.getByRole('region', { name: 'Jobs of all accounts' })
  const theirs = all.getByRole('listitem', { name: 'Copying 1 item · visitor' })
  await expect(theirs).toContainText('Paused')
  await theirs.getByRole('button', { name: /^Stop/ }).click()
  await expect(all).toContainText('Nothing is under way')
  await expect(copying(other)).toHaveCount(0)
  await all.getByRole('button', { name: 'Dismiss jobs of all accounts' }).click()
  await expect(all).toHaveCount(0)
  await elsewhere.close()
})

const first = (page: Page) => page.getByRole('dialog', { name: 'Replace or skip files' })
const second = (page: Page) => page.getByRole('dialog', { name: 'Which files do you want to keep?' })
const group = (page: Page, path: string) => second(page).getByRole('radiogroup', { name: path, exact: true })

test('what lies in folders that are put together is asked about before anything is copied, file by file', async ({
  page,
  product,
}) => {
  await product.put({
    'Box/dir/a.txt': 'old a',
    'Box/dir/b.txt': 'old b',
    'Box/dir/kept.txt': 'kept',
    'Box/dir/twin.txt': 'twin',
    'dir/a.txt': 'new a!',
    'dir/b.txt': 'new b!',
    'dir/c.txt': 'c',
    'dir/twin.txt': 'twin',
  })
  const day = new Date('2026-03-02')
  for (const path of ['dir/twin.txt', 'Box/dir/twin.txt']) await utimes(join(product.root, path), day, day)
  await product.signIn(page)
  await transfer(page, 'Copy', 'Box', 'dir')
  await expect(first(page)).toContainText('1 identical file is skipped.')
  await first(page).getByRole('button', { name: 'Decide for each conflicting file' }).click()
  await expect(group(page, 'dir').getByRole('radio', { name: 'Replace' })).toBeChecked()
  await expect(group(page, 'dir/a.txt').getByRole('radio', { name: 'Replace' })).not.toBeChecked()
  // What lies in a folder that is left out is not asked about.
  await group(page, 'dir').getByRole('radio', { name: 'Skip' }).check()
  await expect(group(page, 'dir/a.txt')).toHaveCount(0)
  await group(page, 'dir').getByRole('radio', { name: 'Replace' }).check()
  await group(page, 'dir/a.txt').getByRole('radio', { name: 'Replace' }).check()
  await group(page, 'dir/b.txt').getByRole('radio', { name: 'Keep both' }).check()
  await expect(group(page, 'dir/twin.txt')).toHaveCount(0)
  await second(page).getByRole('button', { name: 'OK' }).click()
  await expect(toast(page, 'Copied dir to Box')).toBeVisible()
  await expect
    .poll(() => treeOf(join(product.root, 'Box')))
    .toEqual({
      'dir/': '',
      'dir/a.txt': 'new a!',
      'dir/b.txt': 'old b',
      'dir/b(1).txt': 'new b!',
      'dir/c.txt': 'c',
      'dir/kept.txt': 'kept',
      'dir/twin.txt': 'twin',
    })
})

test('only what is newer replaces what is there, also in folders', async ({ page, product }) => {
  await product.put({
    'Box/dir/new.txt': 'older',
    'Box/dir/old.txt': 'newer',
    'Box/top.txt': 'newer',
    'dir/new.txt': 'newest',
    'dir/old.txt': 'oldest',
    'top.txt': 'oldest',
  })
  const date = (path: string, time: string) => utimes(join(product.root, path), new Date(time), new Date(time))
  for (const path of ['Box/dir/new.txt', 'dir/old.txt', 'top.txt']) await date(path, '2025-01-01')
  for (const path of ['dir/new.txt', 'Box/dir/old.txt', 'Box/top.txt']) await date(path, '2026-03-02')
  await product.signIn(page)
  await transfer(page, 'Copy', 'Box', 'dir', 'top.txt')
  await first(page).getByRole('button', { name: 'Replace only older files' }).click()
  await expect(toast(page, /^Copied/)).toBeVisible()
  await expect
    .poll(() => treeOf(join(product.root, 'Box')))
    .toEqual({
      'dir/': '',
      'dir/new.txt': 'newest',
      'dir/old.txt': 'newer',
      'top.txt': 'newer',
    })
})

test('a name that is taken while a job is under way is asked about in the tray, and the job ends with the answer', async ({
  page,
  product,
}) => {
  await pausedCopy(page, product)
  // The job has not published anything yet.
  execFileSync('sh', ['-c', 'mkdir -p "$1" && echo mine > "$1/1.txt"', 'sh', join(product.root, 'Box/Large')])
  await pause(page).click()
  await expect(copying(page)).toContainText('1 name is taken', { timeout: 60_000 })
  await copying(page).getByRole('button', { name: 'Answer: Copying 1 item' }).click()
  await first(page).getByRole('button', { name: 'Skip all conflicting files' }).click()
  await expect.poll(() => countIn(product, 'Box/Large'), { timeout: 60_000 }).toBe(many)
  expect(treeOf(join(product.root, 'Box/Large'))['1.txt']).toBe('mine\n')
})
