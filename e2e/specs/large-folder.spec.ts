import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { grid, row } from '../listing.ts'
import { expect, test } from '../product.ts'

const count = 20_000
const nameOf = (index: number) => `item ${String(index).padStart(5, '0')}.txt`

test('a folder of 20,000 files is drawn in part, and every file can be focused and selected', async ({
  page,
  product,
}) => {
  await product.put({})
  const folder = join(product.root, 'many')
  await mkdir(folder)
  for (let start = 0; start < count; start += 1000) {
    await Promise.all(Array.from({ length: 1000 }, (_, step) => writeFile(join(folder, nameOf(start + step)), '')))
  }
  await product.signIn(page)
  await row(page, 'many').dblclick()

  await expect(row(page, nameOf(0))).toBeVisible()
  await expect(page.locator('#live-status')).toHaveText('20,000 items')
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(count + 1))
  const drawn = () => page.getByRole('row').count()
  expect(await drawn()).toBeLessThan(400)

  await row(page, nameOf(0)).focus()
  await page.keyboard.press('End')
  await expect(row(page, nameOf(count - 1))).toBeFocused()
  await expect(row(page, nameOf(count - 1))).toBeInViewport()
  await expect(row(page, nameOf(count - 1))).toHaveAttribute('aria-rowindex', String(count + 1))
  expect(await drawn()).toBeLessThan(400)

  await page.keyboard.type('item 12345')
  await expect(row(page, nameOf(12_345))).toBeFocused()
  await expect(row(page, nameOf(12_345))).toBeInViewport()
  await page.keyboard.press('Shift+Home')
  const chosen = page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('status')
  await expect(chosen).toHaveText('12,346 selected')
  await page.keyboard.press('ControlOrMeta+a')
  await expect(chosen).toHaveText('20,000 selected')

  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic')
  expect(await drawn()).toBeLessThan(400)
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic gallery')
  expect(await drawn()).toBeLessThan(400)
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'list')
  await product.put({})
})
