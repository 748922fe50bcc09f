import { findBarriersInBothThemes } from '../barriers.ts'
import { grid, names, row, selected } from '../listing.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { recording } from '../samples/recording.ts'
import { hold } from '../slow-line.ts'
import { titleIn } from '../viewer.ts'

test.beforeEach(async ({ page, product }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await product.put({ 'Box/': '', 'a.txt': 'a', 'b.zip': 'b', 'c.txt': 'c', 'd.mp3': 'd' })
  await product.signIn(page)
})

test('the list is sorted by type in this browser, and by another column again', async ({ page }) => {
  const type = page.getByRole('columnheader', { name: 'Type' })
  await page.getByRole('button', { name: 'Sort by type' }).click()
  await expect(type).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(() => names(page)).toEqual(['Box', 'b.zip', 'd.mp3', 'a.txt', 'c.txt'])
  await page.reload()
  await expect(type).toHaveAttribute('aria-sort', 'ascending')
  await page.getByRole('button', { name: 'Sort by type' }).click()
  await expect.poll(() => names(page)).toEqual(['Box', 'a.txt', 'c.txt', 'd.mp3', 'b.zip'])
  await page.getByRole('button', { name: 'Sort by name' }).click()
  await expect.poll(() => names(page)).toEqual(['Box', 'a.txt', 'b.zip', 'c.txt', 'd.mp3'])
  await expect(type).toHaveAttribute('aria-sort', 'none')
})

test('sorted by type, a viewer steps through the files in the order of the list, also after a deletion', async ({
  page,
  product,
}) => {
  await product.put({ 'a.png': picture(4, 4), 'b.wav': recording(1), 'c.png': picture(4, 4) })
  await page.getByRole('button', { name: 'Sort by type' }).click()
  await expect.poll(() => names(page)).toEqual(['b.wav', 'a.png', 'c.png'])
  await row(page, 'b.wav').dblclick()
  await expect(titleIn(page)).toHaveText('b.wav')
  await expect(page.getByRole('button', { name: 'Previous' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(titleIn(page)).toHaveText('a.png')
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(titleIn(page)).toHaveText('c.png')
  await expect(page.getByRole('button', { name: 'Next' })).toHaveCount(0)
})

test('one box selects everything and nothing; columns are chosen under their heading', async ({ page }) => {
  const all = grid(page).getByRole('checkbox', { name: 'Select all' })
  await row(page, 'a.txt').click()
  await expect(all).toHaveJSProperty('indeterminate', true)
  await all.click()
  await expect(all).toBeChecked()
  expect(await selected(page)).toHaveLength(5)
  await all.click()
  await expect(all).not.toBeChecked()
  expect(await selected(page)).toEqual([])

  await page.getByRole('button', { name: 'View options' }).click()
  const columns = page.getByRole('group', { name: 'Columns' })
  await columns.getByRole('menuitemcheckbox', { name: 'Size' }).click()
  await expect(columns.getByRole('menuitemcheckbox', { name: 'Size' })).toHaveAttribute('aria-checked', 'false')
  await expect(page.getByRole('group', { name: 'View' }).getByRole('menuitemradio', { name: 'List' })).toBeVisible()
  expect(await findBarriersInBothThemes(page, '[role=menu]')).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveCount(0)
  await expect(row(page, 'a.txt').getByRole('gridcell')).toHaveCount(2)
  await page.reload()
  await expect(row(page, 'a.txt').getByRole('gridcell')).toHaveCount(2)
})

test('the bar below a folder is empty until the folder is known', async ({ page }) => {
  const bar = page.getByRole('contentinfo')
  await expect(bar).toContainText('5 items')
  await expect(bar).toContainText(' free')
  const listed = await hold(page, '**/api/resources/Box')
  await row(page, 'Box').dblclick()
  await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'true')
  await expect(bar).toHaveText('')
  await listed.letGo()
  await expect(bar).toContainText('0 items')
})
