import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { listenForComplaints } from '../complaints.ts'
import { treeOf } from '../disk.ts'
import { row } from '../listing.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { expect, test } from '../product.ts'
import { desk } from '../sizes.ts'
import { hold } from '../slow-line.ts'
import { toast } from '../toast.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({
    'Archive/2025/Taxes/': '',
    'Photos/2026/lake.txt': 'blue',
    'Recipes/': '',
    'a.txt': 'a',
    'b.txt': 'b',
  })
  // The administrator is the same for all tests.
  const kept = (await (await callApi(product, 'GET', 'favourites')).json()) as { path: string }[]
  for (const { path } of kept) await callApi(product, 'DELETE', `favourites${path}`)
  await product.signIn(page)
})

const main = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })
const tree = (page: Page): Locator => main(page).getByRole('tree', { name: 'Folder tree' })
const item = (page: Page, name: string): Locator => tree(page).getByRole('treeitem', { name, exact: true })

test('the tree follows the folder in view, and works by keyboard', async ({ page }) => {
  const complaints = await listenForComplaints(page)
  await expect(item(page, 'Archive')).toHaveAttribute('aria-expanded', 'false')
  await tree(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await expect(item(page, '2025')).toHaveAttribute('aria-level', '2')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(item(page, 'Taxes')).toBeVisible()
  await page.keyboard.press('p')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
  await expect(item(page, 'Photos')).toHaveAttribute('aria-current', 'page')
  await expect(tree(page)).toBeFocused()

  await row(page, '2026').dblclick()
  await expect(item(page, '2026')).toHaveAttribute('aria-current', 'page')
  await item(page, 'Taxes').click()
  await expect(page).toHaveURL(/\/files\/Archive\/2025\/Taxes\/$/)
  await expect(main(page).getByRole('region', { name: 'Recent' }).getByRole('link')).toHaveText(['2026', 'Photos'])
  expect(await findBarriersInBothThemes(page)).toEqual([])
  expect(complaints).toEqual([])
})

test('a bucket and a folder of another server have marks of their own in the tree, in the listing, and where a destination is chosen', async ({
  page,
}) => {
  const mount = { isHome: false, isAway: false, readOnly: false, hasTrash: false, hasVersions: false }
  await page.route('**/api/mounts', (route) =>
    route.fulfill({
      json: [
        { ...mount, id: 2, name: 'Archive', path: '/Archive', storage: 's3' },
        { ...mount, id: 3, name: 'Photos', path: '/Photos', storage: 'sftp' },
        { ...mount, id: 4, name: 'Recipes', path: '/Recipes', isAway: true },
      ],
    }),
  )
  await page.reload()
  const markIn = (line: Locator) => line.locator('[data-mark]').getAttribute('data-mark')
  await expect.poll(() => markIn(item(page, 'Archive'))).toBe('s3')
  expect(await markIn(item(page, 'Photos'))).toBe('sftp')
  await expect.poll(() => markIn(row(page, 'Archive'))).toBe('s3')
  expect(await markIn(row(page, 'Photos'))).toBe('sftp')
  await expect(row(page, 'Recipes')).toContainText('Not available')
  await expect(row(page, 'Recipes')).toHaveAccessibleDescription('Not available')
  await expect(item(page, 'Recipes')).toContainText('Not available')
  await expect(item(page, 'Recipes')).toHaveAccessibleDescription('Not available')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await choose(page, 'a.txt')
  await act(page, 'Move file')
  const option = page.getByRole('listbox', { name: 'Folders' }).getByRole('option', { name: 'Archive', exact: true })
  await expect.poll(() => markIn(option)).toBe('s3')
})

test('what is dropped on a folder of the tree moves there, and a folder that something is held over opens', async ({
  page,
  product,
}) => {
  await expect(item(page, 'Archive')).toBeVisible()
  await row(page, 'a.txt').hover({ position: { x: 90, y: 20 } })
  await page.mouse.down()
  await row(page, 'b.txt').hover({ position: { x: 90, y: 20 } })
  await item(page, 'Archive').hover()
  await item(page, 'Archive').hover({ position: { x: 60, y: 10 } })
  await expect(item(page, 'Archive')).toHaveAttribute('data-drop-target', 'true')
  await expect(item(page, '2025')).toBeVisible()
  await item(page, '2025').hover()
  await item(page, '2025').hover({ position: { x: 60, y: 10 } })
  await expect(item(page, '2025')).toHaveAttribute('data-drop-target', 'true')
  await page.mouse.up()
  await expect(toast(page, 'Moved a.txt to 2025')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Archive/2025/a.txt': 'a', 'b.txt': 'b' })
})

test('folders that are made, renamed here or elsewhere, or cannot be read show in the tree', async ({
  page,
  product,
}) => {
  // As behind a proxy that does not let the server tell: what is not there any more is noticed when it is opened.
  await page.route('**/api/events*', (route) => route.abort())
  await page.reload()
  await expect(item(page, 'Recipes')).toBeVisible()
  await main(page).getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Plans')
  await page.keyboard.press('Enter')
  await expect(item(page, 'Plans')).toBeVisible()

  renameSync(join(product.root, 'Recipes'), join(product.root, 'Cooking'))
  await item(page, 'Recipes').click()
  await expect(page.locator('main[data-view=error]')).toBeVisible()
  await expect(item(page, 'Recipes')).toBeHidden()
  await expect(item(page, 'Cooking')).toBeVisible()

  await page.route('**/api/folders/Archive', (route) => route.fulfill({ status: 403, body: '403 Forbidden' }))
  const opener = item(page, 'Archive').locator('span').first()
  await opener.click()
  await expect(item(page, 'Archive')).toHaveAccessibleDescription(/./)
  await expect(item(page, 'Archive')).toHaveAttribute('aria-expanded', 'false')
  await page.unroute('**/api/folders/Archive')
  await opener.click()
  await expect(item(page, '2025')).toBeVisible()
})

test('the folder in view stays in sight when recent folders take room from the tree', async ({ page, product }) => {
  await product.put({
    ...Object.fromEntries(
      ['Archive', 'Books', 'Letters', 'Music', 'Photos', 'Recipes'].map((name) => [`${name}/`, '']),
    ),
    'Tax/B/C/D/E/F/': '',
    'Tax/B/src/': '',
    'Videos/': '',
  })
  await page.setViewportSize({ width: 1100, height: 700 })
  for (const path of ['Archive/', 'Photos/', 'Recipes/', 'Tax/B/C/D/E/F/']) {
    await page.goto(new URL(`files/${path}`, product.url).href)
    await expect(item(page, path.split('/').at(-2) ?? '')).toHaveAttribute('aria-current', 'page')
  }
  await page.reload()
  await expect(main(page).getByRole('region', { name: 'Recent' }).getByRole('link')).toHaveCount(3)
  await expect(item(page, 'F')).toBeInViewport({ ratio: 0.9 })
})

test('of many thousand folders a few are rendered, and the last one is a key away', async ({ page, product }) => {
  for (let index = 0; index < 3000; index += 1)
    mkdirSync(join(product.root, 'Many', String(index).padStart(4, '0')), { recursive: true })
  await page.reload()
  await item(page, 'Many').locator('span').first().click()
  await expect(item(page, '0000')).toBeVisible()
  expect(await tree(page).getByRole('treeitem').count()).toBeLessThan(80)
  await tree(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await page.keyboard.type('2999')
  await expect(item(page, '2999')).toBeInViewport()
  await expect(item(page, '2999')).toHaveAttribute('aria-setsize', '3000')
})

test('favourites stay with the user, follow a renamed folder and take drops', async ({ page, product }) => {
  const favourites = main(page).getByRole('region', { name: 'Favourites' })
  await row(page, 'Photos').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Add to favourites' }).click()
  await expect(favourites.getByRole('link', { name: 'Photos' })).toBeVisible()
  await page.reload()
  await expect(favourites.getByRole('link', { name: 'Photos' })).toBeVisible()

  await row(page, 'b.txt').dragTo(favourites.getByRole('link', { name: 'Photos' }), {
    sourcePosition: { x: 90, y: 20 },
  })
  await expect(toast(page, 'Moved b.txt to Photos')).toBeVisible()

  await choose(page, 'Photos')
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name' }).fill('Pictures')
  await page.keyboard.press('Enter')
  await expect(favourites.getByRole('link', { name: 'Pictures' })).toBeVisible()
  await favourites.getByRole('link', { name: 'Pictures' }).click()
  await expect(page).toHaveURL(/\/files\/Pictures\/$/)
  await expect(row(page, 'b.txt')).toBeVisible()

  await addUser(product, 'visitor', 'a seat by the fire')
  await page.getByRole('button', { name: 'Logout' }).click()
  await signInAs(page, product, 'visitor', 'a seat by the fire')
  await expect(item(page, 'Pictures')).toBeVisible()
  await expect(favourites).toBeHidden()
})

test('the sidebar is a rail below 1024 px, and its width can be changed', async ({ page }) => {
  await expect(tree(page)).toBeVisible()
  const edge = page.getByRole('separator', { name: 'Resize sidebar' })
  const before = Number(await edge.getAttribute('aria-valuenow'))
  await edge.focus()
  await page.keyboard.press('ArrowRight')
  await expect(edge).toHaveAttribute('aria-valuenow', String(before + 16))
  await page.reload()
  await expect(edge).toHaveAttribute('aria-valuenow', String(before + 16))
  await expect.poll(async () => Math.round((await main(page).boundingBox())?.width ?? 0)).toBe(before + 16)

  await page.setViewportSize({ width: 1000, height: 800 })
  await expect(tree(page)).toBeHidden()
  await expect(edge).toBeHidden()
  await expect.poll(async () => (await main(page).boundingBox())?.width).toBeLessThan(80)
  await page.getByRole('button', { name: 'Toggle sidebar' }).first().click()
  await expect(tree(page)).toBeVisible()
  await page.setViewportSize(desk)
  await expect(tree(page)).toBeVisible()
})

test('Ctrl+L edits the path', async ({ page }) => {
  await expect(item(page, 'Archive')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+l')
  const field = page.getByRole('combobox', { name: 'Path' })
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('/')
  await field.fill('/nowhere')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveText('There is nothing at this path')
  await field.fill('Archive/2025')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/files\/Archive\/2025\/$/)
  await expect(field).toBeHidden()
  await page.keyboard.press('ControlOrMeta+l')
  await expect(field).toHaveValue('/Archive/2025/')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
})

test('what is held is pasted after a reload, in another tab, by a button, and not by the next person', async ({
  page,
  product,
  context,
}) => {
  const paste = (tab: Page) =>
    tab.getByRole('toolbar', { name: 'File actions' }).getByRole('button', { name: 'Paste', exact: true })
  await expect(item(page, 'Archive')).toBeVisible()
  await expect(paste(page)).toBeHidden()
  await choose(page, 'a.txt')
  await page.keyboard.press('ControlOrMeta+x')
  await expect(paste(page)).toBeVisible()
  await page.reload()
  await expect(paste(page)).toBeVisible()

  const other = await context.newPage()
  await other.goto(new URL('files/Recipes/', product.url).href)
  await paste(other).click()
  await expect(row(other, 'a.txt')).toBeVisible()
  await expect(paste(other)).toBeHidden()
  await expect(paste(page)).toBeHidden()

  await choose(page, 'b.txt')
  await page.keyboard.press('ControlOrMeta+c')
  await expect(paste(other)).toBeVisible()
  await other.close()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('filestead.my.')))).toEqual(
    [],
  )
})

test('a long name that does not fit keeps its end in sight', async ({ page, product }) => {
  const name = 'Rental agreement of the flat in the Lindenstrasse behind the old mill, signed, version 12.pdf'
  await product.put({ [name]: 'x' })
  await page.setViewportSize({ width: 760, height: 800 })
  await page.reload()
  const label = row(page, name).getByTitle(name)
  await expect(label).toHaveText(name)
  const isInside = (end: Locator) =>
    end.evaluate((element) => {
      const box = element.closest('[title]')?.getBoundingClientRect()
      return element.getBoundingClientRect().right <= (box?.right ?? 0) + 1
    })
  await expect.poll(() => isInside(label.getByText('.pdf', { exact: true }))).toBe(true)
})

test('nothing in the sidebar moves when the disk usage comes, here or of the next folder', async ({ page }) => {
  let tell = () => {}
  const isTold = new Promise<void>((resolve) => {
    tell = resolve
  })
  await page.route('**/api/usage/**', async (route) => {
    await isTold
    await route.fulfill({ json: { total: 100, used: 40 } })
  })
  await page.reload()
  const usage = main(page).getByRole('progressbar', { name: 'Disk usage' })
  const button = main(page).getByRole('button', { name: 'New folder' })
  await expect(item(page, 'Photos')).toBeVisible()
  await expect(usage).toBeHidden()
  const before = await button.boundingBox()
  tell()
  await expect(usage).toBeVisible()
  expect(await button.boundingBox()).toEqual(before)

  await hold(page, '**/api/usage/**')
  await row(page, 'Photos').dblclick()
  await expect(row(page, '2026')).toBeVisible()
  await expect(usage).toBeVisible()
  expect(await button.boundingBox()).toEqual(before)
})
