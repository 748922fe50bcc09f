import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { listenForComplaints } from '../complaints.ts'
import { treeOf } from '../disk.ts'
import { holdJobs, refuseOne } from '../jobs.ts'
import { row, selected } from '../listing.ts'
import { prefer } from '../people.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'
import { toast } from '../toast.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Archive/2025/': '', 'Photos/lake.jpg': 'no picture', 'a.txt': 'a', 'b.txt': 'b' })
  await product.signIn(page)
})

const dialog = (page: Page, name: 'Move' | 'Copy') => page.getByRole('dialog', { name })
const folders = (page: Page) => page.getByRole('listbox', { name: 'Folders' })
const option = (page: Page, name: string) => folders(page).getByRole('option', { name, exact: true })
const destination = (page: Page) => page.getByTestId('destination')

test('entries move to the folder that is picked, and back', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  const before = treeOf(product.root)
  await choose(page, 'a.txt', 'Photos')
  await act(page, 'Move file')
  const move = dialog(page, 'Move').getByRole('button', { name: 'Move' })
  await expect(move).toBeDisabled()
  await expect(option(page, 'Photos')).toBeHidden()
  await option(page, 'Archive').click()
  await expect(destination(page)).toHaveText('Destination: /Archive')
  await option(page, 'Archive').click()
  await expect(move).toBeDisabled()
  await option(page, 'Archive').dblclick()
  await option(page, '2025').click()
  await move.click()

  await expect(row(page, 'a.txt')).toBeHidden()
  await expect(row(page, 'b.txt')).toBeFocused()
  expect(await selected(page)).toEqual([])
  await expect(page).toHaveURL(/\/files\/$/)
  await expect
    .poll(() => treeOf(product.root))
    .toEqual({
      'Archive/': '',
      'Archive/2025/': '',
      'Archive/2025/Photos/': '',
      'Archive/2025/Photos/lake.jpg': 'no picture',
      'Archive/2025/a.txt': 'a',
      'b.txt': 'b',
    })

  await toast(page, 'Moved 2 items to 2025').getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => treeOf(product.root)).toEqual(before)

  await act(page, 'Move file')
  await dialog(page, 'Move').getByRole('group', { name: 'Recent' }).getByRole('button', { name: '2025' }).click()
  await expect(destination(page)).toHaveText('Destination: /Archive/2025')
  expect(complaints).toEqual([])
})

test('the picker works by keyboard alone: arrows open and close, letters filter, Enter takes what the button says', async ({
  page,
  product,
}) => {
  for (let index = 0; index < 400; index += 1)
    mkdirSync(join(product.root, 'Many', String(index).padStart(3, '0')), { recursive: true })
  await page.goto(new URL('files/Photos/', product.url).href)
  await choose(page, 'lake.jpg')
  await act(page, 'Move file')
  const move = dialog(page, 'Move').getByRole('button', { name: 'Move', exact: true })
  await expect(folders(page)).toBeFocused()
  await expect(option(page, 'Archive')).toBeVisible()
  await expect(move).toBeDisabled()
  await page.keyboard.press('ArrowDown')
  await expect(option(page, '..')).toHaveAttribute('aria-selected', 'true')
  await expect(destination(page)).toHaveText('Destination: /')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(destination(page)).toHaveText('Destination: /Archive')
  await expect(move).toHaveAccessibleDescription('Move to Archive')
  await page.keyboard.press('ArrowRight')
  await expect(option(page, '2025')).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await expect(option(page, '2025')).toBeHidden()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await expect(option(page, '000')).toBeVisible()
  expect(await folders(page).getByRole('option').count()).toBeLessThan(60)
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  await expect(option(page, '399')).toHaveAttribute('aria-selected', 'true')
  await expect(option(page, '399')).toBeInViewport()
  const last = await option(page, '399').getAttribute('id')
  await expect(folders(page)).toHaveAttribute('aria-activedescendant', String(last))

  // What is typed filters, also folders that were never opened; Escape ends the filter, not the dialog.
  await page.keyboard.type('2025')
  const filter = dialog(page, 'Move').getByRole('searchbox', { name: 'Filter folders' })
  await expect(filter).toHaveValue('2025')
  await expect(destination(page)).toHaveText('Destination: /Archive/2025')
  await page.keyboard.press('Escape')
  await expect(filter).toHaveValue('')
  await page.keyboard.type('nowhere')
  await expect(dialog(page, 'Move').getByText('No folder of that name')).toBeVisible()
  await filter.fill('2025')
  await expect(option(page, '2025')).toHaveAttribute('aria-selected', 'true')

  // Letters that follow each other at once leave the first folder that fits picked.
  for (const text of ['arch', 'many', 'phot']) {
    await filter.fill('')
    await page.keyboard.type(text)
    await expect(folders(page).getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  }
  await filter.fill('2025')
  await expect(option(page, '2025')).toHaveAttribute('aria-selected', 'true')

  // The way to the destination can be clicked.
  await dialog(page, 'Move').getByRole('group', { name: 'Path' }).getByRole('button', { name: 'Archive' }).click()
  await expect(destination(page)).toHaveText('Destination: /Archive')
  await expect(option(page, '2025')).toBeVisible()
  await move.click()

  await expect(toast(page, 'Moved lake.jpg to Archive')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Archive/lake.jpg': 'no picture' })
})

test('a folder made in the dialog is the destination, and Escape closes only the upper one', async ({
  page,
  product,
}) => {
  await choose(page, 'a.txt')
  await act(page, 'Copy file')
  const newFolder = page.getByRole('dialog', { name: 'New directory' })
  await dialog(page, 'Copy').getByRole('button', { name: 'New folder' }).click()
  await expect(newFolder.getByRole('textbox', { name: 'Name' })).toBeFocused()
  // The field has the focus a moment before the dialog knows that it is the upper one: by the next frame it does.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  await page.keyboard.press('Escape')
  await expect(newFolder).toBeHidden()
  await expect(folders(page)).toBeVisible()

  await dialog(page, 'Copy').getByRole('button', { name: 'New folder' }).click()
  await newFolder.getByRole('textbox', { name: 'Name' }).fill('Copies')
  await page.keyboard.press('Enter')
  await expect(destination(page)).toHaveText('Destination: /Copies')
  // A click on the folder that is picked already leaves it picked.
  await folders(page).getByRole('option', { name: 'Copies' }).click()
  await expect(destination(page)).toHaveText('Destination: /Copies')
  await dialog(page, 'Copy').getByRole('button', { name: 'Copy' }).click()

  await expect(toast(page, 'Copied a.txt to Copies')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'a.txt': 'a', 'Copies/a.txt': 'a' })
})

test('a copy beside itself gets a number, without a question', async ({ page, product }) => {
  await choose(page, 'a.txt')
  await act(page, 'Copy file')
  // Enter alone makes no copy where the file lies already; the button says what it would do.
  await expect(folders(page)).toBeFocused()
  await page.keyboard.press('Enter')
  const copy = dialog(page, 'Copy').getByRole('button', { name: 'Copy', exact: true })
  await expect(copy).toHaveAccessibleDescription('Duplicate')
  await copy.click()
  await expect(row(page, 'a(1).txt')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'a.txt': 'a', 'a(1).txt': 'a' })
})

test('with the preference to follow, the destination opens after a move', async ({ page, product }) => {
  await prefer(product, { redirectAfterCopyMove: true })
  await page.reload()
  await choose(page, 'a.txt')
  await act(page, 'Move file')
  await option(page, 'Archive').click()
  await dialog(page, 'Move').getByRole('button', { name: 'Move' }).click()
  await expect(page).toHaveURL(/\/files\/Archive\/$/)
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
})

test('a page that has gone elsewhere during a move stays there', async ({ page, product }) => {
  await prefer(product, { redirectAfterCopyMove: true })
  await page.reload()
  await choose(page, 'a.txt')
  const loaded = await hold(page, '**/DestinationDialog-*.js')
  await act(page, 'Move file')
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('status', { name: 'Loading' })).toBeHidden()
  await loaded.letGo()

  await act(page, 'Move file')
  await option(page, 'Archive').click()
  const moved = await holdJobs(page)
  await dialog(page, 'Move').getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in background' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect(page.locator('main[data-view="settings"]')).toBeVisible()
  await moved.letGo()
  await expect(toast(page, 'Moved a.txt to Archive')).toBeVisible()
  await expect(page.locator('main[data-view="settings"]')).toBeVisible()
})

test('a move that was sent to the background takes nobody to its destination', async ({ page, product }) => {
  await prefer(product, { redirectAfterCopyMove: true })
  await page.reload()
  await choose(page, 'a.txt')
  await act(page, 'Move file')
  await option(page, 'Archive').click()
  const moved = await holdJobs(page)
  await dialog(page, 'Move').getByRole('button', { name: 'Move' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue in background' }).click()
  await choose(page, 'b.txt')
  await moved.letGo()
  await expect(toast(page, 'Moved a.txt to Archive')).toBeVisible()
  await expect(row(page, 'a.txt')).toHaveCount(0)
  await expect(row(page, 'b.txt')).toHaveAttribute('aria-selected', 'true')
})

test('one that cannot be moved is named, the others are moved', async ({ page, product }) => {
  await refuseOne(page, '/b.txt')
  await choose(page, 'a.txt', 'b.txt')
  await act(page, 'Move file')
  await option(page, 'Archive').click()
  await dialog(page, 'Move').getByRole('button', { name: 'Move' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Could not move b.txt' })).toBeVisible()
  await expect(toast(page, 'Moved a.txt to Archive')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Archive/a.txt': 'a', 'b.txt': 'b' })
})

test('what is dropped on a folder moves there; with Ctrl it is copied', async ({ page, product }) => {
  await dragByName(row(page, 'a.txt'), row(page, 'Archive'))
  await expect(toast(page, 'Moved a.txt to Archive')).toBeVisible()
  await expect(row(page, 'a.txt')).toBeHidden()

  await page.keyboard.down('Control')
  await dragByName(row(page, 'b.txt'), row(page, 'Archive'))
  await page.keyboard.up('Control')
  await expect(toast(page, 'Copied b.txt to Archive')).toBeVisible()
  await expect
    .poll(() => treeOf(product.root))
    .toMatchObject({ 'Archive/a.txt': 'a', 'Archive/b.txt': 'b', 'b.txt': 'b' })
})

test('what is dropped on a breadcrumb moves up', async ({ page, product }) => {
  await page.goto(new URL('files/Photos/', product.url).href)
  const home = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Home' })
  await dragByName(row(page, 'lake.jpg'), home)
  await expect(toast(page, 'Moved lake.jpg to My files')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Photos/': '', 'lake.jpg': 'no picture' })
})

test('a phone moves with taps', async ({ page, product }) => {
  await page.setViewportSize(phone)
  await choose(page, 'a.txt')
  await act(page, 'Move file')
  await option(page, 'Archive').click()
  await dialog(page, 'Move').getByRole('button', { name: 'Move' }).click()
  await expect(row(page, 'a.txt')).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Archive/a.txt': 'a' })
})

test('axe finds nothing in the move dialog', async ({ page }) => {
  await choose(page, 'a.txt')
  await act(page, 'Move file')
  await option(page, 'Archive').click()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

/** By the name: the free part of a row starts a rubber band. */
const dragByName = (source: Locator, target: Locator): Promise<void> =>
  source.dragTo(target, { sourcePosition: { x: 90, y: 20 } })

test('Duplicate makes a second one beside the first, which can be undone', async ({ page, product }) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  await product.signIn(page)
  await row(page, 'letter.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await expect(row(page, 'letter(1).txt')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => treeOf(product.root)).toEqual({ 'letter.txt': 'Dear reader', 'letter(1).txt': 'Dear reader' })
  await page.keyboard.press('ControlOrMeta+z')
  await expect(row(page, 'letter(1).txt')).toHaveCount(0)
})
