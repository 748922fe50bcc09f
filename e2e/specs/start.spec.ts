import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { hold } from '../slow-line.ts'

test('a server that gives no answer at the start leads to a message, and the page goes on with its first answer', async ({
  page,
  product,
}) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  await product.signIn(page)
  const line = await hold(page, '**/api/renew')
  await page.reload()
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  await expect(page.getByRole('alert')).toContainText("The server can't be reached")
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()

  await line.letGo()
  // By itself.
  await expect(row(page, 'letter.txt')).toBeVisible()
  await expect(page.locator('#loading')).toHaveCount(0)
})

test('the listing is asked for once, beside the renewal of the token, and kept for the screen', async ({
  page,
  product,
}) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  await product.signIn(page)
  const listings: string[] = []
  page.on('request', (request) => request.url().endsWith('/api/resources/') && listings.push(request.method()))
  const line = await hold(page, '**/api/renew')
  const listing = page.waitForResponse('**/api/resources/')
  await page.reload({ waitUntil: 'commit' })
  await listing
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  await line.letGo()
  await expect(row(page, 'letter.txt')).toBeVisible()
  expect(listings).toEqual(['GET'])
})

test('before the program is there, the page shows its theme and that it is loading', async ({ page, product }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  const line = await hold(page, '**/static/assets/**')
  await page.goto(product.url, { waitUntil: 'commit' })
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  await expect(page.locator('html')).toHaveClass(/dark/)
  expect(await page.evaluate(() => getComputedStyle(document.body.parentElement as Element).backgroundColor)).toBe(
    'rgb(13, 16, 15)',
  )
  await line.letGo()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect(page.locator('#loading')).toHaveCount(0)
})

test('a program that does not come is named, with a way to try again', async ({ page, product }) => {
  await page.route('**/static/assets/first-*.js', (route) => route.abort())
  await page.goto(product.url)
  await expect(page.getByRole('alert')).toContainText("The server can't be reached")
  await expect(page.getByRole('status', { name: 'Loading' })).toBeHidden()
  await page.unroute('**/static/assets/first-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
})

test('visitors and the login page load no file manager, and no language but their own', async ({
  browser,
  product,
}) => {
  await product.put({ 'Photos/sea.txt': 'blue' })
  const made = await fetch(new URL('api/share/Photos', product.url), {
    method: 'POST',
    headers: { 'X-Auth': await product.token() },
    body: '{}',
  })
  const { hash } = (await made.json()) as { hash: string }
  const context = await browser.newContext({ locale: 'de-DE' })
  const page = await context.newPage()
  const loaded: string[] = []
  page.on('request', (request) => {
    const [, name, texts] = /assets\/(.+)-[\w-]{8}(?:\.(?:js|css)|\/(.+)\.json)$/.exec(request.url()) ?? []
    if (name !== undefined) loaded.push(texts ?? name)
  })

  await page.goto(product.url)
  await expect(page.locator('main[data-view=login]')).toBeVisible()
  expect(loaded.filter(isTexts)).toEqual(['de.login'])
  for (const part of ['files', 'files-packages', 'common', 'share', 'settings']) expect(loaded).not.toContain(part)

  loaded.length = 0
  await page.goto(new URL(`share/${hash}`, product.url).href)
  await expect(page.locator('main[data-view=share]')).toContainText('sea')
  expect(loaded).toContain('share')
  expect(loaded.filter(isTexts)).toEqual(['de.visit'])
  for (const part of ['files', 'files-packages', 'settings', 'LoginScreen']) expect(loaded).not.toContain(part)
  await context.close()
})

/** Of "de.login", not of "share" or "first-packages". */
const isTexts = (name: string): boolean => name.includes('.')
