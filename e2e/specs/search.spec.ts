import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { row } from '../listing.ts'
import { prefer } from '../people.ts'
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

test('Enter in the search box lists names as they are found, and a result opens', async ({ page }) => {
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

test('the search looks below the folder in view, and the arrows move through the results', async ({
  page,
  product,
}) => {
  await page.goto(new URL('files/Trips/', product.url).href)
  await expect(page.locator('main[aria-busy="false"]')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('button', { name: 'PDF' }).click()
  await expect(dialog.getByRole('searchbox')).toHaveValue('type:pdf ')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status')).toHaveText('1 result')

  await page.keyboard.press('ArrowDown')

  const marked = (await dialog.getByRole('link', { name: 'Harz/route.pdf' }).getAttribute('id')) ?? '-'
  await expect(dialog.getByRole('searchbox')).toHaveAttribute('aria-activedescendant', marked)
  await expect(dialog.getByRole('searchbox')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/files\/Trips\/Harz\/route\.pdf$/)
})

test('what is typed before the dialog is there is searched; nothing found is said, and Escape closes', async ({
  page,
}) => {
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const program = await hold(page, '**/SearchDialog-*.js')
  await expect(row(page, 'harz.txt')).toBeVisible()
  const isAskedFor = page.waitForRequest('**/SearchDialog-*.js')
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
  await page.route('**/SearchDialog-*.js', (route) => route.abort())
  await page.keyboard.press('ControlOrMeta+Shift+F')
  await expect(refusal).toBeVisible()
  await expect(page.locator('main')).toHaveAttribute('data-view', 'listing')
  await refusal.getByRole('button', { name: 'Close notification' }).click()

  await page.unroute('**/SearchDialog-*.js')
  await page.route('**/api/search/**', (route) => route.abort())
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox').fill('harz')
  await page.keyboard.press('Enter')
  await expect(refusal).toBeVisible()
  await expect(dialog.getByRole('status')).toHaveText('Press enter to search...')
})

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const box = (page: Page) => palette(page).getByRole('combobox', { name: 'Search' })
const options = (page: Page) => palette(page).getByRole('listbox', { name: 'Commands' }).getByRole('option')
/** The option that the combobox points at. */
const active = (page: Page) => palette(page).getByRole('option', { selected: true })

test('the palette leads to a path, and finds what is no command', async ({ page }) => {
  await page.keyboard.press('ControlOrMeta+K')
  await box(page).fill('/Trips/Alps')
  await expect(options(page)).toHaveText(['Go to /Trips/Alps', 'Search for /Trips/Alps'])
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/files\/Trips\/Alps\/$/)
  await expect(palette(page)).toBeHidden()

  await page.goBack()
  await expect(row(page, 'harz.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+K')
  await page.keyboard.type('harz')
  // The file whose name it is comes first, and Enter opens what is marked.
  await expect(palette(page).getByRole('status')).toHaveText('3 results')
  const first = palette(page).getByRole('link').first()
  await expect(first).toHaveAccessibleName('harz.txt')
  await expect(box(page)).toHaveAttribute('aria-activedescendant', (await first.getAttribute('id')) ?? '-')
  // What is typed after an arrow still goes into the field.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.type('-v')
  await expect(box(page)).toHaveValue('harz-v')
  await expect(palette(page).getByRole('status')).toHaveText('1 result')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/files\/Trips\/Harz\/harz-view\.jpg$/)
})

test('the palette knows recent places, the trash, the settings and their sections, users, views and orders', async ({
  page,
  product,
}) => {
  await page.goto(new URL('files/Trips/Alps/', product.url).href)
  await expect(page.locator('main[aria-busy="false"]')).toBeVisible()
  // Noted when the page has nothing else to do.
  await expect.poll(() => page.evaluate(() => JSON.stringify({ ...localStorage }))).toContain('/Trips/Alps')
  await page.goto(new URL('files/', product.url).href)
  await expect(row(page, 'harz.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+K')
  const recent = palette(page).getByRole('group', { name: 'Recent' })
  await expect(recent.getByRole('option', { name: 'Alps' })).toBeVisible()

  await box(page).fill('sort by size')
  await expect(active(page)).toHaveText(/^Sort by size/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'ascending')

  await page.keyboard.press('ControlOrMeta+K')
  await box(page).fill('admin')
  await expect(palette(page).getByRole('group', { name: 'Users' }).getByRole('option', { name: 'admin' })).toBeVisible()
  await box(page).fill('branding')
  await expect(active(page)).toHaveText(/^Branding/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/settings\/global$/)
  await expect(page.getByRole('heading', { name: 'Branding' })).toBeFocused()
  await expect(palette(page)).toHaveCount(0)

  await page.keyboard.press('ControlOrMeta+K')
  await box(page).fill('trash')
  await expect(active(page)).toHaveText('Trash')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/trash$/)

  await page.keyboard.press('ControlOrMeta+K')
  await box(page).fill('logout')
  await expect(active(page)).toHaveText('Logout')
  await page.keyboard.press('Enter')
  await expect(
    page
      .getByRole('heading', { name: 'Login' })
      .or(page.getByRole('button', { name: 'Login' }))
      .first(),
  ).toBeVisible()
})

test('results appear while one types; a filter acts at once and looks pressed; a new key ends the old request', async ({
  page,
  product,
}) => {
  await page.goto(new URL('files/Trips/', product.url).href)
  await expect(page.locator('main[aria-busy="false"]')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = palette(page)
  const field = dialog.getByRole('searchbox', { name: 'Search' })
  const line = await hold(page, '**/api/search/**')
  const asked = page.waitForRequest('**/api/search/**')
  await field.fill('har')
  const first = await asked
  const ended = page.waitForEvent('requestfailed', (request) => request === first)
  await field.fill('harz')
  await ended
  await line.letGo()
  await expect(dialog.getByRole('status')).toHaveText('2 results')
  await expect(field).toBeFocused()

  const pictures = dialog.getByRole('button', { name: 'Images' })
  await pictures.click()
  await expect(field).toHaveValue('type:image harz')
  await expect(pictures).toHaveAttribute('aria-pressed', 'true')
  await expect(dialog.getByRole('status')).toHaveText('1 result')
  await pictures.click()
  await expect(field).toHaveValue('harz')
  await expect(pictures).toHaveAttribute('aria-pressed', 'false')

  await field.fill('other')
  await expect(dialog.getByRole('status')).toHaveText('No results')
  await expect(dialog.getByRole('heading', { name: 'Nothing found for other' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Search everywhere' }).click()
  await expect(dialog.getByRole('link', { name: 'other.txt' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Everywhere' })).toHaveAttribute('aria-pressed', 'true')
  // First the mark goes, then the dialog.
  await page.keyboard.press('ArrowDown')
  await expect(field).toHaveAttribute('aria-activedescendant', /./)
  await page.keyboard.press('Escape')
  await expect(field).not.toHaveAttribute('aria-activedescendant', /./)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})

test('the palette runs the command that is typed, and offers it first the next time', async ({ page }) => {
  await row(page, 'harz.txt').click()
  await page.keyboard.press('ControlOrMeta+K')
  await expect(box(page)).toBeFocused()
  await expect(page.locator('#search')).toHaveCount(1)
  await expect(active(page)).toHaveAccessibleName('Open')
  await expect(options(page).filter({ hasText: 'User Management' })).toHaveCount(1)
  await page.keyboard.press('End')
  await expect(active(page)).toHaveAccessibleName('Logout')
  await expect(active(page)).toBeInViewport()
  await page.keyboard.press('ArrowDown')
  await expect(active(page)).toHaveAccessibleName('Open')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Home')
  await expect(active(page)).toHaveAccessibleName('Open')
  await expect(box(page)).toHaveAttribute('aria-activedescendant', (await active(page).getAttribute('id')) ?? '-')

  await page.keyboard.type('renme')
  await expect(active(page)).toHaveText(/^Rename/)
  await page.keyboard.press('Enter')
  const name = page.getByRole('dialog', { name: 'Rename' }).getByRole('textbox', { name: 'New name' })
  await expect(name).toBeFocused()
  await expect(name).toHaveValue('harz.txt')
  await expect(palette(page)).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(row(page, 'harz.txt')).toBeFocused()

  await page.keyboard.press('ControlOrMeta+K')
  await expect(active(page)).toHaveText(/^Rename/)
  await page.keyboard.press('Escape')
  await expect(palette(page)).toHaveCount(0)
  await expect(row(page, 'harz.txt')).toBeFocused()
})

test('in another language the palette knows the English words, too', async ({ page, product }) => {
  await prefer(product, { locale: 'de' })
  await page.reload()
  await page.getByRole('row', { name: 'harz.txt', exact: true }).click()
  for (const words of ['umbenn', 'rename']) {
    await page.keyboard.press('ControlOrMeta+K')
    await page.getByRole('combobox').fill(words)
    await expect(page.getByRole('option', { selected: true })).toHaveText(/^Umbenennen/)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('combobox')).toHaveCount(0)
  }
})

test('axe finds nothing in the palette and its results', async ({ page }) => {
  await page.keyboard.press('ControlOrMeta+K')
  await expect(palette(page)).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await box(page).fill('harz')
  await expect(palette(page).getByRole('status')).toHaveText('3 results')
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('on a phone the search fills the screen', async ({ page }) => {
  await page.setViewportSize(phone)
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const box = await page.getByRole('dialog', { name: 'Search' }).boundingBox()
  expect(box).toMatchObject({ x: 0, width: 390, height: 844 })
})
