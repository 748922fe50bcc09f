import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { addUser, callApi, prefer, signInAs } from '../people.ts'
import { expect, launch, type Product, test } from '../product.ts'
import { desk, phone } from '../sizes.ts'
import { findSpilledText } from '../spilled-text.ts'

interface StoredGrant {
  id: number
  subject: string
  folder: string
  rights: string[]
}

const grantsOf = async (product: Product): Promise<StoredGrant[]> =>
  (await callApi(product, 'GET', 'grants')).json() as Promise<StoredGrant[]>

const give = (product: Product, subject: string, folder: string, rights: string[]) =>
  callApi(product, 'POST', 'grants', { subject, mount: 1, folder, rights })

async function addGroup(product: Product, name: string, members: number[]): Promise<number> {
  const group = (await (await callApi(product, 'POST', 'groups', { name, members })).json()) as { id: number }
  return group.id
}

const giveAccess = (page: Page) => page.getByRole('dialog', { name: 'Give access' })
const table = (page: Page) => page.getByRole('grid', { name: 'Access' })
const details = (page: Page) => page.getByRole('region', { name: 'Who can see this' })

test.beforeEach(async ({ product }) => {
  await product.put({ 'Photos/2024/sea.txt': 'waves', 'Private/diary.txt': 'dear', 'Box/': '' })
  for (const { id } of await grantsOf(product)) await callApi(product, 'DELETE', `grants/${id}`)
  const groups = (await (await callApi(product, 'GET', 'groups')).json()) as { id: number }[]
  for (const { id } of groups) await callApi(product, 'DELETE', `groups/${id}`)
})

test('in a language of long words the table shows every word of the rights', async ({ page, product }) => {
  await prefer(product, { locale: 'de' })
  await give(product, 'guest', '/Photos', ['see', 'download'])
  await product.signIn(page, 'settings/access')
  await expect(page.getByRole('grid').getByText('Ansehen und herunterladen')).toBeVisible()
  expect(await findSpilledText(page)).toEqual([])
})

test('without grants the page explains them and leads to the first one', async ({ page, product }) => {
  await addUser(product, 'reader', 'lamp in the window', { scope: '/Box' })
  await product.signIn(page, 'settings/access')
  await expect(page.getByRole('heading', { name: 'People see their home' })).toBeVisible()
  await page.getByRole('button', { name: 'Give access' }).click()
  await giveAccess(page).getByRole('combobox', { name: 'Who' }).fill('rea')
  await page.getByRole('option', { name: 'reader' }).click()
  await giveAccess(page).getByRole('button', { name: 'Choose folder' }).click()
  await page.getByRole('dialog', { name: 'Choose folder' }).getByRole('option', { name: 'Photos' }).click()
  await page.getByRole('dialog', { name: 'Choose folder' }).getByRole('button', { name: 'OK' }).click()
  await expect(giveAccess(page).getByRole('textbox', { name: 'Folder' })).toHaveValue('/Photos')
  await giveAccess(page).getByRole('radio', { name: 'Look', exact: true }).check()
  await giveAccess(page).getByRole('button', { name: 'Save' }).click()

  await expect(table(page).getByRole('row', { name: '/Photos' })).toContainText('Look')
  await expect(table(page).getByRole('columnheader')).toHaveText(['Folder', 'reader'])
  expect(await grantsOf(product)).toMatchObject([{ folder: '/Photos', rights: ['see'] }])
})

test('a cell is reached by arrow keys, changed and removed', async ({ page, product }) => {
  const reader = await addUser(product, 'reader', 'lamp in the window')
  await give(product, 'everybody', '/Photos', ['see', 'download'])
  await give(product, `user:${reader}`, '/Box', ['create'])
  await product.signIn(page, 'settings/access')
  const cell = (name: string) => table(page).getByRole('button', { name, exact: true })
  await cell('Everybody in /Box').focus()
  await page.keyboard.press('ArrowRight')
  await expect(cell('reader in /Box')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(cell('reader in /Photos')).toBeFocused()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Rights of Everybody' })
  await expect(dialog.getByRole('radio', { name: 'Look and download' })).toBeChecked()
  await dialog.getByRole('radio', { name: 'Custom' }).check()
  await dialog.getByRole('checkbox', { name: 'Share' }).check()
  await dialog.getByRole('checkbox', { name: 'Download' }).uncheck()
  await expect(dialog.getByRole('checkbox', { name: 'Share' })).not.toBeChecked()
  await dialog.getByRole('checkbox', { name: 'Add' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(cell('Everybody in /Photos')).toContainText('See, Add')
  await expect(cell('Everybody in /Photos')).toHaveAttribute('aria-description', 'See, Add')

  await cell('reader in /Box').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  // As long as the dialog is there, no row behind it is found by its role.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(table(page).getByRole('row', { name: '/Box' })).toHaveCount(0)
  expect(await grantsOf(product)).toMatchObject([{ subject: 'everybody', rights: ['see', 'create'] }])
})

test('folders, people and groups are found by a part of their names', async ({ page, product }) => {
  const family = await addGroup(product, 'Family', [])
  await give(product, `group:${family}`, '/Photos', ['see'])
  await give(product, 'guest', '/Box', ['create'])
  await product.signIn(page, 'settings/access')
  const filter = page.getByRole('searchbox', { name: 'Filter by folder, person or group' })
  await filter.fill('fam')
  await expect(table(page).getByRole('columnheader')).toHaveText(['Folder', 'Family'])
  await filter.fill('box')
  await expect(table(page).getByRole('columnheader')).toHaveText(['Folder', 'Guests'])
  await filter.fill('no such name')
  await expect(page.getByRole('status').filter({ hasText: 'No folder, person or group' })).toBeVisible()

  await page.goto(new URL(`settings/access?subject=group:${family}`, product.url).href)
  await expect(table(page).getByRole('columnheader')).toHaveText(['Folder', 'Family'])
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(table(page).getByRole('columnheader')).toHaveText(['Folder', 'Guests', 'Family'])
})

test('what one person can do is told for each folder, with the reason', async ({ page, product }) => {
  const reader = await addUser(product, 'reader', 'lamp in the window', { scope: '/Box' })
  const family = await addGroup(product, 'Family', [reader])
  await give(product, `group:${family}`, '/Photos', ['see', 'download'])
  await product.signIn(page, 'settings/access')
  await page.getByRole('button', { name: 'By person' }).click()
  await page.getByRole('combobox', { name: 'Person' }).fill('reader')
  await page.getByRole('option', { name: 'reader' }).click()
  const folder = (name: string) =>
    page.getByRole('list', { name: 'By person' }).getByRole('listitem', { name, exact: true })
  const rights = (name: string) => folder(name).getByRole('list', { name: 'Rights' }).getByRole('listitem')
  await expect(rights('/Photos')).toHaveText(['See', 'Download', 'Add', 'Change', 'Delete', 'Share'])
  await expect(folder('/Photos').getByRole('listitem', { name: 'Download', exact: true })).toBeVisible()
  await expect(folder('/Photos').getByRole('listitem', { name: 'Add: no' })).toBeVisible()
  await expect(folder('/Photos')).toContainText('Family')
  await expect(folder('/Box').getByRole('listitem', { name: 'Delete', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Check another folder' }).click()
  await page.getByRole('dialog').getByRole('option', { name: 'Private' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'OK' }).click()
  await expect(folder('/Private').getByRole('listitem', { name: 'See: no' })).toBeVisible()
})

test('the details of a folder name who has rights, where they come from, and change them', async ({
  page,
  product,
}) => {
  const reader = await addUser(product, 'reader', 'lamp in the window', { scope: '/Photos/2024' })
  await give(product, `user:${reader}`, '/Photos', ['see'])
  await give(product, 'guest', '/Photos', ['see'])
  await product.signIn(page, 'files/Photos/2024/')
  await page.setViewportSize(desk)
  await page.keyboard.press('i')
  const list = details(page).getByRole('list', { name: 'Who can see this' }).getByRole('listitem')
  // The home of the reader lies deeper than the grant above.
  await expect(list).toHaveText([
    /Guests.*from \/Photos.*Look/s,
    /reader.*home: \/Photos\/2024.*Everything/s,
    /admin.*home: \/.*Everything/s,
  ])

  await details(page).getByRole('button', { name: 'Give access' }).click()
  await giveAccess(page).getByRole('combobox', { name: 'Who' }).fill('every')
  await page.keyboard.press('Enter')
  await giveAccess(page).getByRole('radio', { name: 'Work', exact: true }).check()
  await expect(giveAccess(page)).toContainText(/admin.* can do more here now/)
  await giveAccess(page).getByRole('button', { name: 'Save' }).click()
  await expect(list.first()).toContainText('Everybody')
  await list.first().getByRole('button', { name: 'Rights of Everybody' }).click()
  await page.getByRole('dialog').getByRole('radio', { name: 'Nothing' }).check()
  await expect(page.getByRole('dialog')).toContainText('you do not see this folder any more')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await details(page).getByRole('link', { name: 'from /Photos' }).click()
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
  const pane = page.getByRole('complementary', { name: 'Details' })
  await expect(pane.getByRole('heading', { name: 'Photos' })).toBeVisible()
  await expect(pane.getByRole('definition').filter({ hasText: /^\/Photos$/ })).toBeVisible()
  await expect(details(page).getByRole('button', { name: 'Rights of Guests' })).toBeVisible()
  await details(page).getByRole('button', { name: 'Why? reader' }).click()
  const why = page.getByRole('dialog', { name: 'What can this person do here?' })
  await expect(why.getByRole('listitem', { name: 'See', exact: true })).toBeVisible()
  await why.getByRole('combobox', { name: 'Person' }).fill('gue')
  await page.getByRole('option', { name: 'Guests' }).click()
  await expect(why.getByText(/^Guests may see here/)).toBeVisible()
})

test('a second root folder, which no account sees yet, is opened by the page alone', async ({ page }) => {
  const attic = await mkdtemp(join(tmpdir(), 'filestead-attic-'))
  const { product, stop } = await launch('--mountable', attic)
  try {
    await writeFile(join(attic, 'trunk.txt'), 'old letters')
    await product.put({ 'letter.txt': 'Dear reader' })
    await callApi(product, 'POST', 'mounts', { name: 'Attic', folder: attic })
    await product.signIn(page, 'settings/access')
    await page.getByRole('button', { name: 'Give access' }).click()
    await giveAccess(page).getByRole('combobox', { name: 'Who' }).fill('admin')
    await page.getByRole('option', { name: 'admin' }).click()
    await giveAccess(page).getByRole('combobox', { name: 'Root folder' }).selectOption('Attic')
    await giveAccess(page).getByRole('radio', { name: 'Work', exact: true }).check()
    const inTree = page.getByRole('tree', { name: 'Folder tree' }).getByRole('treeitem', { name: 'Attic' })
    await expect(inTree).toHaveCount(0)
    await giveAccess(page).getByRole('button', { name: 'Save' }).click()
    await expect(inTree).toBeVisible()
    await table(page).getByRole('row', { name: '/Attic' }).getByRole('link', { name: '/' }).click()
    await expect(page).toHaveURL(/\/files\/Attic\/$/)
    await expect(page.getByRole('row', { name: 'trunk.txt' })).toBeVisible()
    await page.keyboard.press('i')
    await expect(details(page).getByRole('listitem', { name: 'admin' })).toContainText('Work')
  } finally {
    await stop()
    await rm(attic, { recursive: true })
  }
})

test('what a group gives an administrator is in the tree when they join it; the picker opens at the root folder', async ({
  page,
}) => {
  const attic = await mkdtemp(join(tmpdir(), 'filestead-attic-'))
  const { product, stop } = await launch('--mountable', attic)
  try {
    await mkdir(join(attic, 'Trunk'))
    await callApi(product, 'POST', 'mounts', { name: 'Attic', folder: attic })
    const group = await addGroup(product, 'Family', [])
    await callApi(product, 'POST', 'grants', { subject: `group:${group}`, mount: 2, folder: '/', rights: ['see'] })
    await product.signIn(page, `settings/groups/${group}`)
    const tree = page.getByRole('tree', { name: 'Folder tree' })
    await expect(tree.getByRole('treeitem', { name: 'Files' })).toBeVisible()
    await expect(tree.getByRole('treeitem', { name: 'Attic' })).toHaveCount(0)
    await page.getByRole('combobox', { name: 'Add a member' }).fill('admin')
    await page.getByRole('option', { name: 'admin' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(tree.getByRole('treeitem', { name: 'Attic' })).toBeVisible()

    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Access' }).click()
    await page.getByRole('button', { name: 'Give access' }).click()
    await giveAccess(page).getByRole('combobox', { name: 'Root folder' }).selectOption('Attic')
    await giveAccess(page).getByRole('button', { name: 'Choose folder' }).click()
    await page.getByRole('dialog', { name: 'Choose folder' }).getByRole('option', { name: 'Trunk' }).click()
    await page.getByRole('button', { name: 'OK' }).click()
    await expect(giveAccess(page).getByRole('textbox', { name: 'Folder' })).toHaveValue('/Trunk')
  } finally {
    await stop()
    await rm(attic, { recursive: true })
  }
})

test('from the page of a group, access is given to that group', async ({ page, product }) => {
  const group = await addGroup(product, 'Readers', [])
  await product.signIn(page, `settings/groups/${group}`)
  await page.getByRole('link', { name: 'Change rights' }).click()
  await page.getByRole('button', { name: 'Give access' }).click()
  await giveAccess(page).getByRole('textbox', { name: 'Folder' }).fill('/Photos')
  await giveAccess(page).getByRole('button', { name: 'Save' }).click()
  await expect(table(page).getByRole('columnheader', { name: 'Readers' })).toBeVisible()
  expect(await grantsOf(product)).toMatchObject([{ subject: `group:${group}`, folder: '/Photos' }])
})

test('with one root folder and no grants the details say nothing; the palette leads there', async ({
  page,
  product,
}) => {
  await product.signIn(page, 'files/Photos/')
  await page.setViewportSize(desk)
  const asked = page.waitForResponse(/\/api\/grants\?limit=1/)
  await page.keyboard.press('i')
  await asked
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('/Photos')
  await expect(details(page)).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('who can')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Who can see this' })).toContainText('home: /')
})

test('a refusal keeps the dialog and what was chosen', async ({ page, product }) => {
  await product.signIn(page, 'settings/access')
  await page.getByRole('button', { name: 'Give access' }).click()
  await giveAccess(page).getByRole('button', { name: 'Save' }).click()
  await expect(giveAccess(page).getByRole('alert')).toHaveText('Choose a person, a group, everybody or guests')
  await giveAccess(page).getByRole('combobox', { name: 'Who' }).fill('guests')
  await page.keyboard.press('Enter')
  await expect(giveAccess(page)).toContainText('without signing in')
  await giveAccess(page).getByRole('textbox', { name: 'Folder' }).fill('/Photos/2024/sea.txt')
  await giveAccess(page).getByRole('button', { name: 'Save' }).click()
  await expect(giveAccess(page).getByRole('alert')).toBeVisible()
  await expect(giveAccess(page).getByRole('combobox', { name: 'Who' })).toHaveValue('Guests')
  expect(await grantsOf(product)).toEqual([])
})

test('on a phone the table is a list', async ({ page, product }) => {
  await give(product, 'everybody', '/Photos', ['see'])
  await page.setViewportSize(phone)
  await product.signIn(page, 'settings/access')
  const folder = page.getByRole('list', { name: 'By folder' }).getByRole('listitem', { name: '/Photos' })
  await folder.getByRole('button', { name: 'Rights of Everybody' }).click()
  await page.getByRole('radio', { name: 'Everything' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(folder.getByRole('button', { name: 'Rights of Everybody' })).toContainText('Everything')
  await folder.getByRole('button', { name: 'Give access' }).click()
  await expect(giveAccess(page)).toContainText('/Photos')
})

test('5,000 grants are drawn as far as they are in view', async ({ page, product }) => {
  const grants = Array.from({ length: 5000 }, (_, index) => {
    const user = 1 + (index % 100)
    return {
      id: index + 1,
      subject: `user:${user}`,
      name: `user${user}`,
      mount: 1,
      folder: `/f${Math.floor(index / 4)}`,
      rights: ['see'],
    }
  })
  await page.route('**/api/grants', (route) => route.fulfill({ json: grants }))
  await product.signIn(page, 'settings/access')
  await expect(table(page)).toHaveAttribute('aria-rowcount', '1251')
  expect(await table(page).getByRole('gridcell').count()).toBeLessThan(400)
  await table(page).getByRole('button').first().focus()
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('PageDown')
  await page.keyboard.press('End')
  await expect(table(page).locator('button:focus')).toHaveAttribute('data-cell', '30:99')
  await page.getByRole('searchbox').fill('/f1249')
  await expect(table(page).getByRole('row')).toHaveCount(2)
})

test('the page and its dialogs have no barriers', async ({ page, product }) => {
  await give(product, 'everybody', '/Photos', ['see'])
  await give(product, 'guest', '/Box', [])
  await product.signIn(page, 'settings/access')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Everybody in /Photos' }).click()
  await page.getByRole('radio', { name: 'Custom' }).check()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('only administrators open the page', async ({ page, product }) => {
  await addUser(product, 'reader', 'lamp in the window')
  await signInAs(page, product, 'reader', 'lamp in the window')
  await page.goto(new URL('settings/access', product.url).href)
  await expect(page.locator('main[data-status="403"]')).toBeVisible()
})
