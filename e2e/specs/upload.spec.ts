import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { row, selected } from '../listing.ts'
import { addUser, signInAs } from '../people.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import {
  bigFile,
  carriesBytes,
  dragIn,
  finished,
  holdUploads,
  isBatch,
  job,
  medium,
  sendPiecesOf,
  sha256,
  sha256Of,
  textFile,
  tray,
} from '../uploads.ts'

const piece = 512 * 1024

sendPiecesOf(piece)
test.beforeEach(({ product }) => product.put({ 'Photos/old.txt': 'old', 'letter.txt': 'Dear reader' }))

/** Files on the disk of the person, gone after the test. */
const own = test.extend<{ desk: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern
  desk: async ({}, use) => {
    const desk = await mkdtemp(join(tmpdir(), 'filestead-desk-'))
    await use(desk)
    await rm(desk, { recursive: true })
  },
})

test('chosen files arrive with their bytes, and the tray says how far they are', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  const big = bigFile('film.bin', 3 * piece)
  await product.signIn(page)
  const hold = await holdUploads(page, carriesBytes)
  await page.setInputFiles('#upload-input', [big, textFile('a.txt', 'one'), textFile('empty.txt', '')])

  await hold.held
  await expect(tray(page).getByRole('heading', { name: 'Uploading 3 files' })).toBeVisible()
  await expect(page.getByRole('progressbar', { name: 'Uploading' })).toBeAttached()
  await expect(tray(page).getByRole('progressbar', { name: 'Upload progress' })).toBeVisible()
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'uploading')
  await expect(job(page, 'film.bin').getByRole('progressbar', { name: 'film.bin' })).toBeVisible()
  await expect(job(page, 'empty.txt')).toHaveAttribute('data-state', 'done')
  await expect(tray(page).getByTestId('upload-count')).toHaveText('2 of 3')
  await expect(tray(page).getByTestId('upload-fraction')).toHaveText(/^[\d.]+ [KM]?i?B of 1\.5 MiB$/)
  await expect(tray(page).getByTestId('upload-percentage')).toHaveText(/^\d+%$/)
  // What has arrived is listed while the rest is on its way.
  await expect(row(page, 'empty.txt')).toBeVisible()
  await hold.release()

  await expect(finished(page)).toBeVisible()
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'done')
  await expect(page.getByRole('progressbar', { name: 'Uploading' })).toHaveCount(0)
  await expect(page.getByRole('status').filter({ hasText: '3 files uploaded' })).toBeVisible()
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(big.buffer))
  expect(await readFile(join(product.root, 'a.txt'), 'utf8')).toBe('one')
  expect((await stat(join(product.root, 'empty.txt'))).size).toBe(0)
  await expect(row(page, 'film.bin')).toBeVisible()
  expect(await selected(page)).toEqual([])
  await tray(page).getByRole('button', { name: 'Close uploads' }).click()
  await expect(tray(page)).toHaveCount(0)
  expect(complaints).toEqual([])
})

own('the dialog offers files or a folder, which keeps its shape', async ({ page, product, desk }) => {
  await mkdir(join(desk, 'trip/day 1'), { recursive: true })
  await writeFile(join(desk, 'trip/day 1/ü %.txt'), 'lake')
  await writeFile(join(desk, 'trip/plan.txt'), 'walk')
  await product.signIn(page)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload' })
  const files = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'File', exact: true }).click()
  expect((await files).isMultiple()).toBe(true)
  await expect(dialog).toHaveCount(0)

  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(dialog.getByRole('button', { name: 'File', exact: true })).toBeFocused()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toBeFocused()

  const folder = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Send a folder' }).click()
  await (await folder).setFiles(join(desk, 'trip'))

  await expect(finished(page)).toBeVisible()
  expect(await readFile(join(product.root, 'trip/day 1/ü %.txt'), 'utf8')).toBe('lake')
  expect(await readFile(join(product.root, 'trip/plan.txt'), 'utf8')).toBe('walk')
  const time = (await stat(join(desk, 'trip/plan.txt'))).mtimeMs
  expect(Math.abs((await stat(join(product.root, 'trip/plan.txt'))).mtimeMs - time)).toBeLessThan(1)
  await expect(page.getByRole('row', { name: 'trip', exact: true })).toBeVisible()
})

own('dropped files and folders go to the folder in view', async ({ page, product, desk }) => {
  await mkdir(join(desk, 'box/empty'), { recursive: true })
  await writeFile(join(desk, 'box/in.txt'), 'inside')
  await writeFile(join(desk, 'loose.txt'), 'loose')
  await product.signIn(page)
  const zone = page.getByRole('region', { name: 'Drop files to upload' })

  const drag = await dragIn(page, page.locator('main'), [join(desk, 'loose.txt'), join(desk, 'box')])
  await expect(zone).toContainText('They go into')
  await expect(zone).toContainText('My files')
  await drag.drop()

  await expect(finished(page)).toBeVisible()
  await expect(zone).toHaveCount(0)
  expect(await readFile(join(product.root, 'loose.txt'), 'utf8')).toBe('loose')
  expect((await readdir(join(product.root, 'box'))).sort()).toEqual(['empty', 'in.txt'])
})

own('a drag that leaves the page leaves no overlay', async ({ page, product, desk }) => {
  await writeFile(join(desk, 'loose.txt'), 'loose')
  await product.signIn(page)
  const zone = page.getByRole('region', { name: 'Drop files to upload' })
  const drag = await dragIn(page, page.locator('main'), [join(desk, 'loose.txt')])
  await expect(zone).toBeVisible()
  await drag.leave()

  // No event tells of it, but a pointer that moves holds nothing any more.
  await page.mouse.move(400, 400)
  await page.mouse.move(500, 500, { steps: 30 })

  await expect(zone).toHaveCount(0)
  await expect(tray(page)).toHaveCount(0)
})

own('files dropped onto a folder or a breadcrumb go there', async ({ page, product, desk }) => {
  await writeFile(join(desk, 'one.txt'), '1')
  await writeFile(join(desk, 'two.txt'), '2')
  await product.signIn(page)
  const row = page.getByRole('row', { name: 'Photos', exact: true })
  const onRow = await dragIn(page, row, [join(desk, 'one.txt')])
  await expect(row).toHaveAttribute('data-drop-target', 'true')
  await expect(page.getByRole('region', { name: 'Drop files to upload' })).toContainText('Photos')
  await onRow.drop()
  await expect(finished(page)).toBeVisible()
  expect((await readdir(join(product.root, 'Photos'))).sort()).toEqual(['old.txt', 'one.txt'])

  await row.dblclick()
  await expect(page).toHaveURL(/Photos\/$/)
  await expect(page.getByRole('row', { name: 'one.txt', exact: true })).toBeVisible()
  const onCrumb = await dragIn(
    page,
    page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Home' }),
    [join(desk, 'two.txt')],
  )
  await onCrumb.drop()
  await expect.poll(() => readdir(product.root)).toContain('two.txt')
})

test('pasted files are uploaded', async ({ page, product }) => {
  await product.signIn(page)
  await expect(page.locator('main')).toHaveAttribute('aria-busy', 'false')
  await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['screen'], 'image.png', { type: 'image/png' }))
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await expect(finished(page)).toBeVisible()
  expect(await readFile(join(product.root, 'image.png'), 'utf8')).toBe('screen')
})

test('taken names are asked about before the first byte', async ({ page, product }) => {
  await product.signIn(page)
  const question = page.getByRole('dialog', { name: 'Replace or skip files' })
  const files = [textFile('letter.txt', 'A new letter'), textFile('fresh.txt', 'fresh')]
  await page.setInputFiles('#upload-input', files)
  await expect(question).toBeVisible()
  await expect(question.getByRole('button', { name: /Rename all files/ })).toHaveCount(0)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toHaveCount(0)
  expect((await readdir(product.root)).sort()).toEqual(['Photos', 'letter.txt'])

  await page.setInputFiles('#upload-input', files)
  await question.getByRole('button', { name: 'Skip all conflicting files' }).click()
  await expect(finished(page)).toBeVisible()
  await expect(job(page, 'letter.txt')).toHaveAttribute('data-state', 'skipped')
  expect(await readFile(join(product.root, 'letter.txt'), 'utf8')).toBe('Dear reader')
  expect(await readFile(join(product.root, 'fresh.txt'), 'utf8')).toBe('fresh')

  await page.setInputFiles('#upload-input', files)
  await question.getByRole('button', { name: 'Skip all conflicting files' }).click()
  await expect(
    page.getByRole('status').filter({ hasText: '2 files were already here. Nothing was uploaded.' }),
  ).toBeVisible()

  await page.setInputFiles('#upload-input', files.slice(0, 1))
  await question.getByRole('button', { name: 'Replace all files in destination folder' }).click()
  await expect.poll(() => readFile(join(product.root, 'letter.txt'), 'utf8')).toBe('A new letter')

  await page.setInputFiles('#upload-input', [textFile('fresh.txt', 'fresher')])
  await question.getByRole('button', { name: 'Keep both', exact: true }).click()
  await expect(row(page, 'fresh(1).txt')).toBeVisible()
  expect(await readFile(join(product.root, 'fresh(1).txt'), 'utf8')).toBe('fresher')
  expect(await readFile(join(product.root, 'fresh.txt'), 'utf8')).toBe('fresh')

  await page.setInputFiles('#upload-input', [textFile('letter.txt', 'Another letter')])
  await question.getByRole('button', { name: 'Decide for each conflicting file' }).click()
  const each = page.getByRole('dialog', { name: 'Which files do you want to keep?' })
  await each.getByRole('radiogroup', { name: 'letter.txt' }).getByRole('radio', { name: 'Keep both' }).check()
  await each.getByRole('button', { name: 'OK' }).click()
  await expect(row(page, 'letter(1).txt')).toBeVisible()
  expect(await readFile(join(product.root, 'letter(1).txt'), 'utf8')).toBe('Another letter')
  expect(await readFile(join(product.root, 'letter.txt'), 'utf8')).toBe('A new letter')
})

own('taken names inside of folders are asked about; folders are merged', async ({ page, product, desk }) => {
  await mkdir(join(desk, 'Photos'))
  await writeFile(join(desk, 'Photos/old.txt'), 'newer')
  await writeFile(join(desk, 'Photos/other.txt'), 'other')
  await product.signIn(page)
  await page.setInputFiles('#upload-folder-input', join(desk, 'Photos'))
  const question = page.getByRole('dialog', { name: 'Replace or skip files' })
  await question.getByRole('button', { name: 'Replace all files in destination folder' }).click()
  await expect(finished(page)).toBeVisible()
  expect(await readFile(join(product.root, 'Photos/old.txt'), 'utf8')).toBe('newer')
  expect(await readFile(join(product.root, 'Photos/other.txt'), 'utf8')).toBe('other')
})

test('a name that is taken meanwhile fails, and can be replaced', async ({ page, product }) => {
  await product.signIn(page)
  await expect(page.getByRole('row', { name: 'letter.txt', exact: true })).toBeVisible()
  await page.route('**/api/entries/', (route) => route.fulfill({ status: 500, body: '' }))
  await page.setInputFiles('#upload-input', [textFile('letter.txt', 'A new letter')])
  await expect(job(page, 'letter.txt')).toHaveAttribute('data-state', 'failed')
  await expect(job(page, 'letter.txt')).toContainText('Failed to create an upload: 409')
  expect(await readFile(join(product.root, 'letter.txt'), 'utf8')).toBe('Dear reader')

  await page.unroute('**/api/entries/')
  await job(page, 'letter.txt').getByRole('button', { name: 'Retry letter.txt' }).click()
  const question = page.getByRole('dialog', { name: 'Replace or skip files' })
  await question.getByRole('button', { name: 'Replace all files in destination folder' }).click()
  await expect(job(page, 'letter.txt')).toHaveAttribute('data-state', 'done')
  expect(await readFile(join(product.root, 'letter.txt'), 'utf8')).toBe('A new letter')
})

own('of hundreds of uploads a few rows are in the page', async ({ page, product, desk }) => {
  await mkdir(join(desk, 'many'))
  for (let index = 0; index < 600; index += 1) await writeFile(join(desk, 'many', `${index}.txt`), String(index))
  await product.signIn(page)
  const alone: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/tus/')) alone.push(request.url())
  })
  const hold = await holdUploads(page, isBatch)
  await page.setInputFiles('#upload-folder-input', join(desk, 'many'))
  await expect.poll(hold.count).toBe(2)
  await expect(tray(page).getByRole('heading', { name: 'Uploading 600 files' })).toBeVisible()
  expect(await tray(page).getByRole('listitem').count()).toBeLessThan(40)
  await hold.release()
  await page.unrouteAll({ behavior: 'wait' })

  await tray(page).getByRole('button', { name: 'Toggle file upload list' }).click()
  await expect(tray(page).getByRole('list', { name: 'Upload list' })).toHaveCount(0)
  await expect(finished(page)).toBeVisible({ timeout: 40_000 })
  expect((await readdir(join(product.root, 'many'))).length).toBe(600)
  expect(await readFile(join(product.root, 'many/599.txt'), 'utf8')).toBe('599')
  expect(alone).toEqual([])
})

test('without the permission to create there is no upload control', async ({ page, product }) => {
  const perm = { create: false, rename: true, modify: true, delete: true, share: true, download: true }
  await addUser(product, 'no-uploads', 'lamp in the hall', { perm })
  await signInAs(page, product, 'no-uploads', 'lamp in the hall')
  await expect(page.getByRole('row', { name: 'letter.txt', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toHaveCount(0)
  await expect(page.locator('#upload-input, #upload-folder-input')).toHaveCount(0)
})

test('on a phone the tray starts folded up, below the buttons of the page', async ({ page, product }) => {
  await product.signIn(page)
  await page.setViewportSize(phone)
  const hold = await holdUploads(page, carriesBytes)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('dialog', { name: 'Upload' }).getByRole('button', { name: 'File', exact: true }).click()
  await (await chooser).setFiles([textFile('a.txt', 'one')])
  await hold.held
  const toggle = tray(page).getByRole('button', { name: 'Toggle file upload list' })
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expect(page.getByRole('menuitem', { name: 'New folder' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(toggle).toHaveAttribute('aria-expanded', 'true')
  await expect(job(page, 'a.txt')).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await hold.release()
  await expect(finished(page)).toBeVisible()
  await tray(page).getByRole('button', { name: 'Close uploads' }).click()
  await expect(page.getByRole('button', { name: 'Activity', exact: true })).toHaveCount(0)
  expect(await readFile(join(product.root, 'a.txt'), 'utf8')).toBe('one')
})

test('axe finds nothing in the tray and the abort dialog', async ({ page, product }) => {
  await product.signIn(page)
  await page.route('**/api/tus/refused.txt*', (route) => route.fulfill({ status: 403, body: '403 Forbidden' }))
  const hold = await holdUploads(page, (route) => carriesBytes(route) && route.request().url().includes('held'))
  const names = ['done.txt', 'refused.txt', ...Array.from({ length: 6 }, (_, index) => `held ${index}.txt`)]
  await page.setInputFiles(
    '#upload-input',
    names.map((name) => bigFile(name, medium)),
  )
  await hold.held
  await expect(job(page, 'refused.txt')).toHaveAttribute('data-state', 'failed')
  await expect(job(page, 'done.txt')).toHaveAttribute('data-state', 'done')
  expect(await findBarriersInBothThemes(page, '[aria-label="Uploads"]')).toEqual([])

  await tray(page).getByRole('button', { name: 'Abort upload' }).click()
  await expect(page.getByRole('alertdialog', { name: 'Abort upload' })).toBeVisible()
  expect(await findBarriersInBothThemes(page, '[role="alertdialog"]')).toEqual([])
  await page.keyboard.press('Escape')
  await hold.release()
  await expect(finished(page)).toBeVisible()
  expect(await findBarriersInBothThemes(page, '[aria-label="Uploads"]')).toEqual([])
})
