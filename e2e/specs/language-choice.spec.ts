import type { Browser, Page } from '@playwright/test'
import { addUser, callApi } from '../people.ts'
import { expect, launch, type Product, test } from '../product.ts'
import { wordsOf } from '../words.ts'

const german = wordsOf('de')
const arabic = wordsOf('ar')
const phrase = 'a lamp in every window'

test('a first visit speaks the language of the browser, and nothing is shown before it can', async ({
  browser,
  product,
}) => {
  const page = await visit(browser, product, 'de-AT')
  let release = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  await page.route(/\/texts-[^/]+\/de\./, async (route) => {
    await held
    await route.continue()
  })
  const asked = page.waitForRequest(/\/texts-[^/]+\/de\./)
  await page.goto('login', { waitUntil: 'commit' })
  await asked
  expect(await page.locator('#app').textContent()).toBe('')
  release()
  await expect(page.getByRole('form', { name: german('login.login') })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await expect(page).toHaveTitle(new RegExp(`^${german('login.login')} - `))
})

test('a language that cannot be loaded leaves an English page, not an empty one', async ({ browser, product }) => {
  const page = await visit(browser, product, 'de')
  await page.route(/\/texts-[^/]+\/de\./, (route) => route.abort())
  await page.goto('login')
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})

test('another language in the profile shows at once, without a reload, and stays', async ({ browser, product }) => {
  await addUser(product, 'reader', phrase)
  const page = await visit(browser, product, 'en-US')
  await signInAt(page, wordsOf('en'), 'reader')
  await page.goto('settings/profile')
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await page.getByRole('combobox', { name: 'Language' }).selectOption('ar')
  await page.getByRole('button', { name: 'Update' }).first().click()

  await expect(page.getByRole('heading', { name: arabic('settings.profile.title') })).toBeVisible()
  await expect(page.getByText(arabic('settings.updated'))).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
  await page.reload()
  await expect(page.getByRole('heading', { name: arabic('settings.profile.title') })).toBeVisible()
})

test('after signing out the page speaks the language of the browser again', async ({ browser, product }) => {
  await addUser(product, 'visitor', phrase, { locale: 'ar' })
  const page = await visit(browser, product, 'de')
  await signInAt(page, german, 'visitor')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await page.getByRole('button', { name: arabic('frame.logout') }).click()
  await expect(page.getByRole('form', { name: german('login.login') })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await expect(page.locator('html')).toHaveAttribute('dir', 'ltr')
})

test('an unknown stored language gives way to the browser’s', async ({ browser, product }) => {
  await addUser(product, 'klingon', phrase, { locale: 'tlh' })
  const page = await visit(browser, product, 'de')
  await signInAt(page, german, 'klingon')
  await page.goto('settings/profile')
  await expect(page.getByRole('heading', { name: german('settings.profile.title') })).toBeVisible()
  await expect(page.getByRole('combobox', { name: german('settings.language') })).toHaveValue('de')
})

test('in Arabic the arrow keys move by sight among tiles', async ({ browser, product }) => {
  await product.put({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
  await addUser(product, 'artist', phrase, { locale: 'ar', viewMode: 'mosaic' })
  const page = await visit(browser, product, 'ar')
  await signInAt(page, arabic, 'artist')
  const tile = (name: string) => page.getByRole('row', { name })
  const middle = async (name: string) => {
    const box = await tile(name).boundingBox()
    return (box?.x ?? 0) + (box?.width ?? 0) / 2
  }
  await tile('a.txt').click()
  expect(await middle('a.txt')).toBeGreaterThan(await middle('b.txt'))
  await page.keyboard.press('ArrowLeft')
  await expect(tile('b.txt')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(tile('c.txt')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(tile('b.txt')).toBeFocused()
})

test('in Arabic the page is mirrored, frame and menus', async ({ browser, product }) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  await addUser(product, 'mirror', phrase, { locale: 'ar' })
  const page = await visit(browser, product, 'ar')
  await signInAt(page, arabic, 'mirror')
  const sidebar = await page.getByRole('navigation', { name: arabic('frame.main') }).boundingBox()
  expect((sidebar?.x ?? 0) + (sidebar?.width ?? 0)).toBe(1440)
  await page.getByRole('row', { name: 'letter.txt' }).click({ button: 'right' })
  const menu = page.getByRole('menu')
  await expect(menu).toHaveCSS('direction', 'rtl')
  const item = menu.getByRole('menuitem').first()
  const [icon, line] = [await item.locator('svg').first().boundingBox(), await item.boundingBox()]
  expect(icon?.x ?? 0).toBeGreaterThan((line?.x ?? 0) + (line?.width ?? 0) / 2)
})

test('a password that is too short is refused in the language of the page', async ({ browser }) => {
  const { product, stop } = await launch()
  try {
    const settings = await (await callApi(product, 'GET', 'settings')).json()
    await callApi(product, 'PUT', 'settings', { ...settings, signup: true })
    for (const [locale, sentence] of [
      ['en-US', /at least 12/],
      ['de', new RegExp(german('settings.password.tooShort_other').replace('{{count}}', '12'))],
    ] as const) {
      const words = wordsOf(locale.slice(0, 2))
      const page = await visit(browser, product, locale)
      await page.goto('login?mode=signup')
      await page.getByRole('textbox', { name: words('login.username') }).fill('newcomer')
      await page.getByLabel(words('login.password'), { exact: true }).fill('short')
      await page.getByLabel(words('login.passwordConfirmation'), { exact: true }).fill('short')
      await page.getByRole('button', { name: words('login.signup'), exact: true }).click()
      await expect(page.getByRole('alert')).toHaveText(sentence)
    }
  } finally {
    await stop()
  }
})

async function visit(browser: Browser, product: Product, locale: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: product.url, locale, reducedMotion: 'reduce' })
  return context.newPage()
}

/** Signs in on a page that speaks these words. */
async function signInAt(page: Page, words: (key: string) => string, username: string): Promise<void> {
  await page.goto('login')
  await page.getByRole('textbox', { name: words('login.username') }).fill(username)
  await page.getByLabel(words('login.password'), { exact: true }).fill(phrase)
  await page.getByRole('button', { name: words('login.login'), exact: true }).click()
  await expect(page.locator('main[aria-busy="false"]:not([data-view="login"])')).toBeVisible()
}
