import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { grid, row, selected } from '../listing.ts'
import { prefer } from '../people.ts'
import { expect, test } from '../product.ts'
import { film } from '../samples/film.ts'
import { picture } from '../samples/picture.ts'
import { show } from '../viewer.ts'

const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><circle cx="10" cy="10" r="9"/></svg>'

test.beforeEach(({ product }) =>
  product.put({
    'Album/a wide.png': picture(600, 300),
    'Album/b tall.png': picture(300, 600),
    'Album/c.png': picture(300, 200),
    'Album/d broken.jpg': 'no picture',
    'Album/e.svg': drawing,
    'Album/f.webm': film,
    'Chosen/': '',
  }),
)

test('a gallery shows pictures in their shape, in rows of one height, and how long films are', async ({
  page,
  product,
}) => {
  await prefer(product, { viewMode: 'mosaic gallery' })
  await product.signIn(page, 'files/Album/')
  await expect(row(page, 'f.webm')).toContainText('0:30')
  const [wide, tall] = [await row(page, 'a wide.png').boundingBox(), await row(page, 'b tall.png').boundingBox()]
  expect(wide?.y).toBe(tall?.y)
  expect((wide?.width ?? 0) / (tall?.width ?? 1)).toBeCloseTo(4, 1)
  const image = page.getByRole('img', { name: 'a wide.png' })
  await expect(image).toHaveAttribute('data-loaded', 'true')
  expect(await image.evaluate((element: HTMLImageElement) => element.currentSrc)).toContain('/api/preview/512/')
  await expect(row(page, 'd broken.jpg').locator('svg').first()).toBeVisible()
})

test('pictures that are seen stay while others arrive', async ({ page, product }) => {
  await prefer(product, { viewMode: 'mosaic gallery' })
  await product.signIn(page, 'files/Album/')
  await expect(row(page, 'f.webm')).toContainText('0:30')
  // The shapes of those that arrive are not told yet.
  await page.route('**/api/media/**', () => {})
  const [asked] = await Promise.all([
    page.waitForRequest('**/api/media/**'),
    writeFile(join(product.root, 'Album/0 new.png'), picture(300, 200)),
  ])
  expect(asked.url()).toContain('Album')
  await expect(row(page, '0 new.png')).toBeVisible()
  await expect(row(page, 'a wide.png')).toHaveAttribute('data-known', 'true')
})

test('a selection survives a look at the pictures, and grows by the key X', async ({ page, product }) => {
  await product.signIn(page, 'files/Album/')
  await row(page, 'a wide.png').click()
  await row(page, 'c.png').click({ modifiers: ['ControlOrMeta'] })
  await row(page, 'c.png').dblclick()
  const pick = (name: string) => page.getByRole('button', { name: `Select ${name}` })
  await expect(pick('c.png')).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('2 selected')
  const strip = page.getByRole('navigation', { name: 'Pictures in this folder' })
  await expect(strip.getByRole('link', { name: 'a wide.png' })).toHaveAttribute('data-picked', 'true')
  // What cannot be loaded has the mark of its kind.
  await expect(strip.getByRole('link', { name: 'd broken.jpg' }).locator('img')).toHaveCount(0)

  await page.keyboard.press('ArrowLeft')
  await expect(pick('b tall.png')).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.press('x')
  await expect(pick('b tall.png')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('ArrowLeft')
  await pick('a wide.png').click()
  await page.keyboard.press('Escape')
  await expect(grid(page)).toBeVisible()
  expect(await selected(page)).toEqual(['b tall.png', 'c.png'])
})

test('a picture is shared and moved from its viewer, which goes on with the next one', async ({ page, product }) => {
  await show(page, product, 'Album/b tall.png')
  await page.getByRole('button', { name: 'Share' }).click()
  const sharing = page.getByRole('dialog', { name: 'Share' })
  await expect(sharing).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sharing).toBeHidden()

  await page.getByRole('button', { name: 'Move file' }).click()
  const picker = page.getByRole('dialog', { name: 'Move' })
  await picker.getByRole('option', { name: '..' }).dblclick()
  await picker.getByRole('option', { name: 'Chosen' }).click()
  await picker.getByRole('button', { name: 'Move' }).click()
  // A job of another page has a heading, too.
  await expect(page.getByRole('heading', { level: 2, name: 'c.png' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'c.png' })).toHaveAttribute('data-shown', 'true')
})

test('a viewer goes on with the next picture also when the page hears of the move before its answer', async ({
  page,
  product,
}) => {
  await show(page, product, 'Album/b tall.png')
  const gone = page.getByText("This location can't be reached")
  const held: string[] = []
  await page.route(/\/api\/jobs/, async (route) => {
    const answer = await route.fetch()
    if (route.request().method() === 'POST') {
      await gone.waitFor()
      held.push(route.request().url())
    }
    await route.fulfill({ response: answer })
  })
  await page.getByRole('button', { name: 'Move file' }).click()
  const picker = page.getByRole('dialog', { name: 'Move' })
  await picker.getByRole('option', { name: '..' }).dblclick()
  await picker.getByRole('option', { name: 'Chosen' }).click()
  await picker.getByRole('button', { name: 'Move' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'c.png' })).toBeVisible()
  expect(held).toHaveLength(1)
  await expect(gone).toBeHidden()
})

test('a drawing fills the stage', async ({ page, product }) => {
  await show(page, product, 'Album/e.svg')
  const image = page.getByRole('img', { name: 'e.svg' })
  await expect(image).toHaveAttribute('data-shown', 'true')
  expect((await image.boundingBox())?.height).toBeGreaterThan(400)
})
