import { treeOf } from '../disk.ts'
import { pressRussian } from '../layouts.ts'
import { row, selected } from '../listing.ts'
import { expect, test } from '../product.ts'
import { film } from '../samples/film.ts'
import { toast } from '../toast.ts'

const ctrl = { ctrl: true }

test('on a Russian layout the shortcuts of a folder work', async ({ page, product }) => {
  await product.put({ 'Box/': '', 'a.txt': 'a', 'b.txt': 'b' })
  await product.signIn(page)
  await row(page, 'a.txt').click()
  await pressRussian(page, 'a', ctrl)
  await expect.poll(() => selected(page)).toEqual(['Box', 'a.txt', 'b.txt'])

  // With nothing selected they act on the row that has the focus.
  await page.keyboard.press('Escape')
  await row(page, 'a.txt').focus()
  await pressRussian(page, 'c', ctrl)
  await expect(toast(page, 'a.txt is ready to be pasted')).toBeVisible()
  await row(page, 'Box').dblclick()
  await expect(page).toHaveURL(/Box\/$/)
  await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false')
  await pressRussian(page, 'v', ctrl)
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Box/a.txt': 'a' })

  await row(page, 'a.txt').click()
  const [download] = await Promise.all([page.waitForEvent('download'), pressRussian(page, 's', ctrl)])
  expect(download.suggestedFilename()).toBe('a.txt')
  await pressRussian(page, 'k', ctrl)
  await expect(page.getByRole('dialog', { name: 'Search' })).toBeVisible()
  await expect(page.locator('#search')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await pressRussian(page, 'f', { ctrl: true, shift: true })
  await expect(page.getByRole('dialog', { name: 'Search' })).toBeVisible()
})

test('on a Russian layout a text is saved by its shortcut', async ({ page, product }) => {
  await product.put({ 'a.txt': 'old' })
  await product.signIn(page, 'files/a.txt')
  await page.getByRole('textbox', { name: 'File content' }).click()
  await page.keyboard.type('new ')
  await pressRussian(page, 's', ctrl)
  await expect.poll(() => treeOf(product.root)).toEqual({ 'a.txt': expect.stringContaining('new') })
})

test('on a Russian layout the letters of a viewer work', async ({ page, product }) => {
  await product.put({ 'film.webm': film })
  await product.signIn(page, 'files/film.webm')
  const video = page.locator('video')
  await expect(video).toBeVisible()
  await pressRussian(page, 'm')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.muted)).toBe(true)
})
