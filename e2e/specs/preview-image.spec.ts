import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { hold } from '../slow-line.ts'
import { open, show } from '../viewer.ts'

const large = picture(2400, 1600)

test.beforeEach(({ product }) =>
  product.put({
    'Album/': '',
    'Album/a first.png': picture(300, 200),
    'Album/b large.png': large,
    'Album/c notes.zip': 'PK',
    'Album/d last.png': picture(40, 60, [150, 60, 60]),
    'Album/readme.txt': 'not a picture',
  }),
)

test('a picture is shown over everything, with its place in the folder', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await show(page, product, 'Album/b large.png')

  const region = page.getByRole('region', { name: 'Preview' })
  await expect(region).toHaveAttribute('data-preview-type', 'image')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('b large.png')
  await expect(region).toContainText('2 / 4')
  const image = page.getByRole('img', { name: 'b large.png' })
  await expect(image).toHaveJSProperty('complete', true)
  await expect(page.getByRole('button', { name: 'Logout' })).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Pictures in this folder' }).getByRole('link')).toHaveCount(3)
  expect(complaints).toEqual([])
})

test('zoom by button, key, wheel and double click', async ({ page, product }) => {
  await show(page, product, 'Album/b large.png')
  const image = page.getByRole('img', { name: 'b large.png' })
  await expect(image).toHaveAttribute('data-shown', 'true')
  await expect(image).toHaveAttribute('data-zoom', '1')

  await page.getByRole('button', { name: 'Zoom in' }).click()
  await expect(image).toHaveAttribute('data-zoom', '1.25')
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await expect(image).toHaveAttribute('data-zoom', '1')
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  await expect(image).toHaveAttribute('data-zoom', '1.5625')
  await page.getByRole('button', { name: 'Reset zoom' }).click()
  await expect(image).toHaveAttribute('data-zoom', '1')

  for (const zoom of ['2', '4', '1']) {
    await page.mouse.dblclick(700, 400)
    await expect(image).toHaveAttribute('data-zoom', zoom)
  }
  await page.mouse.wheel(0, -100)
  await expect(image).not.toHaveAttribute('data-zoom', '1')
  await page.keyboard.press('0')
  await expect(image).toHaveAttribute('data-zoom', '1')
})

test('a zoomed picture is dragged, but not beyond its edge', async ({ page, product }) => {
  await show(page, product, 'Album/b large.png')
  const image = page.getByRole('img', { name: 'b large.png' })
  await expect(image).toHaveAttribute('data-shown', 'true')
  await page.mouse.dblclick(720, 400)
  await expect(image).toHaveAttribute('data-zoom', '2')
  const before = await image.boundingBox()

  await page.mouse.move(720, 400)
  await page.mouse.down()
  await page.mouse.move(760, 420)
  await page.mouse.up()
  const after = await image.boundingBox()
  expect(after?.x).toBeCloseTo((before?.x ?? 0) + 40, 0)

  await page.mouse.move(200, 400)
  await page.mouse.down()
  await page.mouse.move(1400, 400)
  await page.mouse.up()
  const stopped = await image.boundingBox()
  expect(stopped?.x).toBeCloseTo(20, 0)
})

test('rotate swaps the sides, and 1:1 shows every pixel', async ({ page, product }) => {
  await show(page, product, 'Album/a first.png')
  const image = page.getByRole('img', { name: 'a first.png' })
  await expect(image).toHaveAttribute('data-shown', 'true')
  expect(await image.boundingBox()).toMatchObject({ width: 300, height: 200 })

  await page.getByRole('button', { name: 'Rotate' }).click()
  const turned = await image.boundingBox()
  expect([Math.round(turned?.width ?? 0), Math.round(turned?.height ?? 0)]).toEqual([200, 300])

  await open(page, product, 'Album/b large.png')
  const big = page.getByRole('img', { name: 'b large.png' })
  await expect(big).toHaveAttribute('data-shown', 'true')
  await page.getByRole('button', { name: 'Full size' }).click()
  await expect(page.getByRole('button', { name: 'Full size' })).toHaveAttribute('aria-pressed', 'true')
  await expect(big).toHaveJSProperty('naturalWidth', 2400)
  await page.getByRole('button', { name: 'Actual size' }).click()
  const actual = await big.boundingBox()
  expect(Math.round(actual?.width ?? 0)).toBe(2400)
})

test('next and previous step through the folder and leave no trail', async ({ page, product }) => {
  await product.signIn(page)
  await open(page, product, 'Album/a first.png')
  await expect(page.getByRole('button', { name: 'Previous' })).toHaveCount(0)

  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('b large.png')
  await expect(page.getByRole('button', { name: 'Next' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('c notes.zip')
  await expect(page.getByRole('alert').filter({ hasText: 'Preview is not available' })).toBeVisible()
  await page.getByRole('heading', { level: 2 }).click()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('d last.png')
  await expect(page.getByRole('button', { name: 'Next' })).toHaveCount(0)
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('c notes.zip')

  await page.goBack()
  await expect(page).toHaveURL(/\/files\/$/)
})

test('Escape leads back to the folder, and a late answer does not lead away from it', async ({ page, product }) => {
  const next = await hold(page, '**/api/resources/Album/d%20last.png')
  const folder = await hold(page, '**/api/resources/Album')
  await show(page, product, 'Album/c notes.zip')
  // Nobody knows yet what comes next; the key counts all the same.
  await page.keyboard.press('ArrowRight')
  await folder.letGo()
  await expect(page.locator('main')).toHaveAttribute('aria-busy', 'true')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/files\/Album\/$/)
  await expect(page.locator('main')).toHaveAttribute('data-view', 'listing')
  const answered = page.waitForResponse('**/api/resources/Album/d%20last.png')
  await next.letGo()
  await answered
  await row(page, 'readme.txt').click()
  await expect(row(page, 'readme.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(page).toHaveURL(/\/files\/Album\/$/)
})

test('the filmstrip leads to another picture', async ({ page, product }) => {
  await show(page, product, 'Album/a first.png')
  const strip = page.getByRole('navigation', { name: 'Pictures in this folder' })
  await expect(strip.getByRole('link', { name: 'a first.png' })).toHaveAttribute('aria-current', 'true')
  await strip.getByRole('link', { name: 'd last.png' }).click()
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('d last.png')
})

test('View raw opens the file itself', async ({ page, product, context }) => {
  await show(page, product, 'Album/a first.png')
  const opened = context.waitForEvent('page')
  await page.getByRole('button', { name: 'View raw' }).click()
  await expect(await opened).toHaveURL(/\/api\/raw\/Album\/a%20first\.png\?inline=true$/)
})

test('a picture that is none says so, with ways forward', async ({ page, product }) => {
  await product.put({ 'broken.png': 'no picture at all' })
  await show(page, product, 'broken.png')
  await expect(page.getByRole('alert')).toContainText('Preview is not available')
  await expect(page.getByRole('link', { name: 'Download' })).toHaveAttribute('href', /\/api\/raw\/broken\.png$/)
  await expect(page.getByRole('link', { name: 'Open file' })).toHaveAttribute('href', /inline=true$/)
})

test('pictures that did not come because the line was down come when it is back', async ({
  page,
  product,
  context,
}) => {
  const unreachable = /\/(health$|api\/preview\/)/
  const loseLine = async (work: () => Promise<unknown>) => {
    await page.route(unreachable, (route) => route.abort())
    const looked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/health'))
    await Promise.all([looked, work()])
  }
  const regainLine = async () => {
    await page.unroute(unreachable)
    // Only to tell the page that something has changed.
    await context.setOffline(true)
    await context.setOffline(false)
  }

  await loseLine(() => product.signIn(page, 'files/Album/'))
  const thumbnails = page.getByRole('row').locator('img')
  await expect(row(page, 'a first.png').locator('svg').first()).toBeVisible()
  await regainLine()
  await expect(thumbnails).toHaveCount(3)
  await expect(thumbnails.first()).toHaveAttribute('data-loaded', 'true')

  await loseLine(() => open(page, product, 'Album/b large.png'))
  await expect(page.getByRole('alert')).toBeHidden()
  await regainLine()
  await expect(page.getByRole('img', { name: 'b large.png' })).toHaveAttribute('data-shown', 'true')
})

test('on a phone a swipe steps on and a double tap zooms', async ({ browser, product }) => {
  const context = await browser.newContext({ hasTouch: true, locale: 'en-US' })
  const page = await context.newPage()
  await show(page, product, 'Album/a first.png', 390)
  const image = page.getByRole('img', { name: 'a first.png' })
  await expect(image).toHaveAttribute('data-shown', 'true')
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)

  await page.touchscreen.tap(195, 300)
  await page.touchscreen.tap(195, 300)
  await expect(image).toHaveAttribute('data-zoom', '2')
  await page.getByRole('button', { name: 'Reset zoom' }).tap()
  await expect(image).toHaveAttribute('data-zoom', '1')

  const touch = await context.newCDPSession(page)
  const at = (x: number) => ({ touchPoints: [{ x, y: 300 }] })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', ...at(300) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', ...at(200) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', ...at(100) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('b large.png')
  await context.close()
})

test('nothing stands in the way of assistive technology', async ({ page, product }) => {
  await show(page, product, 'Album/b large.png')
  await expect(page.getByRole('img', { name: 'b large.png' })).toHaveAttribute('data-shown', 'true')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await open(page, product, 'Album/c notes.zip')
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
