import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { prefer } from '../people.ts'
import { expect, test } from '../product.ts'
import { book } from '../samples/book.ts'
import { document as pdf } from '../samples/document.ts'
import { phone } from '../sizes.ts'
import { exceptOwnLooks, open, show } from '../viewer.ts'

const people = 100_000
const list = `name;amount;;city\n${Array.from({ length: people }, (_, i) => `Person ${i};${(i * 7919) % 100_003};;"Town; ${i % 9}"`).join('\n')}\n`
const chapter = (title: string) => ({
  title,
  body: `<h1>${title}</h1>${Array.from({ length: 60 }, (_, i) => `<p>Sentence ${i} of a long chapter that fills more than one page.</p>`).join('')}`,
})

test.beforeEach(({ product }) =>
  product.put({
    'list.csv': list,
    'latin.csv': Buffer.from('stra\xdfe,b;c\nK\xf6ln,1;2\n', 'latin1'),
    'paper.pdf': pdf(['First page', 'Second page', 'Third page']),
    'story.epub': book('A story', [chapter('The house'), chapter('The field')]),
    'broken.epub': 'no book',
  }),
)

test('a hundred thousand rows are sorted, filtered and scrolled', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await show(page, product, 'list.csv')
  await expect(page.getByRole('region', { name: 'Preview' })).toHaveAttribute('data-preview-type', 'csv')
  const table = page.getByRole('table', { name: 'list.csv' })
  await expect(table).toHaveAttribute('aria-rowcount', String(people + 1))
  await expect(table.getByRole('columnheader')).toHaveText(['Row', 'name', 'amount', 'Column 3', 'city'])
  await expect(table.getByRole('row').nth(1)).toContainText('Person 0')
  expect(await table.getByRole('row').count()).toBeLessThan(100)

  await table.getByRole('button', { name: 'amount' }).click()
  await table.getByRole('button', { name: 'amount' }).click()
  await expect(table.getByRole('columnheader', { name: 'amount' })).toHaveAttribute('aria-sort', 'descending')
  await expect(table.getByRole('row').nth(1)).toContainText('100002')

  await page.getByRole('searchbox', { name: 'Filter rows' }).fill('person 4242')
  await expect(table).toHaveAttribute('aria-rowcount', '12')
  await page.getByRole('searchbox', { name: 'Filter rows' }).fill('')
  await expect(table).toHaveAttribute('aria-rowcount', String(people + 1))
  await table.evaluate((element) => element.parentElement?.scrollTo(0, 1e7))
  await expect(table.locator(`[aria-rowindex="${people + 1}"]`)).toContainText('Person')
  expect(complaints).toEqual([])
})

test('separator and encoding can be chosen', async ({ page, product }) => {
  await show(page, product, 'latin.csv')
  const table = page.getByRole('table', { name: 'latin.csv' })
  const separator = page.getByRole('combobox', { name: 'Column Separator' })
  await expect(separator.getByRole('option')).toHaveText(['Comma (,)', 'Semicolon (;)', 'Both'])
  await expect(table.getByRole('columnheader')).toHaveCount(4)
  await separator.selectOption('Semicolon (;)')
  await expect(table.getByRole('columnheader')).toHaveCount(3)
  await page.getByRole('combobox', { name: 'File Encoding' }).selectOption('windows-1252')
  await expect(table.getByRole('cell').first()).toHaveText('Köln,1')
  await expect(table.getByRole('columnheader').nth(1)).toHaveText('straße,b')
})

test('a document stands beside the sidebar; on a phone the settings of a table are behind a button', async ({
  page,
  product,
}) => {
  await show(page, product, 'list.csv')
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  const amount = page.getByRole('table', { name: 'list.csv' }).getByRole('cell', { name: '7919', exact: true })
  await expect(amount).toHaveCSS('text-align', 'end')

  await page.setViewportSize({ width: 390, height: 844 })
  const separator = page.getByRole('combobox', { name: 'Column Separator' })
  await expect(separator).toBeHidden()
  await page.getByRole('button', { name: 'Table settings' }).click()
  await expect(page.getByRole('button', { name: 'Table settings' })).toHaveAttribute('aria-expanded', 'true')
  await expect(separator).toHaveValue('semicolon')
})

test('tabs and pipes are recognised as separators, and offered where the file has some', async ({ page, product }) => {
  await product.put({ 'tabs.tsv': 'name\tfirst, last\nAda\tb\n', 'pipes.csv': 'a|b|c\n1|2|3\n' })
  await show(page, product, 'tabs.tsv')
  const separator = page.getByRole('combobox', { name: 'Column Separator' })
  await expect(page.getByRole('table', { name: 'tabs.tsv' }).getByRole('columnheader')).toHaveText([
    'Row',
    'name',
    'first, last',
  ])
  await expect(separator).toHaveValue('tab')
  await expect(separator.getByRole('option')).toHaveText(['Comma (,)', 'Semicolon (;)', 'Both', 'Tab'])
  await open(page, product, 'pipes.csv')
  await expect(page.getByRole('table', { name: 'pipes.csv' }).getByRole('columnheader')).toHaveCount(4)
  await expect(separator).toHaveValue('pipe')
})

test('a table can be edited as text', async ({ page, product }) => {
  await show(page, product, 'latin.csv')
  await page.getByRole('button', { name: 'Edit as Text' }).click()
  await expect(page).toHaveURL(/latin\.csv\?edit=true$/)
  await expect(page.locator('main[data-view=editor]')).toBeVisible()
})

test('a PDF is drawn page by page, and a text is found in all of them', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await show(page, product, 'paper.pdf', 390)
  const paper = page.getByRole('document', { name: 'paper.pdf' })
  await expect(paper.getByRole('region', { name: 'Page 1' })).toHaveAttribute('data-drawn', 'true')
  await expect(paper.getByText('First page')).toBeAttached()
  await expect(page.getByText('Page 1 of 3')).toBeVisible()
  const before = await paper.getByRole('region', { name: 'Page 1' }).boundingBox()
  expect(before?.width).toBeLessThanOrEqual(390)
  expect(await darkPoints(page)).toBeGreaterThan(20)

  await page.getByRole('button', { name: 'Zoom in' }).click()
  await expect(paper.getByRole('region', { name: 'Page 1' })).toHaveAttribute('data-drawn', 'true')
  const after = await paper.getByRole('region', { name: 'Page 1' }).boundingBox()
  expect(after?.width).toBeCloseTo((before?.width ?? 0) * 1.25, 0)
  await paper.getByRole('region', { name: 'Page 3' }).scrollIntoViewIfNeeded()
  await expect(page.getByText('Page 3 of 3')).toBeVisible()

  const find = page.getByRole('searchbox', { name: 'Find in document' })
  await page.keyboard.press('ControlOrMeta+F')
  await expect(find).toBeFocused()
  await find.fill('PAGE')
  const tools = page.getByRole('toolbar', { name: 'View' })
  await expect(tools).toContainText('1 / 3')
  await expect(paper.getByText('First page')).toBeInViewport()
  await find.press('Enter')
  await page.getByRole('button', { name: 'Next match' }).click()
  await expect(tools).toContainText('3 / 3')
  await expect(paper.getByText('Third page')).toBeInViewport()
  await find.fill('nowhere')
  await expect(tools).toContainText('0 / 0')
  expect(complaints).toEqual([])
})

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: phone })

  test('the zoom of a PDF stays in one line, in every language', async ({ page, product }) => {
    await prefer(product, { locale: 'de' })
    await product.signIn(page, 'files/paper.pdf')
    const zoom = page.locator('[data-value]')
    // A sign of percent behind a space.
    await expect(zoom).toHaveAttribute('data-value', /\s%$/)
    const lines = await zoom.evaluate((button) => {
      // As narrow as it may become beside a search that takes what it can get.
      Object.assign(button.style, { blockSize: 'auto', inlineSize: '32px', minInlineSize: '32px' })
      return button.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(button).lineHeight)
    })
    expect(lines).toBeLessThan(1.5)
  })
})

test('a book is turned page by page and opens at its last position', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await show(page, product, 'story.epub')
  await expect(page.getByRole('region', { name: 'Preview' })).toHaveAttribute('data-preview-type', 'epub')
  const text = page.frameLocator('iframe').last()
  await expect(text.getByRole('heading', { name: 'The house' })).toBeVisible({ timeout: 15_000 })

  await page.getByRole('button', { name: 'Contents' }).click()
  await page.getByRole('menuitem', { name: 'The field' }).click()
  await expect(text.getByRole('heading', { name: 'The field' })).toBeInViewport()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(text.getByRole('heading', { name: 'The field' })).not.toBeInViewport()
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect(text.getByRole('heading', { name: 'The field' })).toBeInViewport()

  await page.getByRole('button', { name: 'Increase font size' }).click()
  await expect(page.getByRole('document', { name: 'story.epub' })).toHaveAttribute('data-size', '130')
  await page.reload()
  await expect(page.getByRole('document', { name: 'story.epub' })).toHaveAttribute('data-size', '130')
  await expect(text.getByRole('heading', { name: 'The field' })).toBeInViewport()
  expect(exceptOwnLooks(complaints)).toEqual([])
})

test('a file that is no book shows a message', async ({ page, product }) => {
  await show(page, product, 'broken.epub')
  await expect(page.getByRole('alert')).toContainText('Preview is not available')
})

test('axe finds nothing in table, PDF and book', async ({ page, product }) => {
  await show(page, product, 'latin.csv')
  await expect(page.getByRole('table', { name: 'latin.csv' })).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await open(page, product, 'paper.pdf')
  await expect(page.getByRole('region', { name: 'Page 1' })).toHaveAttribute('data-drawn', 'true')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await open(page, product, 'story.epub')
  await expect(page.frameLocator('iframe').last().getByRole('heading', { name: 'The house' })).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

/** How much of the first page is ink. */
const darkPoints = (page: Page) =>
  page
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const points = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
      let dark = 0
      for (let at = 0; at < points.length; at += 4) if ((points[at] ?? 255) < 100) dark += 1
      return dark
    })
