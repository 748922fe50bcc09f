import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'

test.beforeEach(({ product }) => product.put({ 'Photos/': '', 'letter.txt': 'Dear reader' }))

test('signing in leads to the files', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await page.goto(product.url)

  await expect(page).toHaveTitle('Login - File Browser')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('File Browser')
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused()
  await fillIn(page, product.username, product.password)

  await expect(page).toHaveURL(/\/files\/$/)
  await expect(page).toHaveTitle('My files - Files - File Browser')
  expect(await page.evaluate(() => localStorage.getItem('jwt'))).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(complaints).toEqual([])
})

test('the form works by keyboard alone and leads where one wanted to go', async ({ page, product }) => {
  await page.goto(new URL('files/Photos/', product.url).href)
  await expect(page).toHaveURL(/\/login\?redirect=/)
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused()

  await page.keyboard.type(product.username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(product.password)
  await page.keyboard.press('Enter')

  await expect(page).toHaveURL(/\/files\/Photos\/$/)
})

test('a crafted link does not lead elsewhere after signing in', async ({ page, product }) => {
  await page.goto(new URL('login?redirect=//example.org/', product.url).href)
  await fillIn(page, product.username, product.password)

  await expect(page).toHaveURL(new URL('files/', product.url).href)
})

test('a wrong password is refused and the name stays', async ({ page, product }) => {
  await page.goto(product.url)
  const button = page.getByRole('button', { name: 'Login', exact: true })
  const place = await button.boundingBox()
  await fillIn(page, product.username, 'lamp in the cellar')

  await expect(page.getByRole('alert')).toHaveText('Wrong credentials')
  expect(await button.boundingBox()).toEqual(place)
  await expect(page.getByRole('textbox', { name: 'Username' })).toHaveValue(product.username)
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
})

test('a lost connection is named', async ({ page, product, context }) => {
  await page.goto(product.url)
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await context.setOffline(true)
  await fillIn(page, product.username, product.password)

  await expect(page.getByRole('alert')).toHaveText('No connection to the server')
})

test('a reload keeps the session, signing out ends it', async ({ page, product }) => {
  await product.signIn(page)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()

  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect(page).toHaveURL(/\/login$/)
  expect(await page.evaluate(() => localStorage.getItem('jwt'))).toBeNull()
  await page.reload()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
})

test('a sign-out after inactivity is explained', async ({ page, product }) => {
  await page.goto(new URL('login?logout-reason=inactivity', product.url).href)
  await expect(page.getByRole('status').filter({ hasText: /inactivity/ })).toBeVisible()
})

test('a session in use goes on, and one that runs out leads back to where it ended', async ({ page, product }) => {
  await page.clock.install()
  await product.signIn(page, 'files/Photos/')
  await page.clock.fastForward('01:59:30')
  const renewal = page.waitForResponse('**/api/renew')
  await page.keyboard.press('Shift')
  await (await renewal).finished()
  // The page has taken the new token in when it has read an answer that came after it.
  await page.evaluate(async () => (await fetch('/health')).text())
  await page.clock.fastForward('01:58:00')
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()

  // As in a tab that was frozen while another one renewed the token. Two tokens of the same second are one and the same.
  const held = await page.evaluate(() => localStorage.getItem('jwt'))
  await expect.poll(product.token).not.toBe(held)
  const newer = await product.token()
  await page.evaluate((token) => localStorage.setItem('jwt', token), newer)
  await page.clock.fastForward('00:02:30')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('jwt'))).not.toBeNull()
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()

  await page.clock.fastForward('02:00:30')
  await expect(page.getByRole('status').filter({ hasText: /inactivity/ })).toBeVisible()
  await expect(page).toHaveURL(/\/login\?logout-reason=inactivity&redirect=%2Ffiles%2FPhotos%2F$/)
  await fillIn(page, product.username, product.password)
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
})

test('a refused sign-in makes the bot check anew, and the next try has its new answer', async ({ page, product }) => {
  await page.addInitScript(() => {
    let settings = {}
    Object.defineProperty(window, 'FileBrowser', {
      get: () => settings,
      set: (written: object) => {
        settings = { ...written, ReCaptcha: true, ReCaptchaKey: 'key' }
      },
    })
    let resets = 0
    Object.assign(window, {
      grecaptcha: {
        render: (slot: HTMLElement) => slot.append('I am no robot'),
        getResponse: () => `answer ${resets}`,
        reset: () => {
          resets += 1
        },
      },
    })
  })
  const answers: unknown[] = []
  page.on(
    'request',
    (request) => request.url().endsWith('/api/login') && answers.push(request.postDataJSON().recaptcha),
  )
  await page.goto(product.url)
  await expect(page.getByRole('group', { name: 'Bot check' })).toHaveText('I am no robot')
  await fillIn(page, product.username, 'lamp in the cellar')
  await expect(page.getByRole('alert')).toHaveText('Wrong credentials')
  await fillIn(page, product.username, product.password)
  await expect(page).toHaveURL(/\/files\/$/)
  expect(answers).toEqual(['answer 0', 'answer 1'])
})

test('the password can be shown', async ({ page, product }) => {
  await page.goto(product.url)
  const toggle = page.getByRole('button', { name: 'Show password' })
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')

  await toggle.click()

  await expect(toggle).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
})

test('axe finds nothing in the login form', async ({ page, product }) => {
  await page.goto(product.url)
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])

  await fillIn(page, product.username, 'lamp in the cellar')
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('a phone shows the form without scrolling sideways', async ({ page, product }) => {
  await page.setViewportSize(phone)
  await page.goto(product.url)
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

async function fillIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Username' }).fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
}
