import type { Page } from '@playwright/test'
import { act, choose } from '../changing.ts'
import { listenForComplaints } from '../complaints.ts'
import { treeOf } from '../disk.ts'
import { pressRussian } from '../layouts.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { hold } from '../slow-line.ts'
import { toast } from '../toast.ts'
import { textFile } from '../uploads.ts'

const first = { 'Box/': '', 'a.txt': 'a', 'b.txt': 'b' }

test.beforeEach(async ({ page, product }) => {
  await product.put(first)
  await product.signIn(page)
})

async function rename(page: Page, from: string, to: string): Promise<void> {
  await choose(page, from)
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name' }).fill(to)
  await page.keyboard.press('Enter')
  await expect(toast(page, `Renamed to ${to}`)).toBeVisible()
}

async function sendToBox(page: Page, how: 'Copy' | 'Move', name: string): Promise<void> {
  await choose(page, name)
  await act(page, `${how} file`)
  await page.getByRole('listbox', { name: 'Folders' }).getByRole('option', { name: 'Box' }).click()
  await page.getByRole('dialog', { name: how }).getByRole('button', { name: how }).click()
}

async function remove(page: Page, ...names: string[]): Promise<void> {
  await choose(page, ...names)
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog', { name: 'Delete files' }).getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, names[0] ?? '')).toHaveCount(0)
}

test('Ctrl+Z takes back what was done last, step by step, and the palette says what', async ({ page, product }) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('New')
  await page.keyboard.press('Enter')
  await expect(row(page, 'New')).toBeFocused()
  await rename(page, 'a.txt', 'z.txt')
  await sendToBox(page, 'Copy', 'z.txt')
  await expect(toast(page, 'Copied z.txt to Box')).toBeVisible()
  await sendToBox(page, 'Move', 'b.txt')
  await expect(toast(page, 'Moved b.txt to Box')).toBeVisible()
  await expect
    .poll(() => treeOf(product.root))
    .toEqual({
      'Box/': '',
      'Box/b.txt': 'b',
      'Box/z.txt': 'a',
      'New/': '',
      'z.txt': 'a',
    })

  await page.keyboard.press('ControlOrMeta+K')
  await page.getByRole('combobox').fill('undo')
  await expect(page.getByRole('option', { selected: true })).toHaveText(/^Undo move of b\.txt/)
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Moved b.txt back')).toBeVisible()
  // The offer goes with what it offered.
  await expect(toast(page, 'Moved b.txt to Box')).toHaveCount(0)
  await expect(row(page, 'b.txt')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ControlOrMeta+z')
  await expect(toast(page, 'Took z.txt back')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual({ ...first, 'New/': '', 'z.txt': 'a', 'a.txt': undefined })
  await pressRussian(page, 'z', { ctrl: true })
  await expect(row(page, 'a.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(row(page, 'New')).toHaveCount(0)
  await expect.poll(() => treeOf(product.root)).toEqual(first)

  // And forward again: the folder, the name, the copy.
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect(row(page, 'New')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+y')
  await expect(row(page, 'z.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+y')
  await expect.poll(() => treeOf(product.root)['Box/z.txt']).toBe('a')
  await page.keyboard.press('F1')
  await expect(page.getByRole('row', { name: /^Undo/ })).toContainText('CtrlZ')
  await expect(page.getByRole('row', { name: /^Redo/ })).toContainText('CtrlShiftZ')
})

test('what was changed since it was made is kept, and a name that is taken by now is told', async ({
  page,
  product,
}) => {
  await sendToBox(page, 'Copy', 'a.txt')
  const copied = toast(page, 'Copied a.txt to Box')
  await expect(copied).toBeVisible()
  await rename(page, 'b.txt', 'z.txt')
  const now = { 'Box/a.txt': 'written since', 'a.txt': 'a', 'b.txt': 'another', 'z.txt': 'b' }
  await product.put(now)

  await toast(page, 'Renamed to z.txt').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Undo rename of b.txt' })).toContainText(/z\.txt|b\.txt/)
  await page.keyboard.press('ControlOrMeta+z')
  await expect(page.getByRole('alert').filter({ hasText: 'Undo copy of a.txt' })).toContainText('a.txt')
  await expect.poll(() => treeOf(product.root)).toEqual({ 'Box/': '', ...now })
})

test('what was deleted comes back by the toast, goes again by Redo; after a reload the keys know what was done last', async ({
  page,
  product,
}) => {
  await remove(page, 'a.txt', 'b.txt')
  await toast(page, 'Moved 2 items to the trash').getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'a.txt')).toBeVisible()
  await expect(row(page, 'b.txt')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(first)
  await toast(page, 'Restored 2 items').getByRole('button', { name: 'Redo' }).click()
  await expect(row(page, 'a.txt')).toHaveCount(0)
  await expect.poll(() => treeOf(product.root)).toEqual({ 'Box/': '' })

  // The commands that can wait are there with the larger part of the sidebar.
  await page.reload()
  await expect(row(page, 'Box')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Trash', exact: true })).toBeVisible()
  await rename(page, 'Box', 'Chest')
  await page.reload()
  await expect(row(page, 'Chest')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Trash', exact: true })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(toast(page, 'Renamed to Box')).toBeVisible()
  await expect(row(page, 'Box')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('link', { name: 'Trash', exact: true })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect(row(page, 'Chest')).toBeVisible()
})

test('the list of recent changes takes back any of them, also those of another page', async ({ page, product }) => {
  await sendToBox(page, 'Move', 'a.txt')
  await expect(toast(page, 'Moved a.txt to Box')).toBeVisible()
  await rename(page, 'b.txt', 'z.txt')
  await page.reload()
  await expect(row(page, 'z.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+K')
  await page.getByRole('combobox').fill('Recent changes')
  await page.keyboard.press('Enter')
  const region = page.getByRole('region', { name: 'Recent changes' })
  await region.getByRole('button', { name: 'Undo: Renamed b.txt to z.txt' }).first().click()
  await expect(row(page, 'b.txt')).toBeVisible()
  await region.getByRole('button', { name: 'Redo: Renamed b.txt to z.txt' }).first().click()
  await expect(row(page, 'z.txt')).toBeVisible()
  await region.getByRole('button', { name: 'Undo: Moved a.txt' }).first().click()
  await expect(row(page, 'a.txt')).toBeVisible()
  await expect(region.getByRole('button', { name: 'Undo: Moved a.txt' }).first()).toBeDisabled()
  await expect(region.getByText('It was undone.').first()).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual({ 'Box/': '', 'a.txt': 'a', 'z.txt': 'b' })
  await region.getByRole('button', { name: 'Redo: Moved a.txt' }).first().click()
  await expect(row(page, 'a.txt')).toHaveCount(0)
  await region.getByRole('button', { name: 'Dismiss recent changes' }).click()
  await expect(region).toHaveCount(0)
})

test('the picture of a file is asked for only while the server has the file under that name', async ({
  page,
  product,
}) => {
  const complaints = await listenForComplaints(page)
  await product.put({ 'lake.png': picture(40, 30) })
  const thumbnail = (name: string) => row(page, name).locator('img[data-loaded=true]')
  await expect(thumbnail('lake.png')).toBeVisible()
  let asked = 0
  page.on('request', (request) => {
    asked += Number(request.url().includes('/api/preview/thumb/sea.png'))
  })
  // Longer than a row is in view before it asks.
  const aMoment = () => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))

  const renaming = await hold(page, '**/api/resources/lake.png*', 'PATCH')
  await choose(page, 'lake.png')
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name' }).fill('sea.png')
  await page.keyboard.press('Enter')
  await expect(row(page, 'sea.png')).toBeVisible()
  await aMoment()
  expect(asked).toBe(0)
  const undoing = await hold(page, '**/api/jobs', 'POST')
  await page.keyboard.press('ControlOrMeta+z')
  await renaming.letGo()
  await undoing.held
  await aMoment()
  expect(asked).toBe(0)
  await undoing.letGo()
  await expect(thumbnail('lake.png')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect(thumbnail('sea.png')).toBeVisible()
  expect(complaints).toEqual([])
})

test('recent changes that cannot be loaded say so, and are asked for again', async ({ page }) => {
  await rename(page, 'b.txt', 'z.txt')
  await page.route('**/api/operations', (route) => route.fulfill({ status: 500, body: '' }))
  await page.keyboard.press('ControlOrMeta+K')
  await page.getByRole('combobox').fill('Recent changes')
  await page.keyboard.press('Enter')
  const region = page.getByRole('region', { name: 'Recent changes' })
  await expect(region.getByRole('alert')).not.toBeEmpty()
  await page.unroute('**/api/operations')
  await region.getByRole('button', { name: 'Try again' }).click()
  await expect(region.getByRole('button', { name: /^Undo: / }).first()).toBeVisible()
  await expect(region.getByRole('alert')).toHaveCount(0)
})

test('an upload of several files is taken back at once, and replaced files come back', async ({ page, product }) => {
  await page.setInputFiles('#upload-input', [textFile('a.txt', 'new'), textFile('x.txt', 'x')])
  await page.getByRole('button', { name: 'Replace all files in destination folder' }).click()
  const done = toast(page, '2 files uploaded')
  await expect(row(page, 'x.txt')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual({ ...first, 'a.txt': 'new', 'x.txt': 'x' })
  await done.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'x.txt')).toHaveCount(0)
  await expect.poll(() => treeOf(product.root)).toEqual(first)
})

test('F6 leads to Undo, which gives the focus back; the disk usage is asked for again', async ({ page }) => {
  const usage = page.waitForRequest('**/api/usage/**')
  await page.reload()
  await usage
  const again = page.waitForRequest('**/api/usage/**')
  await sendToBox(page, 'Move', 'a.txt')
  await again
  const offer = toast(page, 'Moved a.txt to Box').getByRole('button', { name: 'Undo' })
  await expect(row(page, 'b.txt')).toBeFocused()
  await page.keyboard.press('F6')
  await expect(offer).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(row(page, 'b.txt')).toBeFocused()
  await page.keyboard.press('F6')
  await page.keyboard.press('F6')
  await expect(row(page, 'b.txt')).toBeFocused()
  await page.keyboard.press('F6')
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Moved a.txt back')).toBeVisible()
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(page.locator('[role=grid] :focus')).toHaveCount(1)
})

test('Ctrl+Z during a deletion waits for it, says so, and brings everything back', async ({ page, product }) => {
  let go = () => {}
  const mayGo = new Promise<void>((resolve) => {
    go = resolve
  })
  await page.route('**/api/jobs', async (route) => {
    if (route.request().postDataJSON()?.kind === 'delete') await mayGo
    await route.continue()
  })
  await choose(page, 'a.txt', 'b.txt')
  await page.keyboard.press('Delete')
  const isAsked = page.waitForRequest('**/api/jobs')
  await page.getByRole('alertdialog', { name: 'Delete files' }).getByRole('button', { name: 'Delete' }).click()
  await isAsked
  await page.keyboard.press('ControlOrMeta+Z')
  await expect(toast(page, 'Undone as soon as it is finished')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(first)
  go()
  await expect(toast(page, 'Restored 2 items')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(first)
})
