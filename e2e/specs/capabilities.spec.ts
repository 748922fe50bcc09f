import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { choose } from '../changing.ts'
import { listenForComplaints } from '../complaints.ts'
import { endGrants, grant } from '../grants.ts'
import { names, row } from '../listing.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { test as base, expect, launching, type Product } from '../product.ts'
import { phone } from '../sizes.ts'
import { dragIn } from '../uploads.ts'

/** A second root folder would change all addresses of other tests. */
const test = base.extend<object, { product: Product; disk: string }>({
  product: [launching('--mountable', tmpdir()), { scope: 'worker' }],
  /** The folder of the second root folder, "Photos". */
  disk: [
    async ({ product }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'filestead-e2e-photos-'))
      await callApi(product, 'POST', 'mounts', { name: 'Photos', folder })
      await use(folder)
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
})

const password = 'only here to look'
let ann = 0

test.beforeEach(async ({ product, disk }) => {
  await endGrants(product)
  await product.put({ 'home/ann/own.txt': 'mine', 'home/ann/Drafts/': '', 'Team/plan.txt': 'plan', 'Team/Box/': '' })
  for (const name of await readdir(disk)) await rm(join(disk, name), { recursive: true })
  await writeFile(join(disk, 'lake.txt'), 'blue')
  await mkdir(join(disk, 'Old'))
  ann = await addUser(product, 'ann', password, { scope: '/home/ann' })
})

const main = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })
const tree = (page: Page): Locator => main(page).getByRole('tree', { name: 'Folder tree' })
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

async function enter(page: Page, product: Product, path: string): Promise<void> {
  await signInAs(page, product, 'ann', password)
  await page.goto(new URL(`files${path}`, product.url).href)
}

test('a person without grants finds the home alone at the top', async ({ page, product }) => {
  await enter(page, product, '/')
  await expect(row(page, 'Home')).toBeVisible()
  expect(await names(page)).toEqual(['Home'])
})

test('on a phone the top has another name than the home in it', async ({ page, product }) => {
  await enter(page, product, '/')
  await page.setViewportSize(phone)
  const way = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(way.getByRole('link')).toHaveText(['My files'])
  await page.goto(new URL('files/Home/', product.url).href)
  await expect(way.getByRole('link')).toHaveText(['My files', 'Home'])
})

test('at the top there is nothing to make, and parts are neither renamed, moved nor deleted', async ({
  page,
  product,
}) => {
  const complaints = await listenForComplaints(page)
  await grant(product, `user:${ann}`, '/', ['see', 'download', 'create', 'change', 'delete', 'share'], 2)
  await enter(page, product, '/')
  await expect(row(page, 'Photos')).toBeVisible()
  for (const name of ['New folder', 'New file', 'Upload']) await expect(button(page, name)).toHaveCount(0)
  await choose(page, 'Photos')
  await expect(button(page, 'Share')).toBeVisible()
  for (const name of ['Rename', 'Move file', 'Delete']) await expect(button(page, name)).toHaveCount(0)
  for (const key of ['F2', 'Delete', 'ControlOrMeta+x']) await page.keyboard.press(key)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await row(page, 'Photos').dblclick()
  await choose(page, 'lake.txt')
  for (const name of ['New folder', 'Upload', 'Rename', 'Move file', 'Delete'])
    await expect(button(page, name)).toBeVisible()
  expect(complaints).toEqual([])
})

test('files dropped at the top are refused with a message', async ({ page, product, disk }) => {
  await grant(product, `user:${ann}`, '/', ['see'], 2)
  await enter(page, product, '/')
  await expect(row(page, 'Photos')).toBeVisible()
  const drag = await dragIn(page, page.locator('#content'), [join(disk, 'lake.txt')])
  await expect(page.getByRole('region', { name: 'Files cannot be put here' })).toBeVisible()
  await drag.drop()
  await expect(page.getByRole('alert').filter({ hasText: 'Files cannot be put here' })).toBeVisible()
})

test('a folder to look at offers to read and nothing else', async ({ page, product }) => {
  await grant(product, `user:${ann}`, '/', ['see', 'download'], 2)
  await enter(page, product, '/Photos/')
  await choose(page, 'lake.txt')
  await expect(button(page, 'Copy file')).toBeVisible()
  await expect(button(page, 'Download').first()).toBeVisible()
  for (const name of ['Rename', 'Move file', 'Delete', 'Share', 'New folder', 'New file', 'Upload'])
    await expect(button(page, name)).toHaveCount(0)
  await row(page, 'lake.txt').dblclick()
  await expect(page.getByText('blue')).toBeVisible()
  await expect(button(page, 'Save')).toHaveCount(0)
})

test('what may be seen and not read says so, and has no checksums', async ({ page, product }) => {
  await grant(product, `user:${ann}`, '/', ['see'], 2)
  await enter(page, product, '/Photos/')
  await choose(page, 'lake.txt')
  await expect(button(page, 'Copy file')).toHaveCount(0)
  await expect(button(page, 'Download')).toHaveCount(0)
  await button(page, 'Info').first().click()
  await expect(page.getByRole('dialog')).toContainText('lake.txt')
  await expect(page.getByRole('dialog')).not.toContainText('MD5')
  await page.keyboard.press('Escape')
  await row(page, 'lake.txt').dblclick()
  await expect(page.getByRole('alert')).toContainText('not allowed to download')
})

test('a selection may be used as far as each of its entries', async ({ page, product }) => {
  await grant(product, `user:${ann}`, '/', ['see', 'download', 'create', 'change', 'delete'], 2)
  await grant(product, `user:${ann}`, '/Old', ['see'], 2)
  await enter(page, product, '/Photos/')
  await choose(page, 'lake.txt')
  await expect(button(page, 'Delete')).toBeVisible()
  // Another click on the first one soon after would open it.
  await row(page, 'Old').click({ modifiers: ['ControlOrMeta'] })
  await expect(row(page, 'Old')).toHaveAttribute('aria-selected', 'true')
  await expect(button(page, 'Delete')).toHaveCount(0)
  await expect(button(page, 'Download')).toHaveCount(0)
})

test('a folder that takes nothing cannot be the target of a move', async ({ page, product }) => {
  await grant(product, `user:${ann}`, '/', ['see', 'download', 'create', 'change', 'delete'], 2)
  await grant(product, `user:${ann}`, '/Old', ['see'], 2)
  await enter(page, product, '/Photos/')
  await choose(page, 'lake.txt')
  await button(page, 'Move file').click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Move', exact: true })
  await dialog.getByRole('option', { name: 'Old', exact: true }).click()
  await expect(confirm).toBeDisabled()
  await expect(dialog).toContainText('Nothing can be put into /Photos/Old')
  await expect(dialog.getByRole('button', { name: 'New folder' })).toHaveCount(0)
  await dialog.getByRole('option', { name: 'My files' }).click()
  await expect(confirm).toBeDisabled()
  await dialog.getByRole('option', { name: 'Home', exact: true }).click()
  await expect(confirm).toBeEnabled()
})

test('the tree begins with the home, and says of a root folder that its disk is away', async ({
  page,
  product,
  disk,
}) => {
  await grant(product, `user:${ann}`, '/', ['see'], 2)
  await grant(product, `user:${ann}`, '/Team', ['see'])
  await rename(disk, `${disk}-away`)
  try {
    await enter(page, product, '/')
    await expect(tree(page).getByRole('treeitem')).toHaveText([/^Home/, /^Files/, /^Photos/])
    await row(page, 'Photos').dblclick()
    await expect(page.getByRole('heading', { name: 'This folder is not available' })).toBeVisible()
    await expect(tree(page).getByRole('treeitem', { name: 'Photos' })).toContainText('Not available')
  } finally {
    await rename(`${disk}-away`, disk)
  }
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(row(page, 'lake.txt')).toBeVisible()
})
