import { findBarriersInBothThemes } from '../barriers.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({
    'Trips/Harz/route.pdf': 'x',
    'Trips/Harz/harz-view.jpg': 'x',
    'Trips/Alps/': '',
    'harz.txt': 'x',
    'other.txt': 'x',
  })
  await product.signIn(page)
})

test('Enter finds names as they come, and a result opens', async ({ page }) => {
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await expect(dialog.getByRole('searchbox', { name: 'Search' })).toBeFocused()
  await expect(dialog.getByRole('status')).toHaveText('Type to search...')

  await page.keyboard.type('HARZ')
  await expect(dialog.getByRole('status')).toHaveText('Press enter to search...')
  await page.keyboard.press('Enter')

  await expect(dialog.getByRole('status')).toHaveText('3 results')
  const results = dialog.getByRole('list', { name: 'Search results' })
  await expect(results.getByRole('link', { name: 'Trips/Harz', exact: true })).toBeVisible()
  await expect(results.locator('mark').first()).toHaveText(/harz/i)
  await results.getByRole('link', { name: 'Trips/Harz', exact: true }).click()

  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL(/\/files\/Trips\/Harz\/$/)
})

test('it looks below the folder in view, and the arrows walk through what is found', async ({ page, product }) => {
  await page.goto(new URL('files/Trips/', product.url).href)
  await expect(page.locator('main[aria-busy="false"]')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('button', { name: 'PDF' }).click()
  await expect(dialog.getByRole('searchbox')).toHaveValue('type:pdf ')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status')).toHaveText('1 result')

  await page.keyboard.press('ArrowDown')

  await expect(dialog.getByRole('link', { name: 'Harz/route.pdf' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/files\/Trips\/Harz\/route\.pdf$/)
})

test('what is typed before the dialog is there is searched; nothing found is said, and Escape closes', async ({
  page,
}) => {
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const program = await hold(page, '**/SearchPrompt-*.js')
  const isAskedFor = page.waitForRequest('**/SearchPrompt-*.js')
  await page.keyboard.press('ControlOrMeta+Shift+F')
  await isAskedFor
  await page.keyboard.type('no such namee')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await program.letGo()
  await expect(dialog.getByRole('searchbox')).toHaveValue('no such name')
  await expect(dialog.getByRole('status')).toHaveText('No results')

  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  await page.getByRole('button', { name: 'Search' }).dblclick()
  await expect(dialog.getByRole('searchbox')).toBeFocused()
  await page.mouse.click(5, 5)
  await expect(dialog).toBeHidden()
})

test('without a connection nothing is said to be missing, and nothing else on the page is lost', async ({ page }) => {
  const refusal = page.getByRole('alert').filter({ hasText: 'No connection to the server' })
  await page.route('**/SearchPrompt-*.js', (route) => route.abort())
  await page.keyboard.press('ControlOrMeta+Shift+F')
  await expect(refusal).toBeVisible()
  await expect(page.locator('main')).toHaveAttribute('data-view', 'listing')
  await refusal.getByRole('button', { name: 'Close notification' }).click()

  await page.unroute('**/SearchPrompt-*.js')
  await page.route('**/api/search/**', (route) => route.abort())
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox').fill('harz')
  await page.keyboard.press('Enter')
  await expect(refusal).toBeVisible()
  await expect(dialog.getByRole('status')).toHaveText('Press enter to search...')
})

test('the palette leads to a path', async ({ page }) => {
  await page.keyboard.press('ControlOrMeta+K')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox').fill('/Trips/Alps')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')

  await expect(page).toHaveURL(/\/files\/Trips\/Alps\/$/)
  await expect(dialog).toBeHidden()
})

test('nothing stands in the way of assistive technology', async ({ page }) => {
  await page.keyboard.press('ControlOrMeta+K')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await expect(dialog).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await dialog.getByRole('searchbox').fill('harz')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status')).toHaveText('3 results')
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('on a phone it fills the screen', async ({ page }) => {
  await page.setViewportSize(phone)
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const box = await page.getByRole('dialog', { name: 'Search' }).boundingBox()
  expect(box).toMatchObject({ x: 0, width: 390, height: 844 })
})
