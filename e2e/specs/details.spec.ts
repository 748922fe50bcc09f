import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { choose } from '../changing.ts'
import { row, selected } from '../listing.ts'
import { prefer } from '../people.ts'
import { expect, test } from '../product.ts'

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="300"><rect width="200" height="300" fill="teal"/></svg>'

test.beforeEach(async ({ page, product }) => {
  await product.put({
    'Photos/2025/deep.txt': '12345',
    'Photos/lake.svg': picture,
    'a.txt': 'Dear reader',
    'b.txt': 'bread',
    'tile.svg': picture,
  })
  await product.signIn(page)
  await expect(row(page, 'a.txt')).toBeVisible()
})

const pane = (page: Page) => page.getByRole('complementary', { name: 'Details' })
const fact = (page: Page, name: string) =>
  pane(page).locator('dt').filter({ hasText: name }).locator('xpath=following-sibling::dd[1]')

test('the pane follows the selection, adds up folders and checks files on demand, and stays open', async ({ page }) => {
  await page.keyboard.press('i')
  await expect(pane(page).getByRole('heading', { name: 'My files' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Details' })).toHaveAttribute('aria-pressed', 'true')

  await choose(page, 'Photos')
  await expect(pane(page).getByRole('heading', { name: 'Photos' })).toBeVisible()
  await expect(fact(page, 'Path')).toContainText('/Photos')
  await pane(page).getByRole('button', { name: 'Calculate size' }).click()
  await expect(fact(page, 'Size')).toContainText('2 files')

  await choose(page, 'a.txt')
  await expect(fact(page, 'Type')).toContainText('Text · TXT')
  await expect(fact(page, 'Size')).toContainText('11 B')
  await expect(fact(page, 'Last modified')).toContainText(/\d{4}/)
  await pane(page).getByRole('button', { name: 'Show Checksums' }).click()
  for (const name of ['md5', 'sha1', 'sha256', 'sha512'])
    await expect(pane(page).locator(`[data-checksum=${name}]`)).toHaveText(
      createHash(name).update('Dear reader').digest('hex'),
    )
  expect(await findBarriersInBothThemes(page, '[aria-label="Details"]')).toEqual([])

  await choose(page, 'Photos', 'a.txt', 'b.txt')
  await expect(pane(page).getByRole('heading', { name: '3 items' })).toBeVisible()
  // The facts follow the heading once the selection rests.
  await expect(fact(page, 'Number of directories')).toHaveText('1')
  await expect(fact(page, 'Number of files')).toHaveText('2')
  await pane(page).getByRole('button', { name: 'Calculate size' }).click()
  await expect(fact(page, 'Size')).toContainText('4 files')

  await page.reload()
  await expect(pane(page).getByRole('heading', { name: 'My files' })).toBeVisible()
  await pane(page).getByRole('button', { name: 'Close' }).click()
  await expect(pane(page)).toHaveCount(0)
})

test('where lines run from right to left, the path begins beside its heading, and is copied at its end', async ({
  page,
  product,
}) => {
  await page.keyboard.press('i')
  await expect(pane(page)).toBeVisible()
  await prefer(product, { locale: 'ar' })
  await page.reload()
  const path = page.locator('dd').filter({ hasText: '/' }).last()
  const copy = path.getByRole('button')
  await expect(copy).toBeVisible()
  expect((await path.getByText('/').boundingBox())?.x).toBeGreaterThan((await copy.boundingBox())?.x ?? 0)
})

test('a window without room for a pane shows the same as a dialog', async ({ page }) => {
  await page.setViewportSize({ width: 820, height: 1180 })
  await choose(page, 'tile.svg')
  await page.keyboard.press('ControlOrMeta+i')
  const dialog = page.getByRole('dialog', { name: 'Details' })
  await expect(dialog.getByRole('definition').filter({ hasText: '200 × 300' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
})

test('a quick look goes on with the arrows, and leaves the keyboard where it ended', async ({ page, product }) => {
  await writeFile(join(product.root, 'c.md'), '# Plan')
  await page.reload()
  await choose(page, 'a.txt')
  await page.keyboard.press('Alt+p')
  await expect(page.getByRole('dialog', { name: 'a.txt' }).getByRole('document', { name: 'a.txt' })).toHaveText(
    'Dear reader',
  )
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('dialog', { name: 'b.txt' })).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('dialog', { name: 'c.md' }).getByRole('heading', { name: 'Plan' })).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Space')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(row(page, 'b.txt')).toBeFocused()
  expect(await selected(page)).toEqual(['b.txt'])
})

test('what another program puts into the folder is there when the page is looked at again, and selects nothing', async ({
  page,
  product,
}) => {
  await choose(page, 'a.txt')
  await writeFile(join(product.root, 'come.txt'), 'from elsewhere')
  const highlighted = page.waitForFunction(() => document.querySelector('[aria-label="come.txt"][data-fresh]') !== null)
  // The watch is loaded after the listing, so it may miss the first look.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await expect(row(page, 'come.txt')).toBeVisible({ timeout: 500 })
  }).toPass()
  await highlighted
  await expect(row(page, 'come.txt')).not.toHaveAttribute('data-fresh')
  expect(await selected(page)).toEqual(['a.txt'])

  await writeFile(join(product.root, 'later.txt'), 'later')
  await page.keyboard.press('Alt+r')
  await expect(row(page, 'later.txt')).toBeVisible()
})
