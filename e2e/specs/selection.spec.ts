import { grid, row, selected } from '../listing.ts'
import { prefer } from '../people.ts'
import { expect, test } from '../product.ts'

const files = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.txt`, name]))

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Folder/inside.txt': 'in', ...files })
  await product.signIn(page)
  await expect(row(page, 'a.txt')).toBeVisible()
})

test('clicks select, Ctrl adds, Shift selects the range, a click on free space clears', async ({ page }) => {
  const before = await row(page, 'd.txt').boundingBox()
  await row(page, 'b.txt').click()
  await expect.poll(() => selected(page)).toEqual(['b.txt'])
  await row(page, 'd.txt').click({ modifiers: ['ControlOrMeta'] })
  await expect.poll(() => selected(page)).toEqual(['b.txt', 'd.txt'])
  await row(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })
  await expect.poll(() => selected(page)).toEqual(['d.txt'])
  await row(page, 'b.txt').click()
  await row(page, 'e.txt').click({ modifiers: ['Shift'] })
  await expect.poll(() => selected(page)).toEqual(['b.txt', 'c.txt', 'd.txt', 'e.txt'])
  await row(page, 'c.txt').click({ modifiers: ['Shift'] })
  await expect.poll(() => selected(page)).toEqual(['b.txt', 'c.txt'])

  const bar = page.getByRole('toolbar', { name: 'Selection actions' })
  await expect(bar.getByRole('status')).toHaveText('2 selected')
  await expect(page.locator('#live-status')).toHaveText('2 selected')
  // Announced there alone: an element that changes would be announced as well.
  const count = await bar.getByRole('status').elementHandle()
  await row(page, 'a.txt').click({ modifiers: ['ControlOrMeta'] })
  await expect(bar.getByRole('status')).toHaveText('3 selected')
  expect(await count?.evaluate(({ isConnected, textContent }) => [isConnected, textContent])).toEqual([
    false,
    '2 selected',
  ])
  expect(await row(page, 'd.txt').boundingBox()).toEqual(before)

  const main = await page.getByRole('main').boundingBox()
  await page.mouse.click((main?.x ?? 0) + 200, (main?.y ?? 0) + (main?.height ?? 0) - 40)
  await expect.poll(() => selected(page)).toEqual([])
  await expect(bar).toBeHidden()
  await expect(page.locator('#live-status')).toHaveText('7 items')
})

test('two clicks are a double click only when no other came between', async ({ page }) => {
  // As fast as the page can take them, which no hand and no test runner does reliably.
  await grid(page).evaluate((element) => {
    const press = (name: string, ctrlKey: boolean) =>
      element
        .querySelector(`[role=row][aria-label="${name}"]`)
        ?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1, ctrlKey }))
    press('b.txt', false)
    press('b.txt', true)
    press('b.txt', false)
  })
  await expect.poll(() => selected(page)).toEqual(['b.txt'])
  await expect(page).toHaveURL(/\/files\/$/)
})

test('checkboxes and the mode for several select without keys', async ({ page }) => {
  await row(page, 'a.txt').hover()
  await row(page, 'a.txt').getByRole('checkbox', { name: 'Select a.txt' }).click()
  await row(page, 'c.txt').hover()
  await row(page, 'c.txt').getByRole('checkbox', { name: 'Select c.txt' }).click()
  await expect.poll(() => selected(page)).toEqual(['a.txt', 'c.txt'])

  const button = page.getByRole('button', { name: 'Select multiple' })
  await button.click()
  await expect(button).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('status').filter({ hasText: 'Multiple selection enabled' })).toBeVisible()
  await row(page, 'e.txt').click()
  await expect.poll(() => selected(page)).toEqual(['a.txt', 'c.txt', 'e.txt'])
  const done = page.getByRole('button', { name: 'Clear', exact: true })
  await expect(done).toContainText('Done')
  await done.click()
  await expect(button).toHaveAttribute('aria-pressed', 'false')
  await expect.poll(() => selected(page)).toEqual(['a.txt', 'c.txt', 'e.txt'])
  await button.click()
  await page.keyboard.press('Escape')
  await expect(button).toHaveAttribute('aria-pressed', 'false')
  await expect.poll(() => selected(page)).toEqual([])
  await row(page, 'f.txt').click()
  await expect.poll(() => selected(page)).toEqual(['f.txt'])
})

test('a band drawn from free space selects what it touches, and Escape restores the selection', async ({ page }) => {
  const first = await row(page, 'c.txt').boundingBox()
  const main = await page.getByRole('main').boundingBox()
  const x = (main?.x ?? 0) + 200
  await page.mouse.move(x, (main?.y ?? 0) + (main?.height ?? 0) - 40)
  await page.mouse.down()
  await page.mouse.move(x + 2, (main?.y ?? 0) + (main?.height ?? 0) - 41)
  await expect(page.getByTestId('rubber-band')).toBeHidden()
  await page.mouse.move(x + 60, (first?.y ?? 0) + 20, { steps: 5 })
  await expect(page.getByTestId('rubber-band')).toBeVisible()
  await expect.poll(() => selected(page)).toEqual(['c.txt', 'd.txt', 'e.txt', 'f.txt'])
  await page.mouse.up()
  await expect(page.getByTestId('rubber-band')).toBeHidden()
  await expect.poll(() => selected(page)).toEqual(['c.txt', 'd.txt', 'e.txt', 'f.txt'])

  await page.mouse.move(x, (main?.y ?? 0) + (main?.height ?? 0) - 40)
  await page.mouse.down()
  await page.mouse.move(x + 60, (first?.y ?? 0) + 100, { steps: 5 })
  await expect.poll(() => selected(page)).toEqual(['e.txt', 'f.txt'])
  await page.keyboard.press('Escape')
  await expect.poll(() => selected(page)).toEqual(['c.txt', 'd.txt', 'e.txt', 'f.txt'])
  await page.mouse.up()
  await expect.poll(() => selected(page)).toEqual(['c.txt', 'd.txt', 'e.txt', 'f.txt'])
})

test('a band begins on the cells beyond a name, where dragging the name moves the row', async ({ page }) => {
  const cell = await row(page, 'b.txt').getByRole('gridcell').nth(2).boundingBox()
  const target = await row(page, 'd.txt').boundingBox()
  if (cell === null || target === null) throw new Error('The rows are not drawn')
  await page.mouse.move(cell.x + 20, cell.y + cell.height / 2)
  await page.mouse.down()
  await page.mouse.move(cell.x + 60, target.y + 10, { steps: 5 })
  await expect(page.getByTestId('rubber-band')).toBeVisible()
  await page.mouse.up()
  await expect(page.getByTestId('rubber-band')).toBeHidden()
  await expect.poll(() => selected(page)).toEqual(['b.txt', 'c.txt', 'd.txt'])
  // The next click is one again, there as well.
  await page.mouse.click(cell.x + 20, target.y + 10)
  await expect.poll(() => selected(page)).toEqual(['d.txt'])

  // A selected row is dragged from anywhere.
  const box = await row(page, 'Folder').boundingBox()
  await page.mouse.move(cell.x + 20, target.y + 10)
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + 80, (box?.y ?? 0) + 20, { steps: 5 })
  await page.mouse.move((box?.x ?? 0) + 90, (box?.y ?? 0) + 22)
  await expect(row(page, 'Folder')).toHaveAttribute('data-drop-target', 'true')
  await expect(page.getByTestId('rubber-band')).toBeHidden()
  await page.mouse.move(cell.x + 20, target.y + 10, { steps: 3 })
  await page.mouse.up()
  await expect.poll(() => selected(page)).toEqual(['d.txt'])
})

test('the selection survives a reload of the listing and ends with a change of the folder', async ({
  page,
  product,
}) => {
  await row(page, 'c.txt').click()
  await row(page, 'd.txt').click({ modifiers: ['ControlOrMeta'] })
  await page.getByRole('button', { name: 'Sort by name' }).click()
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(() => selected(page)).toEqual(['d.txt', 'c.txt'])
  await page.getByRole('button', { name: 'Sort by name' }).click()
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending')

  await row(page, 'Folder').dblclick()
  await expect(row(page, 'inside.txt')).toBeVisible()
  await page.goto(product.url)
  await expect(row(page, 'c.txt')).toBeVisible()
  await expect.poll(() => selected(page)).toEqual([])
})

test('with single clicks a click opens and a modifier key selects', async ({ page, product }) => {
  await prefer(product, { singleClick: true })
  await page.reload()
  await row(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })
  await expect.poll(() => selected(page)).toEqual(['b.txt'])
  const box = await row(page, 'd.txt').boundingBox()
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 20)
  await page.mouse.down()
  await expect.poll(() => selected(page)).toEqual(['b.txt', 'd.txt'])
  await page.mouse.up()
  await expect(page).toHaveURL(/\/files\/$/)
  await row(page, 'Folder').click()
  await expect(page).toHaveURL(/\/files\/Folder\/$/)
})

test('in tiles a range follows the screen', async ({ page }) => {
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic')
  await row(page, 'Folder').click()
  await row(page, 'b.txt').click({ modifiers: ['Shift'] })
  await expect.poll(() => selected(page)).toEqual(['Folder', 'a.txt', 'b.txt'])
})

test('the bar shows the same words for a file, whose size it tells, as for a folder', async ({ page, product }) => {
  await prefer(product, { locale: 'de' })
  await page.setViewportSize({ width: 1100, height: 700 })
  await page.reload()
  const bar = page.locator('#file-selection')
  for (const name of ['Folder', 'a.txt']) {
    await page.locator(`[role=row][aria-label="${name}"]`).click()
    await expect(bar).toContainText('1 ausgewählt')
    await expect(bar.getByText('Umbenennen')).toBeVisible()
  }
})
