import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'
import { expect, test } from '../product.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test.beforeEach(({ product }) => product.put({ 'Photos/': '', 'letter.txt': 'Dear reader', 'empty.bin': '' }))

test('signing in shows what the served folder holds', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await page.goto(product.url)

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('File Browser')
  await expect(page.getByText(/^The server is running/)).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused()
  await product.signIn(page)

  const files = page.getByRole('list', { name: 'Files' }).getByRole('listitem')
  await expect(files).toHaveText(['PhotosFolder', 'empty.bin0 B', 'letter.txt11 B'])
  expect(await page.evaluate(() => localStorage.getItem('jwt'))).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(complaints).toEqual([])
})

test('the form works by keyboard alone', async ({ page, product }) => {
  await page.goto(product.url)
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeFocused()

  await page.keyboard.type(product.username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(product.password)
  await page.keyboard.press('Enter')

  await expect(page.getByRole('heading', { name: 'My files' })).toBeFocused()
})

test('a wrong password is refused and the name stays', async ({ page, product }) => {
  await page.goto(product.url)
  await page.getByRole('textbox', { name: 'Username' }).fill(product.username)
  await page.getByLabel('Password', { exact: true }).fill('lamp in the cellar')
  await page.getByRole('button', { name: 'Login' }).click()

  await expect(page.getByRole('alert')).toHaveText('Wrong credentials')
  await expect(page.getByRole('textbox', { name: 'Username' })).toHaveValue(product.username)
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
})

test('a lost connection is named', async ({ page, product, context }) => {
  await page.goto(product.url)
  await context.setOffline(true)
  await page.getByRole('textbox', { name: 'Username' }).fill(product.username)
  await page.getByLabel('Password', { exact: true }).fill(product.password)
  await page.getByRole('button', { name: 'Login' }).click()

  await expect(page.getByRole('alert')).toHaveText('No connection to the server')
})

test('a reload keeps the session, signing out ends it', async ({ page, product }) => {
  await product.signIn(page)
  await page.reload()
  await expect(page.getByRole('list', { name: 'Files' })).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()

  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('jwt'))).toBeNull()
  await page.reload()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
})

test('the password can be shown', async ({ page, product }) => {
  await page.goto(product.url)
  const toggle = page.getByRole('button', { name: 'Show password' })
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')

  await toggle.click()

  await expect(toggle).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nothing stands in the way of assistive technology, ${colorScheme}`, async ({ page, product }) => {
    await page.emulateMedia({ colorScheme })
    await page.goto(product.url)
    await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
    expect(await findBarriers(page)).toEqual([])

    await page.getByRole('textbox', { name: 'Username' }).fill(product.username)
    await page.getByLabel('Password', { exact: true }).fill('lamp in the cellar')
    await page.getByRole('button', { name: 'Login' }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await findBarriers(page)).toEqual([])

    await product.signIn(page)
    expect(await findBarriers(page)).toEqual([])
  })
}

test('a phone shows everything without scrolling sideways', async ({ page, product }) => {
  await product.put({ [`${'a-name-without-an-end-'.repeat(8)}.txt`]: 'x' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(product.url)
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  expect(await widthOf(page)).toBe(390)

  await product.signIn(page)
  await expect(page.getByRole('list', { name: 'Files' })).toBeVisible()
  expect(await widthOf(page)).toBe(390)
})

/** Console errors, uncaught errors and blocked content, as they come. */
async function listenForComplaints(page: Page): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  // Thrown, a blocked request arrives with the uncaught errors.
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      throw new Error(`Blocked by policy: ${JSON.stringify(event, ['violatedDirective', 'blockedURI'])}`)
    })
  })
  return complaints
}

async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** The screen clips what sticks out of it, so it is asked as well as the document. */
async function widthOf(page: Page): Promise<number> {
  const widths = await page
    .locator('html, main')
    .evaluateAll((elements) => elements.map(({ scrollWidth }) => scrollWidth))
  return Math.max(...widths)
}
