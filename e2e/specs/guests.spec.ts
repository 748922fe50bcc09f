import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { choose } from '../changing.ts'
import { listenForComplaints } from '../complaints.ts'
import { endGrants, grant } from '../grants.ts'
import { grid, names, row } from '../listing.ts'
import { expect, type Product, test } from '../product.ts'
import { desk, phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'
import { textFile } from '../uploads.ts'

test.beforeEach(async ({ product }) => {
  await product.put({
    'Public/letter.txt': 'Dear everybody',
    'Public/Photos/': '',
    'Private/diary.txt': 'Dear diary',
    'Letters/old.txt': 'an old one',
  })
  await grant(product, 'guest', '/Public', ['see', 'download'])
})

test.afterEach(({ product }) => endGrants(product))

const open = (page: Page, product: Product, path = '') => page.goto(new URL(path, product.url).href)
const signInButton = (page: Page): Locator => page.getByRole('button', { name: 'Sign in', exact: true })
const main = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })

async function fillIn(page: Page, product: Product): Promise<void> {
  await page.getByRole('textbox', { name: 'Username' }).fill(product.username)
  await page.getByLabel('Password', { exact: true }).fill(product.password)
  await page.getByRole('button', { name: 'Login' }).click()
}

test('a guest begins with the files that are open to guests, and is offered to sign in', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await open(page, product)
  await expect(row(page, 'Public')).toBeVisible()
  expect(await names(page)).toEqual(['Public'])
  await expect(signInButton(page)).toBeVisible()
  await row(page, 'Public').dblclick()
  await expect(row(page, 'letter.txt')).toBeVisible()
  await expect(main(page).getByRole('treeitem', { name: 'Public' })).toBeVisible()
  for (const name of ['Logout', 'New folder', 'New file', 'Upload'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  for (const name of ['Settings', 'guest', 'Shared', 'Trash'])
    await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0)
  await choose(page, 'letter.txt')
  await expect(page.getByRole('button', { name: 'Download' }).first()).toBeVisible()
  for (const name of ['Rename', 'Copy file', 'Move file', 'Delete', 'Share'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  await row(page, 'letter.txt').click({ button: 'right' })
  const menu = page.getByRole('menu', { name: 'Item actions' })
  await expect(menu.getByRole('menuitem', { name: 'Info' })).toBeVisible()
  for (const name of ['Rename', 'Cut', 'Delete', 'Share', 'Add to favourites'])
    await expect(menu.getByRole('menuitem', { name, exact: true })).toHaveCount(0)
  await page.keyboard.press('Escape')
  expect(complaints).toEqual([])
})

test('a guest reads a text and cannot change it', async ({ page, product }) => {
  await open(page, product, 'files/Public/letter.txt')
  await expect(page.getByText('Dear everybody')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
})

test('signing in leads back to where the guest was, and signing out to the files of guests', async ({
  page,
  product,
}) => {
  await open(page, product, 'files/Public/')
  await signInButton(page).click()
  await fillIn(page, product)
  await expect(page).toHaveURL(/\/files\/Public\/$/)
  await expect(page.getByRole('button', { name: 'New folder' })).toBeVisible()
  await expect(signInButton(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(signInButton(page)).toBeVisible()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect.poll(() => names(page)).toEqual(['Public'])
  await page.reload()
  await expect(row(page, 'Public')).toBeVisible()
})

test('what guests may not see leads to signing in, and from there to it', async ({ page, product }) => {
  await open(page, product, 'files/Private/')
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await fillIn(page, product)
  await expect(page).toHaveURL(/\/files\/Private\/$/)
  await expect(row(page, 'diary.txt')).toBeVisible()
})

test('settings are for accounts', async ({ page, product }) => {
  await open(page, product, 'settings/profile')
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await page.getByRole('button', { name: 'Continue without signing in' }).click()
  await expect(row(page, 'Public')).toBeVisible()
})

test('a token that is no longer taken leads to signing in, and not to the files of guests', async ({
  page,
  product,
}) => {
  await product.signIn(page, 'files/Private/')
  await page.evaluate(() => {
    const [head, body] = (localStorage.getItem('jwt') ?? '').split('.')
    localStorage.setItem('jwt', `${head}.${body}.forged`)
  })
  await page.reload()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect(page).toHaveURL(/redirect=/)
})

test('the last grant that ends leads the guest to the login', async ({ page, product }) => {
  await open(page, product)
  await expect(row(page, 'Public')).toBeVisible()
  await endGrants(product)
  // The page may have been told before it is used.
  await row(page, 'Public')
    .dblclick({ timeout: 2000 })
    .catch(() => {})
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continue without signing in' })).toHaveCount(0)
})

test('a letter box takes files of guests and shows none', async ({ page, product }) => {
  await grant(product, 'guest', '/Letters', ['create'])
  await open(page, product, 'files/Letters/')
  await expect(page.getByRole('heading', { name: 'You can put files here' })).toBeVisible()
  await page.locator('#upload-input').setInputFiles(textFile('new.txt', 'a new one'))
  await expect.poll(() => readFile(join(product.root, 'Letters/new.txt'), 'utf8').catch(() => '')).toBe('a new one')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'You can put files here' })).toBeVisible()
  await expect(grid(page)).toHaveCount(0)
})

test('a guest sorts and chooses a view for as long as the page lasts', async ({ page, product }) => {
  await product.put({ 'Public/a.txt': 'a', 'Public/b.txt': 'bbb' })
  await open(page, product, 'files/Public/')
  await expect(row(page, 'a.txt')).toBeVisible()
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
  await expect.poll(() => names(page)).toEqual(['b.txt', 'a.txt'])
})

test('the order of a guest counts at once in a folder that was seen before', async ({ page, product }) => {
  await product.put({ 'Public/Box/a.txt': 'a', 'Public/Box/b.txt': 'bbb' })
  await open(page, product, 'files/Public/Box/')
  await expect.poll(() => names(page)).toEqual(['a.txt', 'b.txt'])
  await page.keyboard.press('Backspace')
  await expect(row(page, 'Box')).toBeVisible()
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  const listing = await hold(page, '**/api/resources/Public/Box')
  await row(page, 'Box').dblclick()
  await listing.held
  await expect.poll(() => names(page)).toEqual(['b.txt', 'a.txt'])
  // Another click reverses what is seen.
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
  await expect.poll(() => names(page)).toEqual(['a.txt', 'b.txt'])
  await listing.letGo()
})

for (const size of [desk, phone])
  test(`a guest finds the way to sign in, without barriers, at ${size.width} px`, async ({ page, product }) => {
    await page.setViewportSize(size)
    await open(page, product, 'files/Public/')
    await expect(row(page, 'letter.txt')).toBeVisible()
    await expect(signInButton(page)).toBeVisible()
    expect(await findBarriersInBothThemes(page)).toEqual([])
  })
