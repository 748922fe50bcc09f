import type { Page } from '@playwright/test'
import { act, choose } from '../changing.ts'
import { treeOf } from '../disk.ts'
import { pressRussian } from '../layouts.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { toast } from '../toast.ts'

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
  expect(treeOf(product.root)).toEqual({
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
  await expect(toast(page, 'Deleted z.txt')).toBeVisible()
  expect(treeOf(product.root)).toEqual({ ...first, 'New/': '', 'z.txt': 'a', 'a.txt': undefined })
  await pressRussian(page, 'z', { ctrl: true })
  await expect(row(page, 'a.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(row(page, 'New')).toHaveCount(0)
  await expect.poll(() => treeOf(product.root)).toEqual(first)

  // With nothing left to undo they do nothing.
  await page.keyboard.press('ControlOrMeta+z')
  await page.keyboard.press('F1')
  await expect(page.getByRole('row', { name: /Undo/ })).toContainText('CtrlZ')
  expect(treeOf(product.root)).toEqual(first)
})

test('what was changed since it was made is kept, and a name that is taken by now is told', async ({
  page,
  product,
}) => {
  await sendToBox(page, 'Copy', 'a.txt')
  const copied = toast(page, 'Copied a.txt to Box')
  await expect(copied).toBeVisible()
  await rename(page, 'b.txt', 'z.txt')
  await product.put({ 'Box/a.txt': 'written since', 'a.txt': 'a', 'b.txt': 'another', 'z.txt': 'b' })

  await toast(page, 'Renamed to z.txt').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Could not rename z.txt' })).toContainText('already')
  await page.keyboard.press('ControlOrMeta+z')
  await expect(page.getByRole('alert').filter({ hasText: 'may have been changed: a.txt' })).toBeVisible()
  expect(treeOf(product.root)).toEqual({
    'Box/': '',
    'Box/a.txt': 'written since',
    'a.txt': 'a',
    'b.txt': 'another',
    'z.txt': 'b',
  })
  await expect(row(page, 'b.txt')).toBeVisible()
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
