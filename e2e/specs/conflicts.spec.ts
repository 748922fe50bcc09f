import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriers } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { treeOf } from '../disk.ts'
import { row } from '../listing.ts'
import { expect, type Product, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { phone } from '../sizes.ts'
import { toast } from '../toast.ts'

const files = {
  'Box/a.txt': 'old a',
  'Box/b.txt': 'b',
  'Box/dir/kept.txt': 'kept',
  'Box/dir/both.txt': 'old',
  'a.txt': 'a',
  'b.txt': 'new b',
  'c.txt': 'c',
  'dir/both.txt': 'new',
}

test.beforeEach(async ({ page, product }) => {
  await product.put(files)
  await product.signIn(page)
})

const first = (page: Page) => page.getByRole('dialog', { name: 'Replace or skip files' })
const second = (page: Page) => page.getByRole('dialog', { name: 'Which files do you want to keep?' })
const group = (page: Page, path: string) => second(page).getByRole('radiogroup', { name: path, exact: true })

async function copyToBox(page: Page, ...names: string[]): Promise<void> {
  await choose(page, ...names)
  await act(page, 'Copy file')
  await page.getByRole('option', { name: 'Box' }).click()
  await page.getByRole('dialog', { name: 'Copy' }).getByRole('button', { name: 'Copy' }).click()
  await expect(first(page)).toBeVisible()
}

const box = (product: Product) =>
  Object.fromEntries(Object.entries(treeOf(product.root)).filter(([path]) => /^Box\/[^/]+$/.test(path)))

for (const [answer, expected] of [
  ['Replace all files in destination folder', { 'Box/a.txt': 'a', 'Box/b.txt': 'new b', 'Box/c.txt': 'c' }],
  [
    'Rename all files (create a copy)',
    {
      'Box/a.txt': 'old a',
      'Box/a(1).txt': 'a',
      'Box/b.txt': 'b',
      'Box/b(1).txt': 'new b',
      'Box/c.txt': 'c',
    },
  ],
  ['Skip all conflicting files', { 'Box/a.txt': 'old a', 'Box/b.txt': 'b', 'Box/c.txt': 'c' }],
  // Only b is smaller in the destination than where it comes from.
  ['Resume previous transfer', { 'Box/a.txt': 'old a', 'Box/b.txt': 'new b', 'Box/c.txt': 'c' }],
] as const) {
  test(`${answer}`, async ({ page, product }) => {
    await copyToBox(page, 'a.txt', 'b.txt', 'c.txt')
    await first(page).getByRole('button', { name: answer }).click()
    await expect(toast(page, /^Copied/)).toBeVisible()
    expect(box(product)).toEqual(expected)
  })
}

test('cancelling leaves everything as it is', async ({ page, product }) => {
  const before = treeOf(product.root)
  await copyToBox(page, 'a.txt', 'c.txt')
  await first(page).getByRole('button', { name: 'Cancel' }).click()
  await copyToBox(page, 'a.txt', 'c.txt')
  await first(page).getByRole('button', { name: 'Decide for each conflicting file' }).click()
  await page.keyboard.press('Escape')
  await expect(second(page)).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toEqual(before)
})

test('each one can be decided, with both sides in view', async ({ page, product }) => {
  await utimes(join(product.root, 'a.txt'), new Date('2026-03-02T10:00:00Z'), new Date('2026-03-02T10:00:00Z'))
  await utimes(join(product.root, 'Box/a.txt'), new Date('2025-01-01T10:00:00Z'), new Date('2025-01-01T10:00:00Z'))
  await page.reload()
  await copyToBox(page, 'a.txt', 'b.txt', 'dir')
  await first(page).getByRole('button', { name: 'Decide for each conflicting file' }).click()

  await expect(group(page, 'a.txt')).toContainText('Newer')
  await expect(group(page, 'a.txt')).toContainText('Larger')
  await expect(group(page, 'a.txt')).toContainText('5 B')
  await second(page).getByRole('button', { name: 'Replace' }).click()
  await expect(group(page, 'b.txt').getByRole('radio', { name: 'Replace' })).toBeChecked()
  await second(page).getByRole('button', { name: 'Skip' }).click()
  await expect(group(page, 'b.txt').getByRole('radio', { name: 'Skip' })).toBeChecked()
  await group(page, 'a.txt').getByRole('radio', { name: 'Keep both' }).check()
  // Folders stay put together: only the files that are taken are skipped.
  await expect(group(page, 'dir').getByRole('radio', { name: 'Replace' })).toBeChecked()
  await group(page, 'dir/both.txt').getByRole('radio', { name: 'Replace' }).check()
  expect(await findBarriers(page)).toEqual([])
  await second(page).getByRole('button', { name: 'OK' }).click()

  await expect(toast(page, 'Copied 2 items to Box')).toBeVisible()
  // Folders are merged: what only the destination has stays.
  await expect
    .poll(() => treeOf(product.root))
    .toEqual({
      ...treeOf(product.root),
      'Box/a(1).txt': 'a',
      'Box/a.txt': 'old a',
      'Box/b.txt': 'b',
      'Box/dir/both.txt': 'new',
      'Box/dir/kept.txt': 'kept',
    })
})

test('no decision is preselected that would lose something', async ({ page, product }) => {
  await product.put({
    'newer.txt': 'one',
    'Box/newer.txt': 'two',
    'older.txt': 'one',
    'Box/older.txt': 'two',
    'larger.txt': 'one',
    'Box/larger.txt': 'a longer one',
    'dir/a.txt': 'one',
    'Box/dir/a.txt': 'two',
  })
  const date = (path: string, day: string) => utimes(join(product.root, path), new Date(day), new Date(day))
  await date('newer.txt', '2026-03-02')
  await date('Box/newer.txt', '2025-01-01')
  await date('older.txt', '2025-01-01')
  await date('Box/older.txt', '2026-03-02')
  await date('larger.txt', '2026-03-02')
  await date('Box/larger.txt', '2025-01-01')
  await date('dir', '2026-03-02')
  await date('Box/dir', '2025-01-01')
  await page.reload()
  await copyToBox(page, 'dir', 'larger.txt', 'newer.txt', 'older.txt')
  await expect(first(page).getByRole('button', { name: 'Skip all conflicting files' })).toBeFocused()
  await first(page).getByRole('button', { name: 'Decide for each conflicting file' }).click()
  for (const [path, choice] of [
    ['newer.txt', 'Keep both'],
    ['older.txt', 'Skip'],
    ['larger.txt', 'Keep both'],
    ['dir', 'Replace'],
  ] as const)
    await expect(group(page, path).getByRole('radio', { name: choice })).toBeChecked()
  await second(page).getByRole('button', { name: 'OK' }).click()
  await expect(toast(page, /^Copied/)).toBeVisible()
  await expect
    .poll(() => treeOf(product.root))
    .toMatchObject({
      'Box/newer.txt': 'two',
      'Box/newer(1).txt': 'one',
      'Box/older.txt': 'two',
      'Box/larger.txt': 'a longer one',
      'Box/larger(1).txt': 'one',
      'Box/dir/a.txt': 'two',
    })
})

test('where everything is skipped, that is said, and a move that keeps both can be undone', async ({
  page,
  product,
}) => {
  const before = treeOf(product.root)
  await copyToBox(page, 'a.txt', 'b.txt')
  await page.keyboard.press('Enter')
  await expect(toast(page, '2 items were already there. Nothing was changed.')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(before)

  await choose(page, 'a.txt')
  await act(page, 'Move file')
  await page.getByRole('option', { name: 'Box' }).click()
  await page.getByRole('dialog', { name: 'Move' }).getByRole('button', { name: 'Move' }).click()
  await first(page).getByText('Keep both', { exact: true }).click()
  await expect(toast(page, 'Moved a.txt to Box')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Box/a.txt': 'old a', 'Box/a(1).txt': 'a' })
  await page.keyboard.press('ControlOrMeta+z')
  await expect(row(page, 'a.txt')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(before)
})

test('pictures that have the same name are seen side by side', async ({ page, product }) => {
  await product.put({ 'a.png': picture(40, 20), 'Box/a.png': picture(40, 20) })
  for (const [path, day] of [
    ['a.png', '2026-03-02'],
    ['Box/a.png', '2026-03-03'],
  ] as const)
    await utimes(join(product.root, path), new Date(day), new Date(day))
  await page.reload()
  await copyToBox(page, 'a.png')
  await first(page).getByRole('button', { name: 'Decide for each conflicting file' }).click()
  const images = group(page, 'a.png').locator('img')
  await expect(images).toHaveCount(2)
  for (const image of await images.all())
    await expect.poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBeGreaterThan(0)
  await expect(group(page, 'a.png').getByText('Newer', { exact: true })).toHaveCount(1)
})

test('a move over something is taken back with what it replaced', async ({ page, product }) => {
  const before = treeOf(product.root)
  await choose(page, 'a.txt')
  await act(page, 'Move file')
  await page.getByRole('option', { name: 'Box' }).click()
  await page.getByRole('dialog', { name: 'Move' }).getByRole('button', { name: 'Move' }).click()
  await first(page).getByRole('button', { name: 'Replace all files in destination folder' }).click()
  await expect(row(page, 'a.txt')).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Box/a.txt': 'a' })
  await toast(page, 'Moved a.txt to Box').getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'a.txt')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(before)
})

test('a phone shows both steps as sheets, and axe finds nothing in the dark', async ({ page, product }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(phone)
  await copyToBox(page, 'a.txt')
  expect(await findBarriers(page)).toEqual([])
  await first(page).getByRole('button', { name: 'Decide for each conflicting file' }).click()
  await group(page, 'a.txt').getByRole('radio', { name: 'Keep both' }).check()
  expect(await findBarriers(page)).toEqual([])
  await page.setViewportSize({ width: 820, height: 1180 })
  await expect(second(page)).toBeInViewport({ ratio: 1 })
  await second(page).getByRole('button', { name: 'OK' }).click()
  await expect(toast(page, 'Copied a.txt to Box')).toBeVisible()
  expect(box(product)).toMatchObject({ 'Box/a(1).txt': 'a', 'Box/a.txt': 'old a' })
})
