import type { Page } from '@playwright/test'
import { listenForComplaints } from '../complaints.ts'
import { expect, test } from '../product.ts'
import { hostileFiles, marked } from '../samples/hostile.ts'
import { exceptOwnLooks, open, show, titleIn } from '../viewer.ts'

test.beforeEach(({ product }) => product.put(hostileFiles))

/** Fills with whatever ran, asked, or was refused on the way. */
async function watch(page: Page): Promise<string[]> {
  const complaints = await listenForComplaints(page)
  page.on('dialog', (dialog) => {
    complaints.push(`Dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.route(/evil\.example/, (route) => route.abort())
  return complaints
}

const hasRun = (page: Page) => page.evaluate(() => 'hacked' in window)

test('pictures, sounds, films and names stay what they are', async ({ page, product }) => {
  test.setTimeout(90_000)
  const complaints = await watch(page)
  await show(page, product, 'drawing.svg')
  await expect(page.getByRole('img', { name: 'drawing.svg' })).toHaveAttribute('data-shown', 'true')
  expect(await hasRun(page)).toBe(false)

  await open(page, product, 'film.webm')
  const video = page.locator('video')
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.textTracks[0]?.cues?.length))
    .toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(video).toHaveJSProperty('paused', false)
  expect(await hasRun(page)).toBe(false)

  await open(page, product, 'song.mp3')
  await expect(page.getByRole('heading', { level: 3, name: `${marked}Title` })).toBeVisible()
  expect(await hasRun(page)).toBe(false)

  await open(page, product, `${marked}.png`)
  await expect(titleIn(page)).toHaveText(`${marked}.png`)
  await expect(page.getByRole('img', { name: `${marked}.png` })).toHaveAttribute('data-shown', 'true')
  await open(page, product, `${marked}.rar`)
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await hasRun(page)).toBe(false)
  expect(complaints).toEqual([])
})

test('cells of a table are texts', async ({ page, product }) => {
  const complaints = await watch(page)
  await show(page, product, 'table.csv')
  const table = page.getByRole('table', { name: 'table.csv' })
  await expect(table.getByRole('columnheader').nth(2)).toHaveText('<b>value</b>')
  await expect(table.getByRole('cell').nth(1)).toContainText('<img src=x onerror=')
  await expect(table.locator('td').locator('img, script, a, b')).toHaveCount(0)
  expect(await hasRun(page)).toBe(false)
  expect(complaints).toEqual([])
})

test('a book is read, not run', async ({ page, product }) => {
  const complaints = await watch(page)
  await show(page, product, 'story.epub')
  const text = page.frameLocator('iframe')
  await expect(text.getByRole('heading', { name: 'Chapter' })).toBeVisible()
  await expect(page.locator('iframe')).toHaveAttribute('sandbox', 'allow-same-origin')
  await text.getByRole('heading', { name: 'Chapter' }).click()
  await text.getByText('A link').click()
  await expect(text.locator('script, iframe, object, embed, form, meta[http-equiv]')).toHaveCount(0)
  expect(await hasRun(page)).toBe(false)
  expect(exceptOwnLooks(complaints)).toEqual([])
})

test('a PDF asks nothing and sends nothing', async ({ page, product }) => {
  const complaints = await watch(page)
  await show(page, product, 'paper.pdf')
  await expect(page.getByRole('document', { name: 'paper.pdf' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Page 1' })).toHaveAttribute('data-drawn', 'true')
  expect(await hasRun(page)).toBe(false)
  expect(complaints).toEqual([])
})

for (const name of ['page.html', 'drawing.svg', 'story.epub', 'film.en.vtt']) {
  test(`opened by itself, ${name} can do nothing either`, async ({ page, product }) => {
    await product.signIn(page)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void dialog.dismiss()
    })
    await page.route(/evil\.example\/ran/, (route) => {
      asked.push(route.request().url())
      return route.abort()
    })
    // Some are kept instead of shown, which the browser reports as a navigation that did not happen.
    await page.goto(new URL(`api/raw/${name}?inline=true`, product.url).href).catch(() => null)
    expect(await hasRun(page)).toBe(false)
    expect(asked).toEqual([])
  })
}
