import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'
import { toast } from '../toast.ts'

const phrase = 'a kettle on the stove'

test('a new user has the rights that were ticked', async ({ page, product, browser }) => {
  const complaints = await listenForComplaints(page)
  await openUsers(page, product)
  await expect(page).toHaveTitle('Users - File Browser')
  await page.getByRole('link', { name: 'New', exact: true }).click()
  await expect(page).toHaveTitle('User - File Browser')
  const form = page.getByRole('form', { name: 'New User' })
  await expect(form.getByRole('textbox', { name: 'Username' })).toBeFocused()
  await page.keyboard.type('miller')
  await form.getByLabel('Password', { exact: true }).fill(phrase)
  await form.getByRole('textbox', { name: 'Scope' }).fill('/mill')
  await form.getByRole('checkbox', { name: 'Delete files and directories' }).setChecked(false)
  await form.getByRole('checkbox', { name: 'Share files (require download permission)' }).setChecked(false)
  await form.getByRole('checkbox', { name: 'Download', exact: true }).setChecked(false)
  await form.getByRole('button', { name: 'Save' }).click()
  await confirmIdentity(page, product)

  await expect(toast(page, 'User created!')).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/users\/\d+$/)
  await expect(page.getByRole('form', { name: 'User miller' })).toBeVisible()
  const stored = await (await callApi(product, 'GET', `users/${page.url().split('/').at(-1)}`)).json()
  expect(stored).toMatchObject({ username: 'miller', scope: '/mill' })
  expect(stored.perm).toMatchObject({ admin: false, create: true, delete: false, share: false, download: false })

  const own = await browser.newPage()
  await signInAs(own, product, 'miller', phrase)
  await own.close()
  expect(complaints).toEqual([])
})

test('administrator implies everything, sharing implies downloading', async ({ page, product }) => {
  await openUsers(page, product, 'new')
  const permissions = page.getByRole('group', { name: 'Permissions' })
  const box = (name: string) => permissions.getByRole('checkbox', { name: new RegExp(`^${name}`) })
  const lock = page.getByRole('checkbox', { name: 'Prevent the user from changing the password' })

  await box('Share files').setChecked(false)
  await box('Download').setChecked(false)
  await box('Share files').setChecked(true)
  await expect(box('Download')).toBeChecked()
  await expect(box('Download')).toBeDisabled()

  await box('Rename or move').setChecked(false)
  await lock.setChecked(true)
  await box('Administrator').setChecked(true)
  for (const name of ['Create', 'Delete', 'Download', 'Edit files', 'Rename or move', 'Share files']) {
    await expect(box(name)).toBeChecked()
    await expect(box(name)).toBeDisabled()
  }
  await expect(lock).not.toBeChecked()
  await expect(lock).toBeDisabled()
  await box('Administrator').setChecked(false)
  await expect(lock).toBeEnabled()
  await expect(box('Rename or move')).toBeEnabled()
})

test('a home of their own blanks the scope and gives it back', async ({ page, product }) => {
  const settings = await (await callApi(product, 'GET', 'settings')).json()
  const defaults = { ...settings.defaults, scope: '/common' }
  await callApi(product, 'PUT', 'settings', { ...settings, createUserDir: true, defaults })
  try {
    await openUsers(page, product, 'new')
    const scope = page.getByRole('textbox', { name: 'Scope' })
    const home = page.getByRole('checkbox', { name: 'Create user home directory' })
    await expect(home).toBeChecked()
    await expect(scope).toBeDisabled()
    await expect(scope).toHaveValue('')
    await expect(scope).toHaveAttribute('placeholder', /.+/)

    await home.setChecked(false)
    await expect(scope).toHaveValue('/common')
    await expect(scope).toBeEnabled()
    await home.setChecked(true)
    await expect(scope).toHaveValue('')

    await page.getByRole('textbox', { name: 'Username' }).fill('homer')
    await page.getByLabel('Password', { exact: true }).fill(phrase)
    await page.getByRole('button', { name: 'Save' }).click()
    await confirmIdentity(page, product)
    await expect(toast(page, 'User created!')).toBeVisible()
    await expect(scope).toHaveValue('/users/homer')
    expect(existsSync(join(product.root, 'users/homer'))).toBe(true)
  } finally {
    await callApi(product, 'PUT', 'settings', settings)
  }
})

test('a new user gets a folder of its own by one switch, and a password to pass on', async ({
  page,
  product,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openUsers(page, product, 'new')
  const form = page.getByRole('form', { name: 'New User' })
  const scope = form.getByRole('textbox', { name: 'Scope' })
  await expect(form.getByRole('radio', { name: 'Everything' })).toBeChecked()
  await expect(scope).toHaveAccessibleDescription(/all files on this server/)
  await form.getByRole('textbox', { name: 'Username' }).fill('lodger')
  await form.getByRole('checkbox', { name: 'Create user home directory' }).setChecked(true)
  await expect(scope).toHaveAttribute('placeholder', '/users/lodger')
  await form.getByRole('button', { name: 'Generate' }).click()
  const password = await form.getByLabel('Password', { exact: true }).inputValue()
  expect(password).toMatch(/^\w{16}$/)
  await form.getByRole('button', { name: 'Save' }).click()
  await confirmIdentity(page, product)

  const card = page.getByRole('region', { name: 'lodger can sign in now' })
  await expect(card).toContainText(password)
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await card.getByRole('button', { name: 'Copy sign-in details' }).click()
  await expect(toast(page, 'Sign-in details copied')).toBeVisible()
  const address = new URL('/', product.url).href
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(`${address}\nUsername: lodger\nPassword: ${password}`)
  await expect(scope.or(page.getByRole('textbox', { name: 'Scope' }))).toHaveValue('/users/lodger')
  expect(existsSync(join(product.root, 'users/lodger'))).toBe(true)

  // Gone with the page.
  await page.getByRole('link', { name: 'User Management' }).click()
  const row = page.getByRole('table', { name: 'Users' }).getByRole('row', { name: 'lodger' })
  await expect(row).toContainText('Never')
  await row.getByRole('link', { name: 'Edit lodger' }).click()
  await expect(page.getByRole('form', { name: 'User lodger' })).toBeVisible()
  await expect(card).toHaveCount(0)
})

test('a folder for a user is chosen from those that are there', async ({ page, product }) => {
  await product.put({ 'Team/Plans/': '', 'Team/Old/': '' })
  const id = await addUser(product, 'planner', phrase, { rules: [{ allow: false, regex: false, path: '/Old' }] })
  await openUsers(page, product, String(id))
  const form = page.getByRole('form', { name: 'User planner' })
  const scope = form.getByRole('textbox', { name: 'Scope' })
  await form.getByRole('button', { name: 'Choose folder' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose folder' })
  await dialog.getByRole('option', { name: 'Team' }).dblclick()
  await dialog.getByRole('option', { name: 'Plans' }).click()
  await expect(dialog).toContainText('Sees /Team/Plans and everything in it')
  await dialog.getByRole('button', { name: 'OK' }).click()
  await expect(scope).toHaveValue('/Team/Plans')
  await expect(form.getByRole('radio', { name: 'One folder' })).toBeChecked()
  await form.getByRole('radio', { name: 'Everything' }).check()
  await expect(scope).toHaveValue('/')
  await form.getByRole('radio', { name: 'One folder' }).check()
  await expect(scope).toHaveValue('/Team/Plans')
  await form.getByRole('button', { name: 'Save' }).click()
  await confirmIdentity(page, product)
  await expect(toast(page, 'User updated!')).toBeVisible()
  expect(await (await callApi(product, 'GET', `users/${id}`)).json()).toMatchObject({ scope: '/Team/Plans' })

  await page.getByRole('link', { name: 'User Management' }).click()
  const table = page.getByRole('table', { name: 'Users' })
  await expect(table.getByRole('columnheader', { name: 'Permissions' })).toBeVisible()
  await expect(table.getByRole('row', { name: 'planner' })).toContainText('1 rule')
  await expect(table.getByRole('row', { name: product.username, exact: true }).getByRole('time')).toBeVisible()
})

test('what is missing or refused is said beside the field', async ({ page, product }) => {
  await addUser(product, 'taken', phrase)
  await openUsers(page, product, 'new')
  const form = page.getByRole('form', { name: 'New User' })
  const name = form.getByRole('textbox', { name: 'Username' })
  const password = form.getByLabel('Password', { exact: true })
  const save = form.getByRole('button', { name: 'Save' })

  await save.click()
  await expect(form.getByText('Enter a name')).toBeVisible()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await expect(name).toBeFocused()
  await expect(form.getByText('Enter a password')).toBeVisible()

  await name.fill('taken')
  await password.fill('short')
  await expect(form.getByText('The password needs at least 12 characters')).toBeVisible()
  await password.fill('password1234')
  await save.click()
  await confirmIdentity(page, product)
  await expect(form.getByText('This password is too easy to guess')).toBeVisible()
  await expect(password).toHaveAttribute('aria-invalid', 'true')

  await password.fill(phrase)
  await save.click()
  await confirmIdentity(page, product)
  await expect(form.getByText('This username is taken')).toBeVisible()

  await name.fill('free')
  await save.click()
  const question = page.getByRole('dialog', { name: 'Your password' })
  await question.getByLabel('Your password').fill('not the password')
  await question.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'This is not your current password' })).toBeVisible()
  await save.click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  const users = await (await callApi(product, 'GET', 'users')).json()
  expect(users.map((user: { username: string }) => user.username)).not.toContain('free')
})

test('a user is found in the list, opened by the row, changed and deleted', async ({ page, product, browser }) => {
  const id = await addUser(product, 'gardener', phrase)
  await openUsers(page, product)
  const table = page.getByRole('table', { name: 'Users' })
  await expect(table.getByRole('row', { name: product.username, exact: true })).toContainText('Yes')
  await page.getByRole('searchbox', { name: 'Filter users' }).fill('GARD')
  await expect(table.getByRole('row')).toHaveCount(2)
  await expect(table.getByRole('row', { name: 'gardener' })).toContainText('No')
  await expect(table.getByRole('link', { name: 'Edit gardener' })).toHaveAttribute('href', `/settings/users/${id}`)
  await table.getByRole('row', { name: 'gardener' }).getByText('gardener', { exact: true }).click()

  const form = page.getByRole('form', { name: 'User gardener' })
  await expect(form.getByLabel('Password', { exact: true })).toHaveAttribute('placeholder', 'Leave blank to keep it')
  await form.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
  await form.getByRole('button', { name: 'New rule' }).click()
  await form.getByRole('textbox', { name: 'Path' }).fill('/private')
  await expect(form.getByRole('checkbox', { name: 'Allow' })).not.toBeChecked()
  await form.getByRole('button', { name: 'Save' }).click()
  await confirmIdentity(page, product)
  await expect(toast(page, 'User updated!')).toBeVisible()
  await expect(form.getByText('Unsaved changes')).toBeHidden()
  expect(await (await callApi(product, 'GET', `users/${id}`)).json()).toMatchObject({
    locale: 'de',
    rules: [{ allow: false, regex: false, path: '/private' }],
  })

  // The password was left blank: the old one still opens.
  const own = await browser.newPage()
  await own.goto(new URL('login', product.url).href)
  await own.locator('[name=username]').fill('gardener')
  await own.locator('[name=password]').fill(phrase)
  await own.locator('[type=submit]').click()
  await expect(own).toHaveURL(/\/files\/$/)
  await own.close()

  await form.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Your password' })).toContainText('gardener')
  const deleted = await hold(page, '**/api/users/*')
  await confirmIdentity(page, product)
  await expect(form.getByRole('button', { name: 'Delete', exact: true })).toHaveAttribute('aria-busy', 'true')
  await form.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await deleted.letGo()
  await expect(toast(page, 'User deleted!')).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/users$/)
  await expect(table.getByRole('row', { name: 'gardener' })).toHaveCount(0)
})

test('Cancel leads back without a question, leaving any other way asks', async ({ page, product }) => {
  const id = await addUser(product, 'porter', phrase)
  await openUsers(page, product, String(id))
  const form = page.getByRole('form', { name: 'User porter' })
  await form.getByRole('textbox', { name: 'Scope' }).fill('/elsewhere')
  await page.getByRole('link', { name: 'User Management' }).click()
  const question = page.getByRole('alertdialog', { name: 'Unsaved changes' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(form.getByRole('textbox', { name: 'Scope' })).toHaveValue('/elsewhere')
  await form.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/\/settings\/users$/)
  expect(await (await callApi(product, 'GET', `users/${id}`)).json()).toMatchObject({ scope: '/' })
})

test('the last administrator cannot be deleted, and the page says why not', async ({ page, product }) => {
  await openUsers(page, product, '1')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await confirmIdentity(page, product)
  const refusal = page.getByRole('alert').filter({ hasText: "You don't have permissions to access this" })
  await expect(refusal).toBeVisible()
  await expect(page.getByRole('form', { name: `User ${product.username}` })).toBeVisible()
})

test('deleting the own account signs out, saving it shows at once', async ({ page, product }) => {
  const id = await addUser(product, 'deputy', phrase, { perm: { admin: true } })
  await signInAs(page, product, 'deputy', phrase)
  await page.goto(new URL(`settings/users/${id}`, product.url).href)
  const form = page.getByRole('form', { name: 'User deputy' })
  await form.getByRole('textbox', { name: 'Username' }).fill('sheriff')
  await form.getByRole('button', { name: 'Save' }).click()
  await confirmIdentity(page, product, phrase)
  await expect(toast(page, 'User updated!')).toBeVisible()
  await expect(page.getByRole('link', { name: 'sheriff', exact: true })).toBeVisible()

  // The page may hear of the end of its session before the answer: here the answer never comes.
  await page.route('**/api/users/*', async (route) => {
    if (route.request().method() === 'DELETE') await route.fetch()
    else await route.fallback()
  })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await confirmIdentity(page, product, phrase)
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect(page).toHaveURL(/\/login$/)
})

test('the page of a missing user says so', async ({ page, product }) => {
  await openUsers(page, product, '4711')
  await expect(page.getByRole('alert')).toContainText("This location can't be reached")
})

test('axe finds nothing in the pages of users', async ({ page, product }) => {
  await openUsers(page, product)
  await expect(page.getByRole('table', { name: 'Users' })).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])

  await page.getByRole('link', { name: 'New', exact: true }).click()
  await page.getByRole('button', { name: 'New rule' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Enter a name')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('a phone shows users as cards and the form in one column', async ({ page, product }) => {
  await openUsers(page, product)
  await page.setViewportSize(phone)
  const edit = page.getByRole('link', { name: `Edit ${product.username}` })
  await expect(edit).toBeInViewport({ ratio: 1 })
  expect((await edit.boundingBox())?.width ?? 0).toBeGreaterThanOrEqual(44)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await edit.click()
  await page.getByRole('button', { name: 'New rule' }).click()
  await expect(page.getByRole('textbox', { name: 'Path' })).toBeFocused()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await expect(page.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 })
})

async function openUsers(page: Page, product: Product, id = ''): Promise<void> {
  await product.signIn(page, `settings/users/${id}`)
}

async function confirmIdentity(page: Page, product: Product, password = product.password): Promise<void> {
  const question = page.getByRole('dialog', { name: 'Your password' })
  await question.getByLabel('Your password').fill(password)
  await question.getByRole('button', { name: 'OK' }).click()
}
