import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { directionOf, tagOf } from '../../web/src/i18n/locales.ts'
import { callApi, prefer } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { desk, phone, resize } from '../sizes.ts'
import { findSpilledText } from '../spilled-text.ts'
import { wordsOf, written } from '../words.ts'

/** Name a folder here to get a picture of every page that is looked at. */
const pictures = process.env.FILESTEAD_PICTURES

// The list of what does not fit says enough, and there are many pages.
test.use({ screenshot: 'off' })
// Each worker has a server of its own, so the languages can be looked at side by side.
test.describe.configure({ mode: 'parallel' })

for (const id of written) {
  test(`in ${id} every text has room, on a desk and on a phone`, async ({ browser, product }) => {
    await product.put({ 'Photos/sea.jpg': 'no picture', 'letter.txt': 'Dear reader', 'plans.pdf': '%PDF' })
    await prefer(product, { locale: id })
    const share = await (await callApi(product, 'POST', 'share/Photos/', {})).json()
    const page = await openLogin(browser, product, id)
    const spilled: string[] = []
    const isSquare = /^(ja|ko|zh)/.test(id)
    const look = async (name: string) => {
      if (isSquare) await spaceOut(page)
      for (const size of [phone, desk]) {
        await resize(page, size)
        for (const text of await findSpilledText(page)) {
          if (!isSquare || squares.test(text)) spilled.push(`${name}, ${size.width} px: ${text}`)
        }
        if (pictures !== undefined)
          await page.screenshot({ path: join(pictures, `${id}-${name}-${size.width}.png`), fullPage: true })
      }
    }

    const words = wordsOf(id)
    await expect(page.getByRole('form', { name: words('login.login') })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', tagOf(id))
    await expect(page.locator('html')).toHaveAttribute('dir', directionOf(id))
    await look('login')

    // The form was looked at already; the token is enough to go on.
    await storeToken(page, await product.token())
    await expect(page.getByRole('form', { name: words('login.login') })).toBeHidden()
    await goTo(page, '/files/')
    await expect(page.getByRole('row', { name: 'letter.txt' })).toBeVisible()
    await look('listing')
    await page.getByRole('row', { name: 'letter.txt' }).click()
    await look('selection')
    await page
      .getByRole('button', { name: words('share.share'), exact: true })
      .first()
      .click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('share-dialog')

    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: product.username, exact: true }).click()
    await expect(page.getByRole('form', { name: words('settings.profile.title') })).toBeVisible()
    await look('profile')
    await page.getByRole('link', { name: words('settings.global.title') }).click()
    await expect(page.getByRole('form', { name: words('settings.global.title') })).toBeVisible()
    await look('global')
    await goTo(page, `/share/${share.hash}`)
    await expect(page.getByText('sea.jpg').first()).toBeVisible()
    await look('public')
    expect(spilled).toEqual([])
  })
}

/** One for all languages of a worker, and loaded once: that takes longer than to look at it. */
let shown: Page | undefined

/** The login page in a browser that speaks this language. The session in it has ended, as in another tab. */
async function openLogin(browser: Browser, product: Product, id: string): Promise<Page> {
  const tag = tagOf(id)
  if (shown === undefined) {
    shown = await browser.newPage({ baseURL: product.url, reducedMotion: 'reduce', viewport: desk })
    await shown.addInitScript(speak, tag)
    await shown.goto('login')
  } else {
    await shown.evaluate(speak, tag)
    // Of a language that was spaced out.
    await shown.evaluate(() => {
      document.adoptedStyleSheets = []
    })
    await storeToken(shown, null)
    await goTo(shown, '/login')
  }
  return shown
}

const speak = (tag: string) => void Object.defineProperty(navigator, 'languages', { value: [tag], configurable: true })

/** As another tab does. */
const storeToken = (page: Page, token: string | null) =>
  page.evaluate((jwt) => {
    if (jwt === null) localStorage.removeItem('jwt')
    else localStorage.setItem('jwt', jwt)
    dispatchEvent(new StorageEvent('storage', { key: 'jwt' }))
  }, token)

/** As "forward" does, without loading the page anew. */
const goTo = (page: Page, path: string) =>
  page.evaluate((to) => {
    history.pushState({ depth: (history.state?.depth ?? 0) + 1 }, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)

const squares = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Where no font has these characters, boxes stand for them that are too narrow. Spaces make up for it. */
async function spaceOut(page: Page): Promise<void> {
  await page.evaluate(() => {
    const brush = document.createElement('canvas').getContext('2d')
    if (brush === null) return
    brush.font = `100px ${getComputedStyle(document.body).fontFamily}`
    const missing = 1 - brush.measureText('文').width / 100
    const sheet = new CSSStyleSheet()
    if (missing > 0.05) sheet.replaceSync(`:not(bdi, time) { letter-spacing: ${missing}em !important }`)
    document.adoptedStyleSheets = [sheet]
  })
}
