import type { Page } from '@playwright/test'
import { row, selected } from '../listing.ts'
import { expect, test } from '../product.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Outer/Inner/': '', 'Outer/deep.txt': 'deep', 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
  await product.signIn(page)
  await expect(row(page, 'a.txt')).toBeVisible()
})

test('a folder under dragged rows is marked as a drop target, unless it is selected', async ({ page }) => {
  await row(page, 'a.txt').click()
  await row(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })
  await pickUp(page, 'b.txt')
  await hoverOver(page, 'c.txt')
  await expect(page.locator('[data-drop-target=true]')).toHaveCount(0)
  await hoverOver(page, 'Outer')
  await expect(row(page, 'Outer')).toHaveAttribute('data-drop-target', 'true')
  await expect.poll(() => selected(page)).toEqual(['a.txt', 'b.txt'])
  await hoverOver(page, 'c.txt')
  await expect(page.locator('[data-drop-target=true]')).toHaveCount(0)
  await page.mouse.up()
})

test('a row that is not selected is dragged alone, and a folder not into itself', async ({ page }) => {
  await row(page, 'a.txt').click()
  await pickUp(page, 'Outer')
  await hoverOver(page, 'Outer', 8)
  await expect.poll(() => selected(page)).toEqual(['Outer'])
  await expect(page.locator('[data-drop-target=true]')).toHaveCount(0)
  await page.mouse.up()
})

test('breadcrumbs are drop targets, except the folder that the row comes from', async ({ page, product }) => {
  await page.goto(new URL('files/Outer/', product.url).href)
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await pickUp(page, 'deep.txt')
  await crumbs.getByRole('link', { name: 'Outer' }).hover()
  await crumbs.getByRole('link', { name: 'Outer' }).hover({ position: { x: 4, y: 4 } })
  await expect(page.locator('[data-drop-target=true]')).toHaveCount(0)
  await crumbs.getByRole('link', { name: 'Home' }).hover()
  await crumbs.getByRole('link', { name: 'Home' }).hover({ position: { x: 4, y: 4 } })
  await expect(crumbs.getByRole('link', { name: 'Home' })).toHaveAttribute('data-drop-target', 'true')
  await row(page, 'deep.txt').hover()
  await page.mouse.up()
})

async function pickUp(page: Page, name: string): Promise<void> {
  await row(page, name).hover()
  await page.mouse.down()
}

/** Twice: the browser tells about a drag only while the pointer moves. */
async function hoverOver(page: Page, name: string, offset = 0): Promise<void> {
  const box = await row(page, name).boundingBox()
  if (box === null) throw new Error(`${name} is not drawn`)
  await page.mouse.move(box.x + 80 + offset, box.y + 20)
  await page.mouse.move(box.x + 90 + offset, box.y + 22)
}
