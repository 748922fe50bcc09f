import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { treeOf } from '../disk.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Photos/': '', 'letter.txt': 'Dear reader' })
  await product.signIn(page)
})

const newFolder = (page: Page) => page.getByRole('dialog', { name: 'New directory' })
const newFile = (page: Page) => page.getByRole('dialog', { name: 'New file' })

async function open(page: Page, button: 'New folder' | 'New file'): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: button }).click()
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toBeFocused()
}

test('a folder is made of the name one types', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await open(page, 'New folder')
  const dialog = newFolder(page)
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('  Summer & 50%  ')
  await expect(dialog.getByRole('status')).toHaveText('Creates /Summer & 50%/')
  await page.keyboard.press('Enter')

  await expect(dialog).toBeHidden()
  await expect(row(page, 'Summer & 50%')).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, 'Summer & 50%')).toBeFocused()
  await expect
    .poll(() => treeOf(product.root))
    .toEqual({ 'Photos/': '', 'Summer & 50%/': '', 'letter.txt': 'Dear reader' })
  expect(complaints).toEqual([])
})

test('a file is made and opened', async ({ page, product }) => {
  await page.goto(new URL('files/Photos/', product.url).href)
  await open(page, 'New file')
  await newFile(page).getByRole('textbox', { name: 'Name' }).fill('notes #1.md')
  await expect(newFile(page).getByRole('status')).toHaveText('Creates /Photos/notes #1.md')
  await newFile(page).getByRole('button', { name: 'Create' }).click()

  await expect(page).toHaveURL(new URL('files/Photos/notes%20%231.md', product.url).href)
  await expect(page.getByRole('main')).toHaveAttribute('data-view', 'editor')
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Photos/notes #1.md': '' })
})

test('nothing is made of no name, and cancelling makes nothing', async ({ page, product }) => {
  const before = treeOf(product.root)
  await open(page, 'New file')
  await newFile(page).getByRole('textbox', { name: 'Name' }).fill('   ')
  await newFile(page).getByRole('button', { name: 'Create' }).click()
  await expect(newFile(page)).toBeVisible()
  await newFile(page).getByRole('textbox', { name: 'Name' }).fill('never.txt')
  await newFile(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(newFile(page)).toBeHidden()

  // The second click of a double click does not close what the first one opened.
  await page.getByRole('button', { name: 'New folder' }).dblclick()
  await page.keyboard.type('never')
  await expect(newFolder(page).getByRole('textbox', { name: 'Name' })).toHaveValue('never')
  await page.keyboard.press('Escape')
  await expect(newFolder(page)).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toEqual(before)
})

test('a name that cannot be is said so while it is typed', async ({ page }) => {
  await open(page, 'New file')
  for (const [name, reason] of [
    ['letter.txt', /already/],
    ['a/b', /slash/],
    ['..', /cannot be used/],
    ['x'.repeat(256), /too long/],
  ] as const) {
    await newFile(page).getByRole('textbox', { name: 'Name' }).fill(name)
    await expect(newFile(page).getByRole('alert')).toHaveText(reason)
    await newFile(page).getByRole('button', { name: 'Create' }).click()
    await expect(newFile(page).getByRole('alert')).toHaveText(reason)
    await newFile(page).getByRole('textbox', { name: 'Name' }).fill('free.txt')
    await expect(newFile(page).getByRole('alert')).toBeHidden()
    await expect(newFile(page).getByRole('button', { name: 'Create' })).toBeEnabled()
  }
})

test('what the server refuses is said in the dialog, and the name stays', async ({ page, product, context }) => {
  await open(page, 'New file')
  await newFile(page).getByRole('textbox', { name: 'Name' }).fill('later.txt')
  await context.setOffline(true)
  await newFile(page).getByRole('button', { name: 'Create' }).click()
  await expect(newFile(page).getByRole('alert')).toHaveText('No connection to the server')
  await expect(newFile(page).getByRole('textbox', { name: 'Name' })).toHaveValue('later.txt')

  await context.setOffline(false)
  await newFile(page).getByRole('button', { name: 'Create' }).click()
  await expect(newFile(page)).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toHaveProperty(['later.txt'])
})

test('from the settings a folder is made in the root', async ({ page, product }) => {
  await page.goto(new URL('settings/profile', product.url).href)
  await open(page, 'New folder')
  await newFolder(page).getByRole('textbox', { name: 'Name' }).fill('Box')
  await page.keyboard.press('Enter')

  const toast = page.getByRole('status').filter({ hasText: 'Created Box' })
  await expect(toast).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toHaveProperty(['Box/'])
  await toast.getByRole('button', { name: 'Open' }).click()
  await expect(page).toHaveURL(/\/files\/Box\/$/)
})

test('focus stays in the dialog and goes back to where it came from', async ({ page }) => {
  await open(page, 'New folder')
  const dialog = newFolder(page)
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused()
  for (const name of ['Cancel', 'Create']) {
    await page.keyboard.press('Tab')
    await expect(dialog.getByRole('button', { name })).toBeFocused()
  }
  await page.keyboard.press('Tab')
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'New folder' })).toBeFocused()
})

test('a phone makes a folder from the drawer', async ({ page, product }) => {
  await page.setViewportSize(phone)
  const toggle = page.getByRole('button', { name: 'Toggle sidebar' })
  await toggle.click()
  await expect(toggle).toHaveAttribute('aria-expanded', 'true')
  await expect(toggle).toBeFocused()
  await toggle.click()
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(toggle).toBeFocused()
  await toggle.click()
  await open(page, 'New folder')
  await newFolder(page).getByRole('textbox', { name: 'Name' }).fill('Box')
  await newFolder(page).getByRole('button', { name: 'Create' }).click()
  await expect(newFolder(page)).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toHaveProperty(['Box/'])
  await row(page, 'Box').click()
})

test('axe finds nothing in the dialog for a new file', async ({ page }) => {
  await open(page, 'New file')
  await newFile(page).getByRole('textbox', { name: 'Name' }).fill('letter.txt')
  await expect(newFile(page).getByRole('alert')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
