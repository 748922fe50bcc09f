import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { hold } from '../slow-line.ts'
import { open, show, titleIn } from '../viewer.ts'

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

test('an image covers the page, with its position in the folder', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await show(page, product, 'Album/b large.png')

  const region = page.getByRole('region', { name: 'Preview' })
  await expect(region).toHaveAttribute('data-preview-type', 'image')
  await expect(titleIn(page)).toHaveText('b large.png')
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

test('a zoomed image is dragged up to its edge', async ({ page, product }) => {
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

test('rotate swaps the sides, the zoom counts real pixels, and at full size there is one for each', async ({
  page,
  product,
}) => {
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
  const bar = page.getByRole('toolbar', { name: 'View' })
  const { width = 0 } = (await big.boundingBox()) ?? {}
  expect(width).toBeGreaterThan(300)
  await expect(bar).toContainText(`${Math.round((width / 2400) * 100)}%`)
  await page.getByRole('button', { name: 'Full size' }).click()
  await expect(page.getByRole('button', { name: 'Full size' })).toHaveAttribute('aria-pressed', 'true')
  await expect(big).toHaveJSProperty('naturalWidth', 2400)
  const actual = await big.boundingBox()
  expect(Math.round(actual?.width ?? 0)).toBe(2400)
  await expect(bar).toContainText('100%')
  await page.getByRole('button', { name: 'Reset zoom' }).click()
  await expect(page.getByRole('button', { name: 'Full size' })).toHaveAttribute('aria-pressed', 'false')
})

test('Next and Previous step through the folder without history entries', async ({ page, product }) => {
  await product.signIn(page)
  await open(page, product, 'Album/a first.png')
  await expect(page.getByRole('button', { name: 'Previous' })).toHaveCount(0)

  await page.getByRole('button', { name: 'Next' }).click()
  await expect(titleIn(page)).toHaveText('b large.png')
  await expect(page.getByRole('button', { name: 'Next' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(titleIn(page)).toHaveText('c notes.zip')
  await expect(page.getByRole('alert').filter({ hasText: 'Preview is not available' })).toBeVisible()
  await titleIn(page).click()
  await page.keyboard.press('ArrowRight')
  await expect(titleIn(page)).toHaveText('d last.png')
  await expect(page.getByRole('button', { name: 'Next' })).toHaveCount(0)
  await page.keyboard.press('ArrowLeft')
  await expect(titleIn(page)).toHaveText('c notes.zip')

  await page.goBack()
  await expect(page).toHaveURL(/\/files\/$/)
})

test('a step before the folder is known is made once it is, unless the file was closed meanwhile', async ({
  page,
  product,
}) => {
  let folder = await hold(page, '**/api/resources/Album')
  await show(page, product, 'Album/c notes.zip')
  await page.keyboard.press('ArrowRight')
  await folder.letGo()
  await expect(titleIn(page)).toHaveText('d last.png')

  folder = await hold(page, '**/api/resources/Album')
  await open(page, product, 'Album/c notes.zip')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/files\/Album\/$/)
  await folder.letGo()
  await row(page, 'readme.txt').click()
  await expect(row(page, 'readme.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(page).toHaveURL(/\/files\/Album\/$/)
})

test('opening an image from its folder and stepping through 300 of them asks the server for no listing and no file', async ({
  page,
  product,
}) => {
  const small = picture(9, 6)
  await product.put(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`Many/${1000 + index}.png`, small])))
  await product.signIn(page, 'files/Many/')
  const asked: string[] = []
  page.on('request', (request) => {
    if (/\/api\/(resources|entries)\//.test(request.url())) asked.push(request.url())
  })
  await row(page, '1000.png').dblclick()
  const region = page.getByRole('region', { name: 'Preview' })
  await expect(page.getByRole('img', { name: '1000.png' })).toHaveAttribute('data-shown', 'true')
  await region.evaluate((element) => element.setAttribute('data-same', 'yes'))
  for (let step = 1; step <= 12; step += 1) {
    await page.keyboard.press('ArrowRight')
    await expect(titleIn(page)).toHaveText(`${1000 + step}.png`)
  }
  await expect(region).toContainText('13 / 300')
  await expect(page.getByRole('img', { name: '1012.png' })).toHaveAttribute('data-shown', 'true')
  await expect(region).toHaveAttribute('data-same', 'yes')
  const frames = page.getByRole('navigation', { name: 'Pictures in this folder' }).getByRole('link')
  expect(await frames.count()).toBeLessThan(60)
  expect(asked).toEqual([])

  // By its address alone: the file once, its folder once.
  await page.reload()
  await expect(region).toContainText('13 / 300')
  await page.keyboard.press('ArrowLeft')
  await expect(titleIn(page)).toHaveText('1011.png')
  expect(asked.map((url) => new URL(url).pathname)).toEqual(['/api/resources/Many/1012.png', '/api/resources/Many'])
})

test('closing leads back in the history, or replaces what was opened by its address', async ({ page, product }) => {
  const heading = titleIn(page)
  const main = page.locator('main')
  await product.signIn(page, 'files/')
  await row(page, 'Album').dblclick()
  await row(page, 'a first.png').dblclick()
  await expect(heading).toHaveText('a first.png')
  await page.keyboard.press('ArrowRight')
  await expect(heading).toHaveText('b large.png')
  await page.getByRole('button', { name: 'Close' }).evaluate((button: HTMLElement) => {
    button.click()
    button.click()
  })
  await expect(page).toHaveURL(/\/files\/Album\/$/)
  await expect(row(page, 'b large.png')).toHaveAttribute('aria-selected', 'true')
  await page.goForward()
  await expect(heading).toHaveText('b large.png')
  await page.keyboard.press('Escape')
  await expect(row(page, 'b large.png')).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(main).toHaveAttribute('data-view', 'listing')

  await open(page, product, 'Album/a first.png')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/files\/Album\/$/)
  await page.goBack()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(main).toHaveAttribute('data-view', 'listing')
})

test('the filmstrip opens another image', async ({ page, product }) => {
  await show(page, product, 'Album/a first.png')
  const strip = page.getByRole('navigation', { name: 'Pictures in this folder' })
  await expect(strip.getByRole('link', { name: 'a first.png' })).toHaveAttribute('aria-current', 'true')
  await strip.getByRole('link', { name: 'd last.png' }).click()
  await expect(titleIn(page)).toHaveText('d last.png')
})

test('View raw opens the file itself', async ({ page, product, context }) => {
  await show(page, product, 'Album/a first.png')
  const opened = context.waitForEvent('page')
  await page.getByRole('button', { name: 'View raw' }).click()
  await expect(await opened).toHaveURL(/\/api\/raw\/Album\/a%20first\.png\?inline=true$/)
})

test('a file that is no image shows a message with its links', async ({ page, product }) => {
  await product.put({ 'broken.png': 'no picture at all' })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.clock.install()
  await show(page, product, 'broken.png')
  await expect(page.getByRole('alert')).toContainText('Preview is not available')
  // The bars, with the way back, do not fade as they do over an image.
  await page.mouse.move(300, 300)
  await page.clock.runFor(5000)
  await expect(page.getByRole('region', { name: 'Preview' })).toHaveAttribute('data-idle', 'false')
  await expect(page.getByRole('link', { name: 'Download' })).toHaveAttribute('href', /\/api\/raw\/broken\.png$/)
  await expect(page.getByRole('link', { name: 'Open file' })).toHaveAttribute('href', /inline=true$/)
})

test('images that failed without a connection are loaded when it is back', async ({ page, product, context }) => {
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

test('on a phone a swipe steps and a double tap zooms', async ({ browser, product }) => {
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
  await expect(titleIn(page)).toHaveText('b large.png')
  await context.close()
})

test('axe finds nothing in the image viewer and where a preview is missing', async ({ page, product }) => {
  await show(page, product, 'Album/b large.png')
  await expect(page.getByRole('img', { name: 'b large.png' })).toHaveAttribute('data-shown', 'true')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await open(page, product, 'Album/c notes.zip')
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
