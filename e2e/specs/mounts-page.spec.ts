import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { test as base, expect, launch, type Product } from '../product.ts'
import { desk, phone, resize } from '../sizes.ts'
import { toast } from '../toast.ts'

const phrase = 'a kettle on the stove'

interface Disks {
  /** The folder of the server that may be looked into. */
  disks: string
  /** A server of its own: a second root folder changes the addresses of all tests. */
  own: Product
}

const test = base.extend<Disks>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern
  disks: async ({}, use) => {
    const disks = await mkdtemp(join(tmpdir(), 'filestead-disks-'))
    for (const name of ['photos/2024', 'music', 'archive']) await mkdir(join(disks, name), { recursive: true })
    await writeFile(join(disks, 'photos/lake.txt'), 'a lake')
    await use(disks)
    await rm(disks, { recursive: true, force: true })
  },
  own: async ({ disks }, use) => {
    const { product, stop } = await launch('--mountable', disks, '--mount', `Archive=${join(disks, 'archive')}`)
    try {
      await use(product)
    } finally {
      await stop()
    }
  },
})

const table = (page: Page) => page.getByRole('table', { name: 'Root folders' })
const newForm = (page: Page) => page.getByRole('form', { name: 'New root folder' })
const folderField = (page: Page) => page.getByRole('textbox', { name: 'Folder on the server' })
const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true })

const addMount = async (product: Product, name: string, folder: string): Promise<number> =>
  (await (await callApi(product, 'POST', 'mounts', { name, folder })).json()).id

test('a root folder is picked, named after its folder, and given to a group', async ({ page, own, disks }) => {
  const complaints = await listenForComplaints(page)
  const anna = await addUser(own, 'anna', phrase)
  await callApi(own, 'POST', 'groups', { name: 'Family', members: [anna] })
  await own.signIn(page, 'settings/mounts')
  await page.getByRole('link', { name: 'Add root folder' }).click()
  await page.getByRole('button', { name: 'Choose folder' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose folder' })
  await dialog.getByRole('listitem').getByRole('button', { name: disks }).click()
  await dialog.getByRole('listitem').getByRole('button', { name: 'photos' }).click()
  await expect(dialog.getByRole('button', { name: '2024' })).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'Path on the server' })).toHaveValue(join(disks, 'photos'))
  await dialog.getByRole('button', { name: 'Choose this folder' }).click()
  await expect(folderField(page)).toHaveValue(join(disks, 'photos'))
  await expect(nameField(page)).toHaveValue('photos')
  await nameField(page).fill('Photos')
  await expect(nameField(page)).toHaveAccessibleDescription('The first part of all its addresses: /files/Photos/')
  await newForm(page).getByRole('button', { name: 'Save' }).click()

  await expect(toast(page, 'Root folder added!')).toBeVisible()
  const question = page.getByRole('region', { name: 'Who may use Photos?' })
  await expect(question).toContainText('Nobody yet, not even administrators.')
  const form = question.getByRole('form', { name: 'Give access' })
  await form.getByRole('button', { name: 'Give access' }).click()
  await expect(form.getByText('Choose a person or a group')).toBeVisible()
  const who = form.getByRole('combobox', { name: 'Person or group' })
  await who.fill('fam')
  await who.press('Enter')
  await expect(who).toHaveValue('Family')
  await form.getByRole('radio', { name: 'Work', exact: true }).check()
  await form.getByRole('button', { name: 'Give access' }).click()
  await expect(toast(page, 'Family has access now')).toBeVisible()

  const access = page.getByRole('region', { name: 'Who may use it' })
  await expect(access.getByRole('listitem').filter({ hasText: 'Family' })).toContainText('Work')
  const grants = await (await callApi(own, 'GET', 'grants')).json()
  expect(grants).toMatchObject([
    { name: 'Family', folder: '/', rights: ['see', 'download', 'create', 'change', 'delete'] },
  ])
  await page.getByRole('link', { name: 'Root folders' }).click()
  await expect(table(page).getByRole('row', { name: 'Photos' })).toContainText('1 person or group')

  await access.getByRole('button').waitFor({ state: 'detached' })
  await table(page).getByRole('link', { name: 'Edit Photos' }).click()
  await access.getByRole('button', { name: 'Remove access of Family' }).click()
  await expect(toast(page, 'Family has no access any more')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Person or group' })).toBeFocused()
  expect(await (await callApi(own, 'GET', 'grants')).json()).toEqual([])
  expect(complaints).toEqual([])
})

test('the picker is walked with the keyboard, and says why a folder cannot be chosen', async ({ page, own, disks }) => {
  await own.signIn(page, 'settings/mounts/new')
  await page.getByRole('button', { name: 'Choose folder' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose folder' })
  const path = dialog.getByRole('textbox', { name: 'Path on the server' })
  const use = dialog.getByRole('button', { name: 'Choose this folder' })
  const entry = (name: string) => dialog.getByRole('listitem').getByRole('button', { name, exact: true })
  await expect(use).toBeDisabled()
  await entry(disks).focus()
  await page.keyboard.press('Enter')
  await expect(entry('archive')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(entry('music')).toBeFocused()
  await page.keyboard.press('p')
  await expect(entry('photos')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(entry('2024')).toBeFocused()
  await page.keyboard.press('Backspace')
  await expect(entry('archive')).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('Archive')
  await expect(use).toBeDisabled()
  await path.fill('/etc')
  await path.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('--mountable')
  await expect(use).toBeDisabled()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await dialog.getByRole('navigation').getByRole('button', { name: 'Server' }).click()
  await expect(entry(disks)).toBeVisible()
  await path.fill(join(disks, 'music'))
  await path.press('Enter')
  await expect(use).toBeEnabled()
  await path.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(folderField(page)).toHaveValue(join(disks, 'music'))
})

test('the second root folder is announced to change addresses, the third is not', async ({ page, disks }) => {
  const { product, stop } = await launch('--mountable', disks)
  try {
    await product.signIn(page, 'settings/mounts')
    await expect(page.getByText('One folder is served so far.')).toBeVisible()
    await page.getByRole('link', { name: 'Add root folder' }).click()
    const note = page.getByRole('note', { name: 'This changes addresses for everybody' })
    await expect(note).toContainText('/files/a.txt becomes /files/Files/a.txt')
    await folderField(page).fill(join(disks, 'music'))
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Root folder added!')).toBeVisible()
    await page.getByRole('link', { name: 'Root folders' }).click()
    await page.getByRole('link', { name: 'Add root folder' }).click()
    await expect(newForm(page)).toBeVisible()
    await expect(note).toHaveCount(0)
  } finally {
    await stop()
  }
})

test('what is missing or refused is said beside the field', async ({ page, own, disks }) => {
  await own.signIn(page, 'settings/mounts/new')
  const form = newForm(page)
  const save = form.getByRole('button', { name: 'Save' })
  await save.click()
  await expect(form.getByText('Choose a folder')).toBeVisible()
  await expect(form.getByText('Enter a name')).toBeVisible()
  await expect(folderField(page)).toBeFocused()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await folderField(page).fill(join(disks, 'music'))
  await expect(nameField(page)).toHaveValue('music')
  await nameField(page).fill('Home')
  await save.click()
  await expect(form.getByText('Home is what the own folder of each user is called')).toBeVisible()
  await nameField(page).fill('archive')
  await save.click()
  await expect(form.getByText('This name is taken')).toBeVisible()
  await expect(nameField(page)).toHaveAttribute('aria-invalid', 'true')
  await nameField(page).fill('Second')
  await folderField(page).fill(join(disks, 'archive'))
  await save.click()
  await expect(folderField(page)).toHaveAccessibleDescription(/Archive/)
  await expect(folderField(page)).toHaveAttribute('aria-invalid', 'true')
  await folderField(page).fill('music')
  await save.click()
  await expect(folderField(page)).toHaveAccessibleDescription(/full path/)
  expect(await (await callApi(own, 'GET', 'mounts')).json()).toHaveLength(2)
})

test('a root folder is renamed and made read-only, and removing it touches nothing on the disk', async ({
  page,
  own,
  disks,
}) => {
  const id = await addMount(own, 'Photos', join(disks, 'photos'))
  await callApi(own, 'POST', 'grants', { subject: 'everybody', mount: id, folder: '/', rights: ['see'] })
  await own.signIn(page, `settings/mounts/${id}`)
  const form = page.getByRole('form', { name: 'Root folder Photos' })
  await nameField(page).fill('Pictures')
  await form.getByRole('checkbox', { name: 'Read-only' }).check()
  await form.getByRole('combobox', { name: 'Symbolic links' }).selectOption('Follow all')

  await page.getByRole('link', { name: 'Root folders' }).click()
  const unsaved = page.getByRole('alertdialog', { name: 'Unsaved changes' })
  await unsaved.getByRole('button', { name: 'Cancel' }).click()
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Root folder updated!')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Root folder Pictures' })).toBeVisible()
  await expect(page.getByText('rights to add, change and delete do nothing in it')).toBeVisible()
  const stored = await (await callApi(own, 'GET', 'mounts')).json()
  expect(stored.find((mount: { id: number }) => mount.id === id)).toMatchObject({
    ...{ name: 'Pictures', readOnly: true, links: 'outside', folder: join(disks, 'photos') },
  })

  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  const question = page.getByRole('alertdialog', { name: 'Remove root folder' })
  await expect(question).toContainText('Rights, links, favourites and unfinished uploads in it end at once.')
  await expect(question).toContainText(`${join(disks, 'photos')} stays as it is`)
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(toast(page, 'Root folder removed!')).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/mounts$/)
  await expect(table(page).getByRole('row', { name: 'Pictures' })).toHaveCount(0)
  expect(await (await callApi(own, 'GET', 'grants')).json()).toEqual([])
  expect((await readdir(join(disks, 'photos'))).sort()).toEqual(['2024', 'lake.txt'])
})

test('the first root folder has another name, and its folder is that of the start', async ({ page, own }) => {
  await own.signIn(page, 'settings/mounts/1')
  await expect(folderField(page)).toBeDisabled()
  await expect(folderField(page)).toHaveAccessibleDescription(/--root/)
  await expect(page.getByRole('button', { name: 'Remove', exact: true })).toHaveCount(0)
  await nameField(page).fill('Office')
  await page.getByRole('form', { name: 'Root folder Files' }).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Root folder updated!')).toBeVisible()
  expect((await (await callApi(own, 'GET', 'mounts')).json())[0]).toMatchObject({ id: 1, name: 'Office' })
})

test('a root folder of the command line is shown, and not changed here', async ({ page, own }) => {
  await own.signIn(page, 'settings/mounts')
  await expect(table(page).getByRole('row', { name: 'Archive' })).toContainText('Config file')
  await table(page).getByRole('link', { name: 'Edit Archive' }).click()
  await expect(page.getByText('Set on the command line or in a config file, and changed there.')).toBeVisible()
  for (const field of [folderField(page), nameField(page)]) await expect(field).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Remove', exact: true })).toHaveCount(0)
  // Who may use it is decided here all the same.
  await expect(page.getByRole('region', { name: 'Who may use Archive?' })).toBeVisible()
})

test('a root folder whose disk is away says so, and is back with its disk', async ({ page, own, disks }) => {
  const id = await addMount(own, 'Photos', join(disks, 'photos'))
  await rename(join(disks, 'photos'), join(disks, 'unplugged'))
  await own.signIn(page, 'settings/mounts')
  const row = table(page).getByRole('row', { name: 'Photos' })
  await expect(async () => {
    await page.reload()
    await expect(row).toBeVisible()
    await expect(row).toContainText('Not available', { timeout: 500 })
  }).toPass()
  await expect(table(page).getByRole('row', { name: 'Files' })).not.toContainText('Not available')
  await page.goto(new URL(`settings/mounts/${id}`, own.url).href)
  await expect(page.getByRole('note').filter({ hasText: 'comes back by itself' })).toBeVisible()

  await rename(join(disks, 'unplugged'), join(disks, 'photos'))
  await page.goto(new URL('settings/mounts', own.url).href)
  await expect(async () => {
    await page.reload()
    await expect(row).toBeVisible()
    await expect(row).not.toContainText('Not available', { timeout: 500 })
  }).toPass()
  expect(existsSync(join(disks, 'photos/lake.txt'))).toBe(true)
})

test('only administrators reach the pages', async ({ page, own }) => {
  await addUser(own, 'visitor', phrase)
  await signInAs(page, own, 'visitor', phrase)
  await page.goto(new URL('settings/profile', own.url).href)
  await expect(page.getByRole('link', { name: 'Profile Settings' })).toBeVisible()
  for (const name of ['Root folders', 'Groups']) await expect(page.getByRole('link', { name })).toHaveCount(0)
  for (const address of ['mounts', 'mounts/1', 'mounts/new', 'groups', 'groups/new']) {
    await page.goto(new URL(`settings/${address}`, own.url).href)
    await expect(page).toHaveURL(/\/403$/)
  }
})

test('the page of a missing root folder says so', async ({ page, own }) => {
  await own.signIn(page, 'settings/mounts/4711')
  await expect(page.getByRole('alert')).toContainText("This location can't be reached")
  await page.getByRole('button', { name: 'Root folders' }).click()
  await expect(table(page)).toBeVisible()
})

test('desk and phone show everything without a barrier and without scrolling sideways', async ({
  page,
  own,
  disks,
}) => {
  const id = await addMount(own, 'Photos', join(disks, 'photos'))
  await own.signIn(page, 'settings/mounts')
  for (const address of ['mounts', 'mounts/new', 'mounts/1', `mounts/${id}`]) {
    await page.goto(new URL(`settings/${address}`, own.url).href)
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
    for (const size of [desk, phone]) {
      await resize(page, size)
      expect(await findBarriersInBothThemes(page)).toEqual([])
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
    }
  }
})
