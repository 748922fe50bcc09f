import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { row } from '../listing.ts'
import { expect, type Product, test } from '../product.ts'
import { ask, remove, saveInTurn } from '../saving.ts'
import { phone } from '../sizes.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Previous versions', exact: true })
const entries = (page: Page) => dialog(page).getByRole('listitem')
const entry = (page: Page, name: string) =>
  entries(page).filter({ has: page.getByRole('button', { name, exact: true }) })

/** Opens the dialog from the menu of free space. */
async function openFrom(page: Page, item: string): Promise<void> {
  const { x, y, width, height } = (await page.getByRole('main').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.mouse.click(x + width / 2, y + height - 60, { button: 'right' })
  await page.getByRole('menuitem', { name: item }).click()
  await expect(dialog(page)).toBeVisible()
}

/** Opens a folder, and waits for what comes after the first screen: the commands of the menus with the tree. */
async function open(page: Page, product: Product, folder: string): Promise<void> {
  await product.signIn(page, `files/${folder}/`)
  await expect(page.locator('main[aria-busy=false]')).toBeVisible()
  await expect(page.getByRole('tree', { name: 'Folder tree' })).toBeVisible()
}

test('a folder shows what is gone and what was different, and gives it back', async ({ page, product }) => {
  await product.put({ 'a/gone.txt': 'was here', 'a/same.txt': 'same', 'a/other.txt': 'old' })
  await saveInTurn(product, 'a/other.txt', 'something new')
  await remove(product, 'a/gone.txt')
  await open(page, product, 'a')
  await openFrom(page, 'Previous versions')
  await expect(entry(page, 'gone.txt')).toContainText('Gone')
  await expect(entry(page, 'same.txt')).toBeVisible()
  await expect(entry(page, 'same.txt')).not.toContainText(/Gone|Different/)
  await page.keyboard.press('Home')
  await expect(entry(page, 'other.txt')).toContainText('Different now')
  await dialog(page).getByRole('checkbox', { name: 'Only what is gone or different' }).check()
  await expect(entry(page, 'same.txt')).toHaveCount(0)
  expect(await findBarriersInBothThemes(page, '[role=dialog]')).toEqual([])

  await dialog(page).getByRole('checkbox', { name: 'Select gone.txt' }).check()
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect.poll(() => readFile(join(product.root, 'a/gone.txt'), 'utf8').catch(() => null)).toBe('was here')
  await page.keyboard.press('Escape')
  await expect(row(page, 'gone.txt')).toBeVisible()
})

test('a folder that was deleted whole is opened in the same time, and a part of it comes back', async ({
  page,
  product,
}) => {
  await product.put({ 'b/sub/deep/one.txt': 'one', 'b/sub/two.txt': 'two', 'b/stays.txt': '' })
  await remove(product, 'b/sub')
  await open(page, product, 'b')
  await openFrom(page, 'Show deleted files here')
  await expect(dialog(page).getByRole('checkbox', { name: 'Only what is gone or different' })).toBeChecked()
  await expect(entries(page)).toHaveCount(1)
  await entry(page, 'sub').getByRole('button').click()
  await entry(page, 'deep').getByRole('button').click()
  await expect(entry(page, 'one.txt')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'sub', exact: true }).click()
  await dialog(page).getByRole('checkbox', { name: 'Select two.txt' }).check()
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect.poll(() => readdir(join(product.root, 'b/sub')).catch(() => [])).toEqual(['two.txt'])
})

test('what was deleted from a folder is shown, whenever that was and whatever came after', async ({
  page,
  product,
}) => {
  await product.put({ 'g/first.txt': '1', 'g/second.txt': '2', 'g/sub/deep.txt': '', 'g/stays.txt': 'old' })
  await remove(product, 'g/first.txt')
  await remove(product, 'g/second.txt')
  await remove(product, 'g/sub/deep.txt')
  await saveInTurn(product, 'g/stays.txt', 'something new')
  await open(page, product, 'g')
  await openFrom(page, 'Show deleted files here')
  await expect(dialog(page).getByRole('note')).toContainText('Deleted from this folder')
  await expect(entries(page)).toHaveCount(2)
  await dialog(page).getByRole('checkbox', { name: 'Select all' }).check()
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect.poll(() => readdir(join(product.root, 'g'))).toEqual(['first.txt', 'second.txt', 'stays.txt', 'sub'])
  await expect(dialog(page)).toContainText('Nothing that was deleted from this folder is in the trash.')
})

test('a deleted file opens in the viewer, and closes to its folder', async ({ page, product }) => {
  await product.put({ 'c/old.txt': 'to be read', 'c/stays.txt': '' })
  await remove(product, 'c/old.txt')
  await open(page, product, 'c')
  await openFrom(page, 'Show deleted files here')
  await entry(page, 'old.txt').getByRole('button').click()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('to be read')
  await page.keyboard.press('Escape')
  await expect(row(page, 'stays.txt')).toBeVisible()
})

test('on a phone the entries fit, and the arrows lead through them', async ({ page, product }) => {
  await product.put({ 'd/first.txt': '1', 'd/second.txt': '2', 'd/stays.txt': '' })
  await remove(product, 'd/first.txt')
  await remove(product, 'd/second.txt')
  await open(page, product, 'd')
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Previous versions' }).click()
  await expect(entries(page).first()).toBeVisible()
  await page.keyboard.press('Home')
  await entry(page, 'first.txt').getByRole('button').focus()
  await page.keyboard.press('ArrowDown')
  await expect(entry(page, 'second.txt').getByRole('button')).toBeFocused()
  await expect(entry(page, 'second.txt')).toBeInViewport()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  expect(await findBarriersInBothThemes(page, '[role=dialog]')).toEqual([])
})

const mount = { name: 'Files', folder: '', links: 'inside', readOnly: false }
const kept = async (product: Product) => (await (await ask(product, 'GET', 'mounts')).json())[0].history

test('the settings of a root folder say what is kept, and what cannot be a number', async ({ page, product }) => {
  await product.put({ 'e/a.txt': '' })
  await open(page, product, 'e')
  await page.goto(new URL('settings/mounts', product.url).href)
  await page.getByRole('link', { name: 'Edit Files' }).click()
  const days = page.getByRole('textbox', { name: 'Keep deleted files for (days)' })
  await days.fill('soon')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('A whole number from 0 to 3650')
  await expect(days).toBeFocused()
  await days.fill('7')
  await page.getByRole('combobox', { name: 'Snapshots' }).selectOption('own')
  await page.getByRole('textbox', { name: 'Folder of the snapshots' }).fill('/nowhere')
  await page.getByRole('textbox', { name: 'Names of the snapshots' }).fill('daily-%Y')
  await expect(page.getByText(`A snapshot of now would be called daily-${new Date().getFullYear()}`)).toBeVisible()
  await page.getByRole('checkbox', { name: 'Keep previous versions' }).uncheck()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  try {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect
      .poll(() => kept(product))
      .toMatchObject({ trashDays: 7, versions: false, snapshots: 'own', snapshotPattern: 'daily-%Y' })
    await expect(page.getByRole('note', { name: 'Snapshots found' })).toBeVisible()
  } finally {
    const history = { trashDays: 30, versions: true, snapshots: 'auto', snapshotFolder: '', snapshotPattern: '' }
    await ask(product, 'PUT', 'mounts/1', { ...mount, history })
  }
})

test('where it is not decided, administrators are asked once whether deleted files are kept', async ({
  page,
  product,
}) => {
  await ask(product, 'PUT', 'mounts/1', { ...mount, history: { trash: 'ask', versions: false } })
  try {
    await product.put({ 'f/a.txt': '' })
    await open(page, product, 'f')
    const question = page.getByRole('region', { name: 'Keep deleted files for 30 days, so that they can be restored?' })
    await expect(question.getByRole('link', { name: 'Settings' })).toBeVisible()
    await expect(question.getByRole('button', { name: 'Do not keep' })).toBeVisible()
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await question.getByRole('button', { name: 'Keep them' }).click()
    await expect(question).toBeHidden()
    expect(await kept(product)).toMatchObject({ trash: 'on', versions: true })
    await page.reload()
    await expect(row(page, 'a.txt')).toBeVisible()
    await expect(question).toBeHidden()
  } finally {
    await ask(product, 'PUT', 'mounts/1', { ...mount, history: { trash: 'on', versions: true } })
  }
})
