import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { onDisk, openText } from '../editor.ts'
import { row } from '../listing.ts'
import { addUser, callApi } from '../people.ts'
import { expect, type Product, test } from '../product.ts'

async function logIn(page: Page, { username, password }: Product): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
}

/** Everything that the browser keeps for the page. */
const storedBy = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))

/** So long that a browser's storage should not hold it. */
const longText = 'a line of a long text\r\n'.repeat(80_000)

for (const [kind, before] of [
  ['a text', 'one\r\n'],
  ['a text that is longer than the storage of the browser holds', longText],
] as const)
  test(`${kind} is back after the session has ended from outside`, async ({ page, product }) => {
    await product.put({ 'notes.txt': before })
    await openText(page, product, 'notes.txt')
    const content = page.getByRole('textbox', { name: 'File content' })
    await content.press('ControlOrMeta+End')
    await page.keyboard.type('three')
    await callApi(product, 'POST', 'logout')
    await page.keyboard.press('ControlOrMeta+S')

    await logIn(page, product)

    const region = page.getByRole('region', { name: 'Editor' })
    await expect(region).toHaveAttribute('data-dirty', 'true')
    await expect(region.getByRole('status').filter({ hasText: 'Your text of notes.txt is back' })).toBeVisible()
    await content.press('ControlOrMeta+End')
    await expect(content).toContainText('three')
    await page.keyboard.press('ControlOrMeta+S')
    await expect(region).toHaveAttribute('data-dirty', 'false')
    await expect(region.getByRole('button', { name: 'Discard' })).toHaveCount(0)
    expect(String(await onDisk(product, 'notes.txt'))).toBe(`${before}three`)
  })

test('a text is kept against a reload and a lost tab, and a conflict is noticed at saving', async ({
  page,
  product,
  context,
}) => {
  await product.put({ 'a.txt': 'one', 'b.txt': 'first' })
  await openText(page, product, 'a.txt')
  const content = page.getByRole('textbox', { name: 'File content' })
  const region = page.getByRole('region', { name: 'Editor' })
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' two')
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(content).toHaveText('one two')
  await expect(region).toHaveAttribute('data-dirty', 'true')
  await region.getByRole('button', { name: 'Discard' }).click()
  await expect(content).toHaveText('one')
  await expect(content).toBeFocused()
  await expect(region).toHaveAttribute('data-dirty', 'false')
  await expect.poll(() => storedBy(page)).not.toContain(' two')

  // The tab is gone without a word, in the middle of another file, which then changes.
  await page.goto(new URL('files/b.txt', product.url).href)
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' mine')
  await expect.poll(() => storedBy(page)).toContain('first mine')
  await page.close()
  await writeFile(join(product.root, 'b.txt'), 'first theirs')

  const next = await context.newPage()
  await product.signIn(next)
  const list = next.getByRole('region', { name: 'Unsaved text' })
  expect(await findBarriersInBothThemes(next)).toEqual([])
  await list.getByRole('link', { name: 'b.txt' }).click()
  const text = next.getByRole('textbox', { name: 'File content' })
  await expect(text).toHaveText('first theirs')
  await expect(next.getByRole('status').filter({ hasText: 'Your text of b.txt was kept' })).toBeVisible()
  expect(await findBarriersInBothThemes(next)).toEqual([])
  await next.getByRole('region', { name: 'Editor' }).getByRole('button', { name: 'Discard' }).click()
  await next.getByRole('alertdialog', { name: 'Unsaved text' }).getByRole('button', { name: 'Cancel' }).click()
  await next.getByRole('button', { name: 'Restore' }).click()
  await expect(text).toHaveText('first mine')
  await next.keyboard.press('ControlOrMeta+S')
  await next
    .getByRole('alertdialog', { name: 'The file has changed' })
    .getByRole('button', { name: 'Keep mine' })
    .click()
  await expect(next.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  expect(String(await onDisk(product, 'b.txt'))).toBe('first mine')
  await next.keyboard.press('Escape')
  await expect(row(next, 'b.txt')).toBeVisible()
  await expect(list).toHaveCount(0)
  expect(await storedBy(next)).not.toContain('mine')
})

test('signing out names the unsaved texts it removes', async ({ page, product, context }) => {
  await product.put({ 'a.txt': 'one', 'b.txt': 'two' })
  await openText(page, product, 'a.txt')
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' secret')
  await expect.poll(() => storedBy(page)).toContain('secret')
  await page.close()
  const next = await context.newPage()
  await product.signIn(next)
  const list = next.getByRole('region', { name: 'Unsaved text' })
  await list.getByRole('button', { name: 'Discard the unsaved text of a.txt' }).click()
  const question = next.getByRole('alertdialog', { name: 'Unsaved text' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(list.getByRole('link', { name: 'a.txt' })).toBeVisible()

  await next.getByRole('button', { name: 'Logout' }).click()
  const dialog = next.getByRole('alertdialog', { name: 'Logout' })
  await expect(dialog).toContainText('Unsaved text in a.txt')
  await dialog.getByRole('button', { name: 'Logout' }).click()
  await expect(next.getByLabel('Username')).toBeVisible()
  expect(await storedBy(next)).not.toContain('secret')
})

for (const choice of ['Discard', 'Save'])
  test(`text that was left with "${choice}" does not come back`, async ({ page, product }) => {
    await product.put({ 'notes.txt': 'one' })
    await openText(page, product, 'notes.txt')
    const content = page.getByRole('textbox', { name: 'File content' })
    await content.press('ControlOrMeta+End')
    await page.keyboard.type(' two')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button', { name: choice }).click()
    await expect(page.getByRole('region', { name: 'Editor' })).toBeHidden()
    await writeFile(join(product.root, 'notes.txt'), 'three')
    await row(page, 'notes.txt').dblclick()
    await expect(content).toHaveText('three')
    await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  })

test('text that was deleted with its file is not put into a new file of that name', async ({ page, product }) => {
  await product.put({ 'notes.txt': 'one' })
  await openText(page, product, 'notes.txt')
  const content = page.getByRole('textbox', { name: 'File content' })
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' secret')
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'true')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(row(page, 'notes.txt')).toHaveCount(0)
  expect(await storedBy(page)).not.toContain('secret')

  await page.getByRole('button', { name: 'New file' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('notes.txt')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  await expect(content).toHaveText('')
})

test('a kept text goes with its file when that is renamed or moved, and is removed when it is deleted', async ({
  page,
  product,
}) => {
  await product.put({ 'notes.txt': 'one', 'Box/other.txt': '' })
  await openText(page, product, 'notes.txt')
  const content = page.getByRole('textbox', { name: 'File content' })
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' secret')
  await callApi(product, 'POST', 'logout')
  await page.keyboard.press('ControlOrMeta+S')
  await expect(page.getByLabel('Username')).toBeVisible()
  // The session ended elsewhere: the same person comes back, but not to the text.
  await page.evaluate(() => history.replaceState({}, '', '/login'))
  await page.reload()
  await logIn(page, product)
  const list = page.getByRole('region', { name: 'Unsaved text' })
  await expect(list.getByRole('link', { name: 'notes.txt' })).toBeVisible()
  await row(page, 'notes.txt').click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name' }).fill('new.txt')
  await page.keyboard.press('Enter')
  await expect(list.getByRole('link', { name: 'new.txt' })).toHaveAttribute('href', /\/files\/new\.txt$/)
  await row(page, 'new.txt').click()
  await page.keyboard.press('ControlOrMeta+X')
  await row(page, 'Box').dblclick()
  await expect(row(page, 'other.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+V')
  await expect(list.getByRole('link', { name: 'new.txt' })).toHaveAttribute('href', /\/files\/Box\/new\.txt$/)
  await list.getByRole('link', { name: 'new.txt' }).click()
  await expect(content).toHaveText('one secret')
  page.on('dialog', (dialog) => void dialog.accept())
  await page.goto(new URL('files/', product.url).href)

  await row(page, 'Box').click()
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, 'Box')).toHaveCount(0)
  await expect(list).toHaveCount(0)
  expect(await storedBy(page)).not.toContain('secret')
})

test('unsaved text is not left in the browser for another person', async ({ page, product }) => {
  await product.put({ 'notes.txt': 'one', 'guests/': '' })
  await addUser(product, 'visitor', 'a seat by the fire', { scope: '/guests' })
  await openText(page, product, 'notes.txt')
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' secret')
  await callApi(product, 'POST', 'logout')
  await page.keyboard.press('ControlOrMeta+S')
  await page.getByLabel('Username').fill('visitor')
  expect(await storedBy(page)).toContain('secret')

  await page.getByLabel('Password', { exact: true }).fill('a seat by the fire')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect(page.getByRole('link', { name: 'visitor' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Unsaved text' })).toHaveCount(0)
  expect(await storedBy(page)).not.toContain('secret')
})
