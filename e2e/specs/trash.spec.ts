import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { choose } from '../changing.ts'
import { treeOf } from '../disk.ts'
import { row } from '../listing.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { toast } from '../toast.ts'

const first = { 'Trips/harz.txt': 'harz', 'Trips/deep/b.txt': 'b', 'a.txt': 'a', 'c.txt': 'ccc' }

test.beforeEach(async ({ page, product }) => {
  await emptyTrash(product)
  await product.put(first)
  await product.signIn(page)
})

/** Of what an earlier test has left. */
async function emptyTrash(product: Product): Promise<void> {
  const body = JSON.stringify({ kind: 'purge' })
  const headers = { 'X-Auth': await product.token(), 'Content-Type': 'application/json' }
  const response = await fetch(new URL('api/jobs', product.url), { method: 'POST', headers, body })
  expect(response.ok).toBe(true)
}

const dialog = (page: Page) => page.getByRole('alertdialog', { name: 'Delete files' })
const grid = (page: Page) => page.getByRole('grid', { name: 'Deleted files' })
const tools = (page: Page) => page.getByRole('toolbar', { name: 'Trash actions' })

async function remove(page: Page, ...names: string[]): Promise<void> {
  await choose(page, ...names)
  await page.keyboard.press('Delete')
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'to the trash').first()).toBeVisible()
}

async function openTrash(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Trash', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Trash', level: 1 })).toBeVisible()
}

test('while the trash is read nothing is said about how much is in it', async ({ page }) => {
  await page.route(/api\/trash/, () => {})
  await openTrash(page)
  const main = page.locator('main[data-view=trash]')
  await expect(main).toHaveAttribute('aria-busy', 'true')
  await expect(page.getByRole('searchbox', { name: 'Search the trash' })).toBeVisible()
  await expect(page.getByText(/^\d+ items?$/)).toHaveCount(0)
})

test('what is deleted is in the trash, with its place and who deleted it, and comes back', async ({
  page,
  product,
}) => {
  await choose(page, 'a.txt')
  await page.keyboard.press('Delete')
  await expect(dialog(page)).toContainText('It will be moved to the trash')
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'Moved a.txt to the trash')).toBeVisible()
  await remove(page, 'Trips')
  await expect.poll(() => treeOf(product.root)).toEqual({ 'c.txt': 'ccc' })
  await expect(page.getByRole('link', { name: /^of which .* in the trash and older versions$/ })).toBeVisible()

  await openTrash(page)
  await expect(row(page, 'a.txt')).toContainText('My files')
  await expect(row(page, 'a.txt')).toContainText('admin')
  await expect(grid(page).getByRole('columnheader')).toHaveText(
    ['Name', 'Size', 'Deleted', 'Original place', 'By'].map((name) => new RegExp(name)),
  )
  // The newest first, whatever it is.
  await expect(grid(page).getByRole('row').nth(1)).toHaveAccessibleName('Trips')

  await choose(page, 'a.txt', 'Trips')
  await tools(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(toast(page, 'Restored 2 items')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual({ ...first, 'Trips/': '', 'Trips/deep/': '' })
})

test('a taken name is asked about, and another folder takes what comes back', async ({ page, product }) => {
  await remove(page, 'a.txt')
  await writeFile(join(product.root, 'a.txt'), 'another')
  await openTrash(page)
  await row(page, 'a.txt').click()
  await tools(page).getByRole('button', { name: 'Restore', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Replace or skip files' })
  // In words of its own: nothing is sent, and nothing was begun before.
  await expect(question).toContainText('There is another a.txt now.')
  await expect(question.getByRole('button', { name: 'Resume previous transfer' })).toHaveCount(0)
  await expect(question.getByRole('button', { name: 'Replace only older files' })).toHaveCount(0)
  await question.getByRole('button', { name: 'Rename all files (create a copy)' }).click()
  await expect(toast(page, 'Restored a.txt')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'a.txt': 'another', 'a(1).txt': 'a' })

  await toast(page, 'Restored a.txt').getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'a(1).txt').or(row(page, 'a.txt'))).toBeVisible()
  await grid(page).getByRole('row').nth(1).click()
  await tools(page).getByRole('button', { name: 'Restore to…' }).click()
  const folders = page.getByRole('dialog', { name: 'Restore to' })
  await folders.getByRole('option', { name: 'Trips' }).click()
  await folders.getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible()
  expect(Object.values(treeOf(join(product.root, 'Trips')))).toContain('a')
})

test('a file that is looked at in the trash is restored from there', async ({ page, product }) => {
  await remove(page, 'a.txt')
  await openTrash(page)
  await row(page, 'a.txt').dblclick()
  const viewer = page.getByRole('region', { name: 'Preview' })
  await expect(viewer.getByRole('note')).toContainText('In the trash')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await viewer.getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(toast(page, 'Restored a.txt')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible()
  expect(treeOf(product.root)['a.txt']).toBe('a')
})

test('a folder in the trash is looked into, and a part of it restored', async ({ page, product }) => {
  await remove(page, 'Trips')
  await openTrash(page)
  await row(page, 'Trips').dblclick()
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(crumbs.getByRole('link')).toHaveText(['Trash', 'Trips'])
  await row(page, 'deep').dblclick()
  await expect(crumbs.getByRole('link')).toHaveText(['Trash', 'Trips', 'deep'])
  await row(page, 'b.txt').click()
  await tools(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(toast(page, 'Restored b.txt')).toBeVisible()
  // Its folders are made again.
  await expect.poll(() => treeOf(product.root)['Trips/deep/b.txt']).toBe('b')
  await page.keyboard.press('Escape')
  await expect(crumbs.getByRole('link')).toHaveText(['Trash', 'Trips'])
  await crumbs.getByRole('link', { name: 'Trash', exact: true }).click()
  await expect(row(page, 'Trips')).toBeVisible()
})

test('a file in the trash is opened in its viewer, to be read, and closed back into the trash', async ({ page }) => {
  await remove(page, 'Trips')
  await openTrash(page)
  await row(page, 'Trips').dblclick()
  await row(page, 'harz.txt').dblclick()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('harz')
  await expect(page.getByRole('button', { name: /^(Delete|Rename)/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(row(page, 'harz.txt')).toBeVisible()
})

test('deleting for good asks: from the files, from the trash, and for all of it', async ({ page, product }) => {
  await choose(page, 'a.txt')
  await page.keyboard.press('Shift+Delete')
  await expect(dialog(page).getByRole('checkbox', { name: 'Delete for good' })).toBeChecked()
  await expect(dialog(page)).toContainText('1 B will be deleted permanently.')
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'Deleted a.txt')).toBeVisible()
  await remove(page, 'c.txt')
  await remove(page, 'Trips')

  await openTrash(page)
  await expect(grid(page).getByRole('row')).toHaveCount(3)
  await row(page, 'c.txt').click()
  await page.keyboard.press('Delete')
  const question = page.getByRole('alertdialog', { name: 'Delete for good' })
  await expect(question).toContainText('Delete c.txt for good?')
  await expect(question).toContainText('This cannot be undone.')
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expect(toast(page, 'Deleted c.txt for good')).toBeVisible()
  await expect(row(page, 'c.txt')).toHaveCount(0)

  await tools(page).getByRole('button', { name: 'Empty trash…' }).click()
  const all = page.getByRole('alertdialog', { name: 'Empty trash' })
  await expect(all).toContainText('Delete the 1 item in the trash for good?')
  await all.getByRole('button', { name: 'Empty trash' }).click()
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual({})
})

test('the trash is searched, sorted and used by the keyboard alone', async ({ page }) => {
  await remove(page, 'a.txt')
  await remove(page, 'c.txt')
  await openTrash(page)
  const names = () =>
    grid(page)
      .getByRole('row')
      .evaluateAll((rows) => rows.slice(1).map((each) => each.ariaLabel))
  await expect.poll(names).toEqual(['c.txt', 'a.txt'])
  await page.getByRole('button', { name: 'Sort by name' }).click()
  await expect.poll(names).toEqual(['a.txt', 'c.txt'])
  await page.getByRole('searchbox', { name: 'Search the trash' }).fill('c.t')
  await expect.poll(names).toEqual(['c.txt'])
  await page.getByRole('searchbox', { name: 'Search the trash' }).fill('')
  await expect.poll(names).toEqual(['a.txt', 'c.txt'])
  await page.keyboard.press('Tab')
  await page.getByRole('main').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('c')
  await expect(row(page, 'c.txt')).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
})

test('a phone has it in the menu, and axe finds nothing', async ({ page, product }) => {
  await remove(page, 'a.txt', 'Trips')
  await openTrash(page)
  await choose(page, 'a.txt')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.setViewportSize(phone)
  await page.goto(new URL('files/', product.url).href)
  await page.getByRole('button', { name: 'Toggle sidebar' }).first().click()
  await openTrash(page)
  await expect(row(page, 'a.txt')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Actions for a.txt' }).click()
  await expect(page.getByRole('menu', { name: 'Item actions' }).getByText('a.txt')).toBeVisible()
})

test('a phone selects all that is in the trash, and none of it again', async ({ page, product }) => {
  await remove(page, 'a.txt', 'Trips')
  await page.setViewportSize(phone)
  await page.goto(new URL('trash', product.url).href)
  await tools(page).getByRole('button', { name: 'Select multiple' }).click()
  await page.getByRole('button', { name: 'Select all', exact: true }).click()
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, 'Trips')).toHaveAttribute('aria-selected', 'true')
  await expect(tools(page).getByRole('button', { name: 'Delete for good…' })).toBeInViewport({ ratio: 1 })
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'false')
  await expect(tools(page).getByRole('button', { name: 'Empty trash…' })).toBeVisible()
})

test('with the keyboard: what is opened from the trash gives the focus back to its row when it is closed', async ({
  page,
}) => {
  await remove(page, 'a.txt')
  await remove(page, 'Trips')
  await openTrash(page)
  await row(page, 'a.txt').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'a.txt' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/trash$/)
  await expect(row(page, 'a.txt')).toBeFocused()

  await page.keyboard.press('ArrowUp')
  await expect(row(page, 'Trips')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(row(page, 'deep')).toBeFocused()
  await page.keyboard.press('Backspace')
  await expect(row(page, 'Trips')).toBeFocused()
})
