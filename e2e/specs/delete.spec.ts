import type { Locator, Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { treeOf } from '../disk.ts'
import { holdJobs, refuseOne, tellJob } from '../jobs.ts'
import { row, selected } from '../listing.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { toast } from '../toast.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Photos/lake.jpg': 'no picture', 'a.txt': 'a', 'b.txt': 'bb', 'c.txt': 'ccc', 'd.txt': 'dddd' })
  await product.signIn(page)
})

const dialog = (page: Page) => page.getByRole('alertdialog', { name: 'Delete files' })
const confirm = (page: Page) => dialog(page).getByRole('button', { name: 'Delete' })

test('a file goes after a question that Enter declines, and its neighbour gets the focus alone', async ({
  page,
  product,
}) => {
  await choose(page, 'b.txt')
  await page.keyboard.press('Delete')
  await expect(dialog(page)).toHaveAccessibleDescription(/Delete b\.txt\?.*It will be moved to the trash/)
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toBeHidden()
  await page.keyboard.press('Delete')
  const deleted = await holdJobs(page)
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(confirm(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toBeHidden()
  // It is on its way already: there is nothing to ask again.
  await page.keyboard.press('Delete')
  await expect(dialog(page)).toBeHidden()
  await deleted.letGo()

  await expect(row(page, 'b.txt')).toBeHidden()
  await expect(row(page, 'c.txt')).toBeFocused()
  expect(await selected(page)).toEqual([])
  await expect(toast(page, 'Moved b.txt to the trash')).toBeVisible()
  const boxOf = async (part: Locator) => part.evaluate((element) => element.getBoundingClientRect())
  // The bar below the list can be read meanwhile.
  expect((await boxOf(toast(page, 'Moved b.txt to the trash'))).bottom).toBeLessThan(
    (await boxOf(page.getByText('4 items').first())).top,
  )
  expect(Object.keys(treeOf(product.root))).toEqual(['Photos/', 'Photos/lake.jpg', 'a.txt', 'c.txt', 'd.txt'])
})

test('the last one leaves the one before it', async ({ page }) => {
  await choose(page, 'd.txt')
  await act(page, 'Delete')
  await confirm(page).click()
  await expect(row(page, 'd.txt')).toBeHidden()
  // The button that was pressed is gone with the selection.
  await expect(row(page, 'c.txt')).toBeFocused()
  expect(await selected(page)).toEqual([])
})

test('the question names the first and counts the rest, and Enter spares folders', async ({ page, product }) => {
  const before = treeOf(product.root)
  await choose(page, 'Photos', 'a.txt', 'b.txt', 'c.txt', 'd.txt')
  await page.keyboard.press('Delete')
  await expect(dialog(page)).toContainText('Delete Photos, a.txt, b.txt, and 2 more?')
  await expect(dialog(page)).toContainText('They will be moved to the trash')
  await dialog(page).getByRole('checkbox', { name: 'Delete for good' }).check()
  // What is in the folder is not counted, so no size is told.
  await expect(dialog(page)).toContainText('The folder and everything in it will be deleted permanently.')
  await expect(dialog(page)).not.toContainText(' B will be deleted')
  await expect(confirm(page)).toContainText('Delete 5 items')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await page.keyboard.press('Delete')
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toEqual(before)

  await page.keyboard.press('Delete')
  await confirm(page).click()
  await expect(toast(page, 'Moved 5 items to the trash')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'It feels lonely here...' })).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual({})
})

test('for several files Enter declines, too, and the button says how many go', async ({ page, product }) => {
  const before = treeOf(product.root)
  await choose(page, 'a.txt', 'b.txt', 'c.txt')
  await page.keyboard.press('Delete')
  await expect(confirm(page)).toContainText('Delete 3 files')
  await expect(dialog(page).getByRole('button', { name: 'Delete', exact: true })).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toEqual(before)

  await page.keyboard.press('Delete')
  await confirm(page).click()
  await expect(row(page, 'c.txt')).toBeHidden()
  await expect(row(page, 'd.txt')).toBeFocused()
  expect(await selected(page)).toEqual([])
})

test('from the middle of a folder the focus goes on with what came after', async ({ page, product }) => {
  await product.put(Object.fromEntries(['0', '1', '2', '3', '4', '5', '6', '7', '8'].map((name) => [name, name])))
  await page.reload()
  await row(page, '2').click()
  await row(page, '4').click({ modifiers: ['Shift'] })
  await page.keyboard.press('Delete')
  await confirm(page).click()
  await expect(row(page, '4')).toBeHidden()
  await expect(row(page, '5')).toBeFocused()
  expect(await selected(page)).toEqual([])
})

test('what is chosen while something is deleted stays chosen, and the focus stays where it is', async ({ page }) => {
  await choose(page, 'a.txt')
  await page.keyboard.press('Delete')
  const deleted = await holdJobs(page)
  await confirm(page).click()
  await page
    .getByRole('dialog', { name: 'Deleting 1 item' })
    .getByRole('button', { name: 'Continue in background' })
    .click()
  await choose(page, 'd.txt')
  await deleted.letGo()
  await expect(row(page, 'a.txt')).toBeHidden()
  expect(await selected(page)).toEqual(['d.txt'])
  await expect(row(page, 'd.txt')).toBeFocused()
})

test('one that cannot be deleted does not hide the others', async ({ page, product }) => {
  await refuseOne(page, '/b.txt')
  await choose(page, 'a.txt', 'b.txt', 'c.txt')
  await page.keyboard.press('Delete')
  await confirm(page).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Could not delete b.txt' })).toBeVisible()
  await expect(toast(page, 'Moved 2 items to the trash')).toBeVisible()
  await expect(row(page, 'b.txt')).toHaveAttribute('aria-selected', 'true')
  expect(Object.keys(treeOf(product.root))).toEqual(['Photos/', 'Photos/lake.jpg', 'b.txt', 'd.txt'])
})

test('many take a while: one sees how far it is, can stop, and delete what was left', async ({ page, product }) => {
  await product.put(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index}.txt`, 'x'])))
  await page.reload()
  const job = { id: 'a'.repeat(16), kind: 'delete', names: ['0.txt'], count: 12, done: { files: 4, bytes: 0 } }
  await tellJob(page, { ...job, state: 'running', finished: 4 }, () => ({ state: 'cancelled' }))
  await row(page, '0.txt').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await confirm(page).click()
  const work = page.getByRole('dialog', { name: 'Deleting 12 items' })
  await expect(work.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '4 of 12')
  await work.getByRole('button', { name: 'Stop' }).click()
  await expect(work).toBeHidden()
  await expect(toast(page, 'Stopped. 8 items were left as they are.')).toBeVisible()

  // Which ones those are the listing has asked for.
  await expect(row(page, '11.txt')).toBeVisible()
  await page.unrouteAll()
  await choose(page, '11.txt')
  await page.keyboard.press('Delete')
  await confirm(page).click()
  await expect(toast(page, 'Moved 11.txt to the trash')).toBeVisible()
})

test('the page is not closed without a warning before the server has what it shall do, and is afterwards', async ({
  page,
}) => {
  const line = await holdJobs(page)
  await choose(page, 'a.txt')
  await page.keyboard.press('Delete')
  await confirm(page).click()
  await expect(page.getByRole('dialog', { name: 'Deleting 1 item' })).toBeVisible()
  const warning = page.waitForEvent('dialog')
  const reload = page.evaluate(() => location.reload()).catch(() => {})
  expect((await warning).type()).toBe('beforeunload')
  await (await warning).dismiss()
  await reload

  await line.letGo()
  await expect(toast(page, 'Moved a.txt to the trash')).toBeVisible()
  // No dialog any more: Playwright would wait for it.
  await page.reload()
  await expect(row(page, 'b.txt')).toBeVisible()
})

test('deleting the file in view leads on to the next, then to the one before, then to the folder', async ({
  page,
  product,
}) => {
  await product.put({ 'Box/1.bin': '\0', 'Box/2.bin': '\0', 'Box/3.bin': '\0', 'Box/z.txt': 'text' })
  await page.goto(new URL('files/Box/2.bin', product.url).href)
  for (const [file, next] of [
    ['2.bin', 'Box/3.bin'],
    ['3.bin', 'Box/1.bin'],
    ['1.bin', 'Box/'],
  ]) {
    await expect(page.getByRole('heading', { name: file })).toBeVisible()
    await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false')
    await page.keyboard.press('Delete')
    await confirm(page).click()
    await expect(page).toHaveURL(new URL(`files/${next}`, product.url).href)
  }
  await expect.poll(() => treeOf(product.root)).toEqual({ 'Box/': '', 'Box/z.txt': 'text' })
})

test('a phone deletes from a sheet', async ({ page, product }) => {
  await page.setViewportSize(phone)
  await choose(page, 'a.txt')
  await act(page, 'Delete')
  await confirm(page).click()
  await expect(row(page, 'a.txt')).toBeHidden()
  await expect.poll(() => treeOf(product.root)).not.toHaveProperty(['a.txt'])
})

test('axe finds nothing in the delete dialog', async ({ page }) => {
  await choose(page, 'Photos', 'a.txt')
  await page.keyboard.press('Delete')
  await expect(dialog(page)).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
