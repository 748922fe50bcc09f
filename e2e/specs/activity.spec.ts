import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { jobRow, tellJob } from '../jobs.ts'
import { row } from '../listing.ts'
import { expect, launch, type Product, test } from '../product.ts'
import { startProxy } from '../proxy.ts'
import { picture } from '../samples/picture.ts'
import { toast } from '../toast.ts'
import {
  bigFile,
  carriesBytes,
  dragIn,
  finished,
  holdUploads,
  job,
  large,
  medium,
  sha256,
  sha256Of,
  textFile,
  tray,
} from '../uploads.ts'

const activities = (page: Page) => page.getByRole('region', { name: 'Activity' })

for (const [sent, { size, address, requests }] of Object.entries({
  alone: { size: medium, address: '/api/tus/', requests: 20 },
  together: { size: 10, address: '/api/uploads', requests: 1 },
}))
  test(`uploads sent ${sent} wait through an outage of the server, none fails, and a selection made meanwhile stays`, async ({
    page,
    product,
  }) => {
    await product.put({ 'Photos/': '' })
    let left = requests
    const proxy = await startProxy(product.url, ({ path }) => {
      if (!path.startsWith(address)) return null
      left -= 1
      if (left === 0) proxy.goDown()
      return null
    })
    await openAt(page, product, proxy.url)
    await row(page, 'Photos').click()
    const names = Array.from({ length: 60 }, (_, index) => `${String(index).padStart(2, '0')}.txt`)
    await page.setInputFiles(
      '#upload-input',
      names.map((name) => bigFile(name, size)),
    )

    await expect(tray(page).getByText('Waiting for the server…').first()).toBeVisible()
    await expect(tray(page).getByRole('heading', { name: /^Uploading \d+ files$/ })).toBeVisible()
    await proxy.comeBack()

    await expect(finished(page)).toBeVisible()
    await expect(tray(page).getByText('60 files', { exact: true })).toBeVisible()
    expect((await readdir(product.root)).filter((name) => !name.startsWith('.')).sort()).toEqual([...names, 'Photos'])
    await expect(row(page, '00.txt')).toBeVisible()
    await expect(row(page, 'Photos')).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('row', { selected: true })).toHaveCount(1)
    proxy.goDown()
  })

test('a proxy that lets only GET and POST through, 64 kB at a time, lets files of any size arrive', async ({
  page,
  product,
}) => {
  await product.put({})
  const passed = new Set<string>()
  const proxy = await startProxy(product.url, ({ method, path, size }) => {
    if (!['GET', 'POST'].includes(method)) return 405
    if (size > 64_000) return 413
    if (path.startsWith('/api/tus/')) passed.add(method)
    return null
  })
  const film = bigFile('film.bin', 500_000)
  await openAt(page, product, proxy.url)
  await page.setInputFiles('#upload-input', [film, textFile('a.txt', 'small')])
  await expect(finished(page)).toBeVisible()
  await expect(tray(page).getByText('2 files', { exact: true })).toBeVisible()
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(film.buffer))
  expect([...passed]).toEqual(['POST'])
  proxy.goDown()
})

test('uploads can be paused, retried all at once, seen over a viewer, and shown where they are', async ({
  page,
  product,
}) => {
  await product.put({ 'Photos/lake.png': picture(40, 30), 'letter.txt': 'Dear reader' })
  await product.signIn(page, 'files/Photos/')
  await page.route('**/api/tus/Photos/bad*', (route) => route.fulfill({ status: 403, body: '403 Forbidden' }))
  const line = await holdUploads(page, (route) => carriesBytes(route) && route.request().url().includes('film'))
  await page.setInputFiles('#upload-input', [
    bigFile('film.bin', large),
    bigFile('bad 1.txt', medium),
    bigFile('bad 2.txt', medium),
  ])
  await line.held
  await expect(job(page, 'bad 2.txt')).toHaveAttribute('data-state', 'failed')
  const pause = tray(page).getByRole('button', { name: 'Pause uploads' })
  await pause.click()
  await expect(pause).toHaveAttribute('aria-pressed', 'true')
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'queued')
  await expect(job(page, 'film.bin')).toContainText('Paused')

  await row(page, 'lake.png').dblclick()
  await expect(page.getByRole('region', { name: 'Preview' })).toBeVisible()
  await expect(tray(page)).toBeVisible()
  await expect(tray(page).getByRole('list', { name: 'Upload list' })).toHaveCount(0)
  expect(await findBarriersInBothThemes(page, '[aria-label="Uploads"]')).toEqual([])
  await page.unroute('**/api/tus/Photos/bad*')
  await tray(page).getByRole('button', { name: 'Retry all' }).click()
  await line.release()
  await pause.click()
  await expect(finished(page)).toBeVisible()
  expect((await readdir(join(product.root, 'Photos'))).sort()).toEqual([
    'bad 1.txt',
    'bad 2.txt',
    'film.bin',
    'lake.png',
  ])

  await tray(page).getByRole('button', { name: 'Show in folder' }).click()
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
  await expect(page.getByRole('row', { selected: true })).toHaveCount(3)
  await expect(row(page, 'film.bin')).toHaveAttribute('aria-selected', 'true')
})

test('a job in the background is in the tray, from where it is opened again and stopped', async ({ page, product }) => {
  await product.put(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index}.txt`, 'x'])))
  await product.signIn(page)
  const job = { id: 'a'.repeat(16), kind: 'delete', names: ['0.txt'], count: 12, done: { files: 4, bytes: 0 } }
  await tellJob(page, { ...job, state: 'running', finished: 4 }, () => ({ state: 'cancelled' }))
  await row(page, '0.txt').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Deleting 12 items' })
  await dialog.getByRole('button', { name: 'Continue in background' }).click()

  const entry = jobRow(page, 'Deleting 12 items')
  await expect(entry.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '4 of 12')
  expect(await findBarriersInBothThemes(page, '[aria-label="Activity"]')).toEqual([])
  await entry.getByRole('button', { name: 'Show Deleting 12 items' }).click()
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await entry.getByRole('button', { name: 'Stop Deleting 12 items' }).click()
  await expect(toast(page, 'Stopped. 8 items were left as they are.')).toBeVisible()
  await expect(activities(page)).toHaveCount(0)
})

test('deletions and moves wait through a restart of the server, and what it has done before counts', async ({
  page,
}) => {
  const { product, stop, halt, startAgain } = await launch()
  const names = Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, '0')}.txt`)
  const moved = names.slice(10)
  await product.put({ 'Box/': '', ...Object.fromEntries(names.map((name) => [name, 'x'])) })
  /** The server does it and ends before its answer is heard. */
  async function loseAnswer(): Promise<void> {
    let isLost = false
    await page.route('**/api/jobs', async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.fallback()
      isLost = true
      await route.fetch()
      await halt()
      await route.abort()
    })
  }
  try {
    await product.signIn(page)
    await loseAnswer()
    await row(page, '00.txt').click()
    await row(page, '09.txt').click({ modifiers: ['Shift'] })
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Deleting 10 items' })
    await expect(dialog).toContainText('Waiting for the server…')
    await dialog.getByRole('button', { name: 'Continue in background' }).click()
    await expect(activities(page).getByRole('listitem')).toContainText('Waiting for the server…')
    await startAgain()
    await expect(toast(page, 'Moved 10 items to the trash')).toBeVisible()
    await expect(row(page, '09.txt')).toHaveCount(0)
    expect((await readdir(product.root)).filter((name) => !name.startsWith('.')).sort()).toEqual([...moved, 'Box'])

    await loseAnswer()
    await row(page, '10.txt').click()
    await row(page, '19.txt').click({ modifiers: ['Shift'] })
    await page.keyboard.press('ControlOrMeta+x')
    await row(page, 'Box').dblclick()
    await expect(page).toHaveURL(/\/files\/Box\/$/)
    await page.keyboard.press('ControlOrMeta+v')
    await expect(page.getByRole('dialog', { name: 'Moving 10 items' })).toContainText('Waiting for the server…')
    await startAgain()
    await expect(toast(page, 'Moved 10 items to Box')).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(row(page, '19.txt')).toBeVisible()
    expect((await readdir(join(product.root, 'Box'))).sort()).toEqual(moved)
  } finally {
    await stop()
  }
})

test('reading a dropped folder is shown while it lasts, and can be stopped', async ({ page, product }) => {
  const desk = await mkdtemp(join(tmpdir(), 'filestead-desk-'))
  await mkdir(join(desk, 'trip'))
  await writeFile(join(desk, 'trip/plan.txt'), 'walk')
  await product.put({ 'letter.txt': 'Dear reader' })
  // A disk that does not answer.
  await page.addInitScript(() => {
    const silent = { isDirectory: true, isFile: false, name: 'trip', createReader: () => ({ readEntries: () => {} }) }
    Object.assign(DataTransferItem.prototype, { webkitGetAsEntry: () => silent })
  })
  await product.signIn(page)
  const drag = await dragIn(page, page.locator('main'), [join(desk, 'trip')])
  await drag.drop()

  const entry = activities(page).getByRole('listitem', { name: 'Reading the folder…' })
  await expect(entry).toContainText('0 files')
  await entry.getByRole('button', { name: 'Stop Reading the folder…' }).click()
  await expect(activities(page)).toHaveCount(0)
  await expect(tray(page)).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect(await readdir(product.root)).toEqual(['letter.txt'])
  await rm(desk, { recursive: true })
})

/** Signed in as the administrator, at another address of the product. */
async function openAt(page: Page, product: Product, url: string): Promise<void> {
  const token = await product.token()
  await page.addInitScript((jwt) => localStorage.setItem('jwt', jwt), token)
  await page.goto(new URL('files/', url).href)
  await expect(page.locator('main[aria-busy="false"][data-view="listing"]')).toBeVisible()
}
