import { findBarriersInBothThemes } from '../barriers.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'

test.beforeEach(async ({ product }) => {
  await product.put({ 'Photos/sea.txt': 'waves', 'letter.txt': 'Dear reader' })
  for (const { hash } of await sharesOf(product)) await callApi(product, 'DELETE', `share/${hash}`)
})

test('without links the page says how to make one', async ({ page, product }) => {
  await product.signIn(page, 'settings/shares')
  await expect(page).toHaveTitle('Share Management - File Browser')
  await expect(page.getByRole('heading', { name: 'No links yet' })).toBeVisible()
  await expect(page.getByRole('table')).toHaveCount(0)
  await expect(page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]')).toHaveText(['Shared'])
})

test('links are listed with their time, their owner and whether they ask for a password', async ({ page, product }) => {
  const { hash } = await share(product, 'letter.txt', {})
  await share(product, 'Photos', { password: 'seashell', expires: '3', unit: 'hours' })
  await page.clock.install()
  await product.signIn(page, 'settings/shares')
  const table = page.getByRole('table', { name: 'Share Management' })
  await expect(table.getByRole('columnheader')).toHaveText(['Path', 'Share Duration', 'Created', 'Username', 'Actions'])

  const letter = table.getByRole('row', { name: '/letter.txt' })
  await expect(letter).toContainText('Permanent')
  await expect(letter).toContainText(product.username)
  await expect(letter).not.toContainText('Password')
  const link = letter.getByRole('link', { name: '/letter.txt' })
  await expect(link).toHaveAttribute('href', new URL(`share/${hash}`, product.url).href)
  await expect(link).toHaveAttribute('target', '_blank')

  const photos = table.getByRole('row', { name: '/Photos' })
  await expect(photos).toContainText('Expires in 3 hours')
  await expect(photos).toContainText('Password')
  await page.clock.fastForward('01:10:00')
  await expect(photos).toContainText('in 2 hours')
  await expect(photos.getByText('in 2 hours')).toHaveAttribute('title', /^\d\d\/\d\d\/\d{4}, /)
})

test('links to the same folder are told apart by label and day, and found by a search', async ({ page, product }) => {
  await share(product, 'Photos', { label: 'for the family', expires: '1', unit: 'days' })
  await share(product, 'Photos', { label: 'for the club' })
  await share(product, 'letter.txt', {})
  await product.signIn(page, 'settings/shares')
  const rows = page
    .getByRole('table', { name: 'Share Management' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
  await expect(rows).toHaveCount(3)
  await expect(rows.filter({ hasText: 'for the family' })).toContainText('Expires tomorrow')
  await expect(rows.filter({ hasText: 'for the club' }).getByRole('cell').nth(2)).toHaveText(/^\w{3} \d{1,2}, \d/)
  const search = page.getByRole('searchbox', { name: 'Search links' })
  await search.fill('FAMILY')
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('for the family')
  await search.fill('no such link')
  await expect(page.getByRole('status').filter({ hasText: 'No link matches' })).toBeVisible()
  await search.fill('letter')
  await expect(rows).toContainText('/letter.txt')
})

test('a link is copied', async ({ page, product, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { hash } = await share(product, 'letter.txt', {})
  await product.signIn(page, 'settings/shares')
  await page.getByRole('button', { name: 'Copy to clipboard' }).click()

  await expect(page.getByRole('status').filter({ hasText: 'Link copied!' })).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(new URL(`share/${hash}`, product.url).href)
})

test('where the browser forbids copying, it says so', async ({ page, product }) => {
  await share(product, 'letter.txt', {})
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  })
  await product.signIn(page, 'settings/shares')
  await page.getByRole('button', { name: 'Copy to clipboard' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Permission denied!' })).toBeVisible()
})

test('over plain http copying takes the old way', async ({ page, product, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { hash } = await share(product, 'letter.txt', {})
  await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }))
  await product.signIn(page, 'settings/shares')
  const button = page.getByRole('button', { name: 'Copy to clipboard' })
  await button.click()

  await expect(page.getByRole('status').filter({ hasText: 'Link copied!' })).toBeVisible()
  await expect(button).toBeFocused()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(hash)
})

test('a link is deleted after a question', async ({ page, product }) => {
  await share(product, 'letter.txt', {})
  await product.signIn(page, 'settings/shares')
  const remove = page.getByRole('row', { name: '/letter.txt' }).getByRole('button', { name: 'Delete' })
  const question = page.getByRole('alertdialog', { name: 'Delete share' })

  await remove.click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => sharesOf(product)).toHaveLength(1)

  await remove.click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Share deleted!' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No links yet' })).toBeVisible()
  await expect.poll(() => sharesOf(product)).toEqual([])
})

test('users see their own links, and no column of names', async ({ page, product }) => {
  await share(product, 'letter.txt', {})
  await addUser(product, 'sharer', 'a window to the sea')
  await signInAs(page, product, 'sharer', 'a window to the sea')
  await page.goto(new URL('settings/shares', product.url).href)
  await expect(page.getByRole('heading', { name: 'No links yet' })).toBeVisible()
})

test('a link to what is out of the sight of its owner goes by its address, and can be deleted', async ({
  page,
  product,
}) => {
  const { hash } = await share(product, 'letter.txt', {})
  const moveTo = (scope: string) =>
    callApi(product, 'PUT', 'users/1', {
      ...{ what: 'user', which: ['scope'], data: { id: 1, scope } },
      current_password: product.password,
    })
  await moveTo('/Photos')
  try {
    await product.signIn(page, 'settings/shares')
    const link = page.getByRole('row', { name: new URL(`share/${hash}`, product.url).href })
    await expect(link).not.toContainText('letter')
    await link.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete share' })
    await expect(question).toContainText(hash)
    await question.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('heading', { name: 'No links yet' })).toBeVisible()
  } finally {
    await moveTo('/')
  }
})

test('a user without the right to share has no page of shares', async ({ page, product }) => {
  await addUser(product, 'reader', 'a window to the yard', { perm: { download: true } })
  await signInAs(page, product, 'reader', 'a window to the yard')
  await page.goto(new URL('settings/profile', product.url).href)
  await expect(page.getByRole('navigation', { name: 'Settings' }).getByRole('link')).toHaveText(['Profile Settings'])
  await page.goto(new URL('settings/shares', product.url).href)
  await expect(page).toHaveURL(/\/403$/)
  // What was asked for stands on the page, also after a reload.
  await page.reload()
  await expect(page.getByRole('link', { name: '/settings/shares' })).toHaveAttribute('href', '/settings/shares')
})

test('axe finds nothing in the list of shares', async ({ page, product }) => {
  await share(product, 'letter.txt', { password: 'seashell', expires: '3', unit: 'days' })
  await product.signIn(page, 'settings/shares')
  await expect(page.getByRole('table')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])

  await page.setViewportSize(phone)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await expect(page.getByRole('button', { name: 'Delete' })).toBeInViewport({ ratio: 1 })
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

const sharesOf = async (product: Product): Promise<{ hash: string }[]> =>
  (await callApi(product, 'GET', 'shares')).json()

const share = async (product: Product, path: string, terms: object): Promise<{ hash: string }> =>
  (await callApi(product, 'POST', `share/${path}`, terms)).json()

test.describe('with a finger', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: phone })

  test('a link is as high as a finger needs', async ({ page, product }) => {
    await share(product, 'letter.txt', {})
    await product.signIn(page, 'settings/shares')
    const link = page.getByRole('table').getByRole('link', { name: '/letter.txt' })
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  })
})
