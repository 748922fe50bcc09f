import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onDisk, openText } from '../editor.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'

test('leaving with changes asks: stay, save or discard', async ({ page, product }) => {
  await product.put({ 'a.txt': 'old' })
  await openText(page, product, 'a.txt')
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' new')
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'true')
  const dialog = page.getByRole('alertdialog', { name: 'Unsaved changes' })

  await page.route('**/UnsavedChangesDialog-*.js', (route) => route.abort())
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alert')).toContainText('No connection to the server')
  await expect(page).toHaveURL(/a\.txt$/)
  await page.unroute('**/UnsavedChangesDialog-*.js')

  await page.getByRole('link', { name: 'Settings' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/a\.txt$/)

  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
  expect(String(await onDisk(product, 'a.txt'))).toBe('old new')

  await page.goto(new URL('files/a.txt', product.url).href)
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' never')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
  expect(String(await onDisk(product, 'a.txt'))).toBe('old new')
})

test('the back button asks about changes, and goes back after Discard', async ({ page, product }) => {
  await product.put({ 'a.txt': 'old' })
  await product.signIn(page)
  await page.getByRole('link', { name: 'admin' }).click()
  await expect(page).toHaveURL(/settings/)
  await page.evaluate(() => history.back())
  await expect(page).toHaveURL(/files/)
  await page.keyboard.press('ControlOrMeta+Shift+F')
  await page.getByRole('searchbox').fill('a.txt')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'a.txt', exact: true }).click()
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' new')
  const dialog = page.getByRole('alertdialog', { name: 'Unsaved changes' })

  await page.evaluate(() => history.back())
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/a\.txt$/)
  await page.evaluate(() => history.back())
  await dialog.getByRole('button', { name: 'Discard' }).click()

  await expect(page).toHaveURL(/files\/$/)
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
})

test('closing and deleting a text lead back in the history, and a text that is opened again is read anew', async ({
  page,
  product,
}) => {
  await product.put({ 'Notes/a.txt': 'one' })
  await product.signIn(page, 'files/')
  await row(page, 'Notes').dblclick()
  await row(page, 'a.txt').dblclick()
  const content = page.getByRole('textbox', { name: 'File content' })
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' unwanted')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
  await writeFile(join(product.root, 'Notes/a.txt'), 'two')
  await page.goForward()
  await expect(content).toHaveText('two')

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/files\/Notes\/$/)
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(/\/files\/$/)
})
