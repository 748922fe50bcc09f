import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { treeOf } from '../disk.ts'
import { row as fileRow } from '../listing.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { phone } from '../sizes.ts'

const results = (page: Page) => page.getByRole('grid', { name: 'Search results' })
const row = (page: Page, name: string) => results(page).getByRole('row', { name, exact: true })
const names = (page: Page) =>
  results(page)
    .locator('[role=row][aria-selected]')
    .evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-label') ?? ''))

test.beforeEach(async ({ product }) => {
  await product.put({
    'Trips/Harz/harz-view.txt': 'a longer text than the others',
    'Trips/Harz/route.txt': 'x',
    'Trips/Alps/harz.txt': 'xy',
    'Letters/harz.txt': 'x',
    'harz.txt': 'xyz',
  })
})

test('Enter twice lists all results at an address of their own, sorted by a column, and back leads to them as they were', async ({
  page,
  product,
}) => {
  await product.signIn(page)
  await expect(fileRow(page, 'harz.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox').fill('harz')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status')).toHaveText('5 results')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL(/\/files\/\?query=harz$/)
  await expect(page.getByRole('heading', { name: 'Search for harz' })).toBeVisible()
  const byMatch = ['Trips/Harz', 'harz.txt', 'Letters/harz.txt', 'Trips/Alps/harz.txt', 'Trips/Harz/harz-view.txt']
  await expect.poll(() => names(page)).toEqual(byMatch)
  await expect(row(page, 'Trips/Alps/harz.txt').getByRole('gridcell').last()).toHaveText('Trips/Alps')
  expect(await findBarriersInBothThemes(page)).toEqual([])

  await page.getByRole('button', { name: 'Sort by size' }).click()
  await page.getByRole('button', { name: 'Sort by size' }).click()
  const bySize = ['Trips/Harz', 'Trips/Harz/harz-view.txt', 'harz.txt', 'Trips/Alps/harz.txt', 'Letters/harz.txt']
  await expect.poll(() => names(page)).toEqual(bySize)

  let searches = 0
  page.on('request', (request) => {
    searches += Number(request.url().includes('/api/search/'))
  })
  await row(page, 'Trips/Alps/harz.txt').dblclick()
  await expect(page.getByRole('heading', { name: 'harz.txt' })).toBeVisible()
  await page.getByRole('region', { name: 'Editor' }).getByRole('button', { name: 'Close' }).click()
  await expect(page).toHaveURL(/\/files\/\?query=harz$/)
  await expect(row(page, 'Trips/Alps/harz.txt')).toHaveAttribute('aria-selected', 'true')
  expect(await names(page)).toEqual(bySize)
  expect(searches).toBe(0)

  // First the selection goes, then the results.
  await page.keyboard.press('Escape')
  await expect(row(page, 'Trips/Alps/harz.txt')).toHaveAttribute('aria-selected', 'false')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(fileRow(page, 'harz.txt')).toBeVisible()
})

/** No search comes to its end. */
const withoutEnd = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const ask = window.fetch
    window.fetch = async (...request) => {
      const response = await ask(...request)
      if (!response.url.includes('/api/search/') || response.body === null) return response
      const unending = new TransformStream({ flush: () => new Promise<void>(() => {}) })
      return new Response(response.body.pipeThrough(unending), response)
    }
  })

test('Enter does not begin a search anew that is under way', async ({ page, product }) => {
  await withoutEnd(page)
  await product.signIn(page)
  await expect(fileRow(page, 'harz.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox').fill('harz')
  await expect(dialog.getByRole('status')).toHaveText('5 results')
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/api/search/') && asked.push(request.url()))
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Show as a list')).toBeVisible()
  expect(asked).toEqual([])
})

test('Enter twice lists what a search has found that is still under way', async ({ page, product }) => {
  await withoutEnd(page)
  await product.signIn(page)
  await expect(fileRow(page, 'harz.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox').fill('harz')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status')).toHaveText('5 results')
  await expect(dialog.getByRole('button', { name: 'Stop' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL(/\/files\/\?query=harz$/)
  await expect.poll(async () => (await names(page)).length).toBe(5)
})

test('the viewer steps through the results that a picture was opened from, and what is picked is selected in them', async ({
  page,
  product,
}) => {
  await product.put({
    'Trips/Alps/lake.png': picture(40, 30),
    'Trips/Alps/peak.png': picture(30, 30),
    'Trips/Harz/lake.png': picture(30, 40),
    'lake.png': picture(60, 40),
  })
  await product.signIn(page, 'files/?query=lake')
  await expect.poll(() => names(page)).toEqual(['lake.png', 'Trips/Alps/lake.png', 'Trips/Harz/lake.png'])
  await row(page, 'lake.png').dblclick()
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview).toContainText('1 / 3')
  const strip = page.getByRole('navigation', { name: 'Search results' }).getByRole('link')
  await expect(strip).toHaveCount(3)
  await page.keyboard.press('x')
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/\/files\/Trips\/Alps\/lake\.png$/)
  await expect(preview).toContainText('2 / 3')
  await expect(strip.nth(1)).toHaveAttribute('aria-current', 'true')
  await preview.getByRole('button', { name: 'Next', exact: true }).click()
  await expect(page).toHaveURL(/\/files\/Trips\/Harz\/lake\.png$/)
  await expect(preview).toContainText('3 / 3')
  await page.keyboard.press('x')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/files\/\?query=lake$/)
  const isSelected = (name: string) => expect(row(page, name)).toHaveAttribute('aria-selected', 'true')
  await isSelected('lake.png')
  await isSelected('Trips/Harz/lake.png')
  await expect(row(page, 'Trips/Alps/lake.png')).toHaveAttribute('aria-selected', 'false')

  // From its folder it has the files of that beside it.
  await product.signIn(page, 'files/Trips/Alps/')
  await fileRow(page, 'lake.png').dblclick()
  await expect(preview).toContainText('1 / 2')
})

test('results of several folders are renamed, moved, downloaded, shared and deleted', async ({ page, product }) => {
  await product.signIn(page, 'files/?query=harz')
  await row(page, 'Trips/Alps/harz.txt').click()
  await page.keyboard.press('F2')
  const name = page.getByRole('dialog', { name: 'Rename' }).getByRole('textbox', { name: 'New name' })
  await expect(name).toHaveValue('harz.txt')
  await name.fill('harz alps.txt')
  await page.keyboard.press('Enter')
  await expect(row(page, 'Trips/Alps/harz alps.txt')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => treeOf(product.root)).toHaveProperty(['Trips/Alps/harz alps.txt'], 'xy')

  await row(page, 'Letters/harz.txt').click({ modifiers: ['ControlOrMeta'] })
  await expect(page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('status')).toHaveText('2 selected')
  await page.getByRole('toolbar', { name: 'File actions' }).getByRole('button', { name: 'Download' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog', { name: 'Download files' }).getByRole('button', { name: 'zip', exact: true }).click(),
  ])
  expect(decodeURIComponent(decodeURIComponent(download.url()))).toContain('Letters/harz.txt,Trips/Alps/harz alps.txt')

  await page.getByRole('button', { name: 'Move file' }).click()
  const move = page.getByRole('dialog', { name: 'Move' })
  await move.getByRole('option', { name: 'Trips', exact: true }).dblclick()
  await expect(move.getByTestId('destination')).toContainText('Trips')
  await move.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(row(page, 'Trips/harz alps.txt')).toBeVisible()
  await expect(row(page, 'Trips/harz.txt')).toBeVisible()
  await expect(row(page, 'Letters/harz.txt')).toHaveCount(0)

  await row(page, 'Trips/harz.txt').click()
  await page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('button', { name: 'Share' }).click()
  await expect(page.getByRole('dialog', { name: 'Share' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, 'Trips/harz.txt')).toHaveCount(0)
  await expect
    .poll(() =>
      Object.keys(treeOf(product.root))
        .filter((path) => path.endsWith('.txt'))
        .sort(),
    )
    .toEqual(['Trips/Harz/harz-view.txt', 'Trips/Harz/route.txt', 'Trips/harz alps.txt', 'harz.txt'])
})

test('beside the details of a result its name has room, in windows of every width', async ({ page, product }) => {
  await product.put({ 'Letters/harz.txt': 'x', 'Letters/harz with a long name, number 2026-11-16 final.txt': 'x' })
  await product.signIn(page, 'files/?query=harz')
  await row(page, 'Letters/harz.txt').click()
  await page.keyboard.press('Control+i')
  await expect(page.getByRole('complementary', { name: 'Details' })).toBeVisible()
  const room = () =>
    row(page, 'Letters/harz with a long name, number 2026-11-16 final.txt')
      .getByRole('gridcell')
      .first()
      .evaluate((cell) => cell.clientWidth)
  for (const width of [1024, 1100, 1240, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(room, { message: `${width} px` }).toBeGreaterThan(180)
    await expect(results(page).getByText('Letters', { exact: true }).first()).toBeVisible()
  }
})

test('on a phone a result tells its folder, and a search that finds nothing here offers to look everywhere', async ({
  page,
  product,
}) => {
  await page.setViewportSize(phone)
  await product.signIn(page, 'files/Letters/?query=route')
  await expect(page.getByRole('heading', { name: 'Nothing found for route' })).toBeVisible()
  await page.getByRole('button', { name: 'Search everywhere' }).click()
  await expect(row(page, 'Trips/Harz/route.txt')).toContainText('Trips/Harz')
  await page.getByRole('button', { name: 'Close the results' }).click()
  await expect(page).toHaveURL(/\/files\/$/)

  // What was searched for is read whole, beside all that can be done with it.
  await product.signIn(page, 'files/Trips/?query=route')
  await expect(row(page, 'Harz/route.txt')).toBeVisible()
  const title = page.getByRole('heading', { name: 'Search for route' })
  expect(await title.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0)
  expect(await title.evaluate((text) => text.scrollHeight - text.clientHeight)).toBe(0)
  await page.getByRole('button', { name: 'Search everywhere' }).click()
  await expect(page).toHaveURL(/\/files\/\?query=route$/)
})

test('where nothing was found, all that is selected is not the text of the page', async ({ page, product }) => {
  await product.signIn(page, 'files/?query=nowhere')
  await expect(page.getByRole('heading', { name: 'Nothing found for nowhere' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+a')
  expect(await page.evaluate(() => String(getSelection()))).toBe('')
})

test('ten thousand results are shown in part, and the field takes keys meanwhile', async ({ page, product }) => {
  const lines = Array.from({ length: 10_000 }, (_, at) =>
    JSON.stringify({
      dir: false,
      path: `many/harz ${at}.txt`,
      size: at,
      modified: '2026-01-01T00:00:00Z',
      mode: 420,
      isDir: false,
      isSymlink: false,
      type: 'text',
    }),
  )
  await page.route('**/api/search/**', (route) =>
    route.fulfill({ contentType: 'text/plain', body: `${lines.join('\n')}\n` }),
  )
  await product.signIn(page)
  await expect(fileRow(page, 'harz.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('searchbox').fill('harz')
  await expect(dialog.getByRole('status')).toHaveText('10,000 results')
  await expect(dialog.getByRole('link')).toHaveCount(50)
  await dialog.getByRole('link').last().scrollIntoViewIfNeeded()
  await expect(dialog.getByRole('link')).toHaveCount(100)
  await page.keyboard.type(' 9999')
  await expect(dialog.getByRole('searchbox')).toHaveValue('harz 9999')
  await dialog.getByRole('searchbox').fill('harz')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(results(page)).toHaveAttribute('aria-rowcount', '10001')
  expect(await results(page).getByRole('row').count()).toBeLessThan(200)
  await page.getByRole('button', { name: 'Sort by size' }).click()
  await expect(results(page).locator('[data-index="0"]')).toHaveAttribute('aria-label', 'many/harz 0.txt')
})
