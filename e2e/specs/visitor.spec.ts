import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { callApi } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { recording } from '../samples/recording.ts'
import { phone } from '../sizes.ts'
import { findSpilledText } from '../spilled-text.ts'

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const title = (page: Page) => page.getByRole('heading', { level: 1 })

async function visit(page: Page, product: Product, path: string, terms: object = {}, below = ''): Promise<void> {
  const { hash } = (await (await callApi(product, 'POST', `share/${path}`, terms)).json()) as { hash: string }
  await page.goto(new URL(`share/${hash}${below}`, product.url).href)
  await expect(page.locator('main[aria-busy="false"]')).toBeVisible()
}

/** Draws a finger from one point to another. */
async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  const touch = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove', point: { x: number; y: number }) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: [point] })
  await send('touchStart', from)
  await send('touchMove', { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 })
  await send('touchMove', to)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

test.describe('with a finger', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: phone })

  test('a line parts a text from the name of its file below', async ({ page, product }) => {
    await product.put({ 'notes.md': '# Notes\n\nA line.' })
    await visit(page, product, 'notes.md')
    const preview = page.getByRole('region', { name: 'Preview' })
    await expect(preview.getByRole('heading', { name: 'Notes' })).toBeVisible()
    await expect(preview).toHaveCSS('border-bottom-width', '1px')
  })

  test('an empty folder offers nothing to download, to select or to look at', async ({ page, product }) => {
    await product.put({ 'Box/': '' })
    await visit(page, product, 'Box')
    await expect(page.getByRole('heading', { name: 'There is nothing in this folder' })).toBeVisible()
    await expect(page.getByRole('main').locator('a, button')).toHaveCount(0)
    await expect(page.getByRole('toolbar')).toBeHidden()
  })

  test.describe('in a language of long words', () => {
    test.use({ locale: 'de-DE', viewport: { width: 320, height: 568 } })

    test('the narrowest phone shows every word of the button that downloads all', async ({ page, product }) => {
      await product.put(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`Box/${at}.txt`, ''])))
      await visit(page, product, 'Box')
      await expect(page.getByRole('link', { name: 'Herunterladen' })).toContainText('Alles herunterladen (100)')
      expect(await findSpilledText(page)).toEqual([])
    })
  })

  test('the steps of the path are as high as a finger needs, also on a tablet', async ({ page, product }) => {
    await page.setViewportSize({ width: 820, height: 1180 })
    await product.put({ 'Box/inside/a.txt': 'a' })
    await visit(page, product, 'Box', {}, '/inside/')
    const step = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'inside' })
    await expect(step).toHaveAttribute('aria-current', 'page')
    expect((await step.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  })

  test('a tap opens a picture, a swipe leads to the next, closing goes back to the place in the album', async ({
    page,
    product,
  }) => {
    const names = Array.from({ length: 60 }, (_, index) => `${100 + index}.png`)
    await product.put(Object.fromEntries(names.map((name) => [`Album/${name}`, picture(30, 20)])))
    await visit(page, product, 'Album')
    await row(page, '150.png').scrollIntoViewIfNeeded()
    const before = await row(page, '150.png').boundingBox()
    await row(page, '150.png').tap()
    await expect(title(page)).toHaveText('150.png')
    await expect(page.getByText('51 / 60', { exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Download', exact: true })).toBeInViewport({ ratio: 1 })
    const shown = page.getByRole('region', { name: 'Preview' }).getByRole('img', { name: '150.png' })
    await expect(shown).toHaveAttribute('data-shown', 'true')
    await drag(page, { x: 300, y: 400 }, { x: 90, y: 400 })
    await expect(title(page)).toHaveText('151.png')
    // At once: Chromium takes a tap for the end of a swipe before it, unless the viewer keeps the swipe to itself.
    await page.getByRole('button', { name: 'Close' }).tap()
    await expect(title(page)).toHaveText('Album')
    expect(await row(page, '150.png').boundingBox()).toEqual(before)
  })

  test('a long press selects, taps add, and the one Download takes what is selected', async ({ page, product }) => {
    await product.put({ 'Box/a.txt': 'a', 'Box/b.txt': 'b', 'Box/c.txt': 'c' })
    await visit(page, product, 'Box')
    const box = await row(page, 'a.txt').boundingBox()
    const touch = await page.context().newCDPSession(page)
    const point = { x: (box?.x ?? 0) + 120, y: (box?.y ?? 0) + 20 }
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
    await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await row(page, 'b.txt').tap()
    await expect(page.getByRole('button', { name: 'Download', exact: true })).toContainText('Download 2 items')
    await expect(page.getByRole('region', { name: 'Preview' })).toHaveCount(0)
    await row(page, 'b.txt').tap()
    await row(page, 'a.txt').tap()
    await expect(page.getByRole('link', { name: 'Download', exact: true })).toContainText('Download all (3)')
    await row(page, 'a.txt').tap()
    await expect(title(page)).toHaveText('a.txt')
  })

  test('the name of a file of a shared folder stays in one line above it', async ({ page, product }) => {
    const name = 'Notes of the meeting about the harbour.md'
    await product.put({ [`Box/${name}`]: 'Boats', 'Box/other.txt': 'other' })
    await visit(page, product, 'Box')
    await row(page, name).tap()
    await expect(page.getByText('1 / 2', { exact: true })).toBeInViewport({ ratio: 1 })
    expect((await title(page).boundingBox())?.height).toBeLessThan(30)
  })

  for (const [width, height] of [
    [320, 640],
    [844, 390],
  ] as const)
    test(`at ${width} by ${height} a shared recording can be played and downloaded, and an album begins above the fold`, async ({
      page,
      product,
    }) => {
      await page.setViewportSize({ width, height })
      await product.put({ 'Album/a.png': picture(300, 200), 'wind.mp3': recording(2) })
      await visit(page, product, 'wind.mp3')
      for (const control of [
        page.getByRole('button', { name: 'Play' }),
        page.getByRole('slider', { name: 'Seek' }),
        page.getByRole('link', { name: 'Download', exact: true }),
        page.getByRole('link', { name: 'Open file' }),
      ]) {
        await expect(control).toBeInViewport({ ratio: 1 })
        await control.click({ trial: true })
      }
      await visit(page, product, 'Album')
      await expect(row(page, 'a.png')).toBeInViewport({ ratio: 1 })
    })

  test('a phone sends the link with its own sheet, shows no code to scan, and has Download in reach', async ({
    page,
    product,
  }) => {
    await page.addInitScript(() => {
      Object.assign(navigator, { share: async (sent: object) => Object.assign(window, { sent }) })
    })
    await product.put({ 'long.txt': 'A line of a long text\n'.repeat(500) })
    await visit(page, product, 'long.txt')
    await expect(page.getByRole('region', { name: 'Preview' })).toContainText('A line')
    await expect(page.getByRole('link', { name: 'Download', exact: true })).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('img', { name: 'QR code' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Send link' }).tap()
    await expect
      .poll(() => page.evaluate(() => Reflect.get(window, 'sent')))
      .toEqual({
        title: 'long.txt',
        url: page.url(),
      })
    expect(await findBarriersInBothThemes(page)).toEqual([])
  })
})

test('one line tells how much it is and until when the link leads there', async ({ page, product }) => {
  await product.put({ 'Box/a.bin': 'x'.repeat(1000), 'Box/b.bin': 'x'.repeat(3000) })
  await visit(page, product, 'Box', { expires: '6', unit: 'days' })
  const end = page.getByRole('paragraph').filter({ hasText: /^Available until \w{3} \d{1,2}(, \d{4})?$/ })
  await expect(end).toBeVisible()
  await expect(page.getByRole('definition')).toHaveText(['Box', '2 items', '3.91 KiB', /^Updated /])
  await row(page, 'a.bin').dblclick()
  await expect(title(page)).toHaveText('a.bin')
  await page.keyboard.press('ArrowRight')
  await expect(title(page)).toHaveText('b.bin')
  await expect(end).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(title(page)).toHaveText('Box')
  await expect(row(page, 'b.bin')).toBeFocused()
})

test('a Markdown text is shown as it is meant, with the pictures beside it', async ({ page, product }) => {
  await product.put({
    'Box/notes.md': '# Over the hills\n\nSee ![the sea](sea.png) <script>document.title = "run"</script>\n',
    'Box/sea.png': picture(20, 10),
  })
  await visit(page, product, 'Box', { password: 'open sesame' })
  await page.getByLabel('Password').fill('open sesame')
  await page.getByRole('button', { name: 'Submit' }).click()
  await row(page, 'notes.md').dblclick()
  const text = page.getByRole('article', { name: 'notes.md' })
  await expect(text.getByRole('heading', { name: 'Over the hills' })).toBeVisible()
  const image = text.getByRole('img', { name: 'the sea' })
  await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(20)
  await expect(page).toHaveTitle(/^notes\.md/)
  await page.keyboard.press('ArrowRight')
  await expect(title(page)).toHaveText('sea.png')
})

test('a file that is gone from a shared folder leads back to the folder', async ({ page, product }) => {
  await product.put({ 'Box/a.txt': 'a' })
  await visit(page, product, 'Box', {}, '/no-such.txt')
  await page.getByRole('button', { name: 'Go to the shared folder' }).click()
  await expect(row(page, 'a.txt')).toBeVisible()
})
