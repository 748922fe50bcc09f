import type { WebSettings } from '@filestead/contract'
import type { Page } from '@playwright/test'
import { findBarriers, findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { callApi } from '../people.ts'
import { expect, launch, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'

let before: WebSettings
test.beforeEach(async ({ product }) => {
  before = await settingsOf(product)
})
test.afterEach(({ product }) => callApi(product, 'PUT', 'settings', before))

test('everything on the first card is stored', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await open(page, product)
  await expect(page).toHaveTitle('Global Settings - File Browser')
  const form = page.getByRole('form', { name: 'Global Settings' })
  await form.getByRole('checkbox', { name: 'Allow users to signup' }).setChecked(true)
  await form.getByRole('checkbox', { name: 'Auto create user home dir while adding new user' }).setChecked(true)
  await form.getByRole('checkbox', { name: 'Hide the login button from public pages' }).setChecked(false)
  await form.getByRole('textbox', { name: 'Base path for user home directories' }).fill('/homes')
  await form.getByRole('spinbutton', { name: 'Minimum password length' }).fill('15')
  await form.getByRole('textbox', { name: 'Instance name' }).fill('Barn')
  await expect(form.getByRole('textbox', { name: 'Branding directory path' })).not.toBeEditable()
  await form.getByRole('checkbox', { name: 'Disable external links (except documentation)' }).setChecked(true)
  await form.getByRole('checkbox', { name: 'Disable used disk percentage graph' }).setChecked(true)
  await form.getByRole('combobox', { name: 'Theme' }).selectOption('Dark')
  await form.getByRole('textbox', { name: 'Chunk size' }).fill('1.5 mb')
  await form.getByRole('spinbutton', { name: 'Retry count' }).fill('0')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await update(page, 'Global Settings')

  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(form.getByRole('textbox', { name: 'Chunk size' })).toHaveValue('1536KB')
  await expect
    .poll(() => settingsOf(product))
    .toMatchObject({
      signup: true,
      createUserDir: true,
      hideLoginButton: false,
      userHomeBasePath: '/homes',
      minimumPasswordLength: 15,
      branding: {
        name: 'Barn',
        disableExternal: true,
        disableUsedPercentage: true,
        theme: 'dark',
      },
      tus: { chunkSize: 1_572_864, retryCount: 0 },
    })
  await page.reload()
  await expect(page).toHaveTitle('Global Settings - Barn')
  expect(complaints).toEqual([])
})

test('a text that is no size becomes 1 MB, and the field says so', async ({ page, product }) => {
  await open(page, product)
  const size = page.getByRole('textbox', { name: 'Chunk size' })
  await size.fill('a lot')
  await expect(page.getByText('“a lot” is not a size, so it is 1 MB')).toBeVisible()
  await expect(size).toHaveValue('1MB')

  // Saving does not wait for the pause after typing.
  await size.fill('plenty')
  await update(page, 'Global Settings')
  expect((await settingsOf(product)).tus.chunkSize).toBe(1024 ** 2)
})

test('numbers out of range are refused beside the field', async ({ page, product }) => {
  await open(page, product)
  const form = page.getByRole('form', { name: 'Global Settings' })
  const length = form.getByRole('spinbutton', { name: 'Minimum password length' })
  await length.fill('0')
  await form.getByRole('spinbutton', { name: 'Retry count' }).fill('-1')
  await form.getByRole('button', { name: 'Update' }).click()
  await expect(form.getByText('A whole number from 1')).toBeVisible()
  await expect(form.getByText('A whole number from 0')).toBeVisible()
  await expect(length).toBeFocused()
  await expect.poll(() => settingsOf(product)).toEqual(before)
})

test('rules are added, ordered and removed by keyboard and mouse', async ({ page, product }) => {
  await open(page, product)
  const rules = page.getByRole('group', { name: 'Rules' })
  const item = (number: number) =>
    rules
      .getByRole('list', { name: 'Rules' })
      .getByRole('listitem')
      .nth(number - 1)
  const add = rules.getByRole('button', { name: 'New rule' })

  await add.click()
  await expect(item(1).getByRole('textbox', { name: 'Path' })).toBeFocused()
  await page.keyboard.type('/private')
  await expect(item(1).getByRole('checkbox', { name: 'Allow' })).not.toBeChecked()
  await expect(item(1)).toContainText('/private and everything in it is hidden.')
  await add.click()
  await page.keyboard.type('\\.tmp$')
  await item(2).getByRole('checkbox', { name: 'Regex' }).setChecked(true)
  await expect(item(2).getByRole('textbox', { name: 'Regular expression' })).toHaveValue('\\.tmp$')
  await expect(item(2)).toContainText('Everything that fits the expression is hidden.')
  await item(2).getByRole('checkbox', { name: 'Allow' }).setChecked(true)
  await expect(item(2)).toContainText('can be seen, even if an earlier rule hides it.')
  await add.click()
  await page.keyboard.type('/third')

  await item(3).getByRole('button', { name: 'Move rule 3 up' }).click()
  await expect(item(2).getByRole('button', { name: 'Move rule 2 up' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(item(1).getByRole('textbox')).toHaveValue('/third')
  await item(1).getByRole('button', { name: 'Remove rule 1' }).click()
  await expect(add).toBeFocused()
  await update(page, 'Global Settings')

  expect((await settingsOf(product)).rules).toMatchObject([
    { allow: false, regex: false, path: '/private' },
    { allow: true, regex: true, regexp: { raw: '\\.tmp$' } },
  ])
})

test('a rule allows or denies by one click, says when it does nothing, and is not saved empty', async ({
  page,
  product,
}) => {
  await open(page, product)
  const rules = page.getByRole('group', { name: 'Rules' })
  const allow = rules.getByRole('checkbox', { name: 'Allow' })
  await rules.getByRole('button', { name: 'New rule' }).click()
  await page.getByRole('form', { name: 'Global Settings' }).getByRole('button', { name: 'Update' }).click()
  await expect(rules.getByRole('textbox', { name: 'Path' })).toBeFocused()
  await expect(rules.getByText('Left empty, it would stand for everything.')).toBeVisible()
  await expect.poll(() => settingsOf(product)).toEqual(before)

  await page.keyboard.type('/private')
  const word = (name: string) => rules.getByText(name, { exact: true })
  const clickOn = async (name: string) => {
    const box = await word(name).boundingBox()
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2)
  }
  await clickOn('Deny')
  await expect(allow).not.toBeChecked()
  await clickOn('Allow')
  await expect(allow).toBeChecked()
  await expect(rules).toContainText('This rule changes nothing')
  await clickOn('Allow')
  await expect(allow).toBeChecked()
  await allow.focus()
  await page.keyboard.press('Space')
  await expect(allow).not.toBeChecked()
  await update(page, 'Global Settings')
  expect((await settingsOf(product)).rules).toMatchObject([{ allow: false, regex: false, path: '/private' }])
})

test('a pattern that cannot be read changes nothing and stays to be mended', async ({ page, product }) => {
  await open(page, product)
  const rules = page.getByRole('group', { name: 'Rules' })
  await rules.getByRole('button', { name: 'New rule' }).click()
  await rules.getByRole('checkbox', { name: 'Regex' }).setChecked(true)
  await rules.getByRole('textbox', { name: 'Regular expression' }).fill('(')
  await page.getByRole('form', { name: 'Global Settings' }).getByRole('button', { name: 'Update' }).click()
  await expect(page.locator('[data-toast=error]')).toBeVisible()
  await expect(rules.getByRole('textbox', { name: 'Regular expression' })).toHaveValue('(')
  await expect.poll(() => settingsOf(product)).toEqual(before)
})

test('two cards do not take back what the other one saved', async ({ page, product }) => {
  await open(page, product)
  const defaults = page.getByRole('form', { name: 'User default settings' })
  await page.getByRole('textbox', { name: 'Instance name' }).fill('Mill')
  await defaults.getByRole('textbox', { name: 'Scope' }).fill('/team')
  await defaults.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
  await defaults.getByRole('checkbox', { name: 'Rename or move files and directories' }).setChecked(false)
  // Another administrator changes a third setting meanwhile.
  await callApi(product, 'PUT', 'settings', { ...before, minimumPasswordLength: 20 })
  await update(page, 'User default settings')
  await expect(page.getByRole('textbox', { name: 'Instance name' })).toHaveValue('Mill')
  await expect.poll(() => settingsOf(product)).toMatchObject({ minimumPasswordLength: 20, branding: { name: '' } })
  await update(page, 'Global Settings')

  const stored = await settingsOf(product)
  expect(stored.branding.name).toBe('Mill')
  expect(stored.defaults).toMatchObject({ scope: '/team', locale: 'de', viewMode: before.defaults.viewMode })
  expect(stored.defaults.perm.rename).toBe(false)
})

test('two administrators keep what both have changed, and the second is told where it is the same field', async ({
  page,
  product,
}) => {
  await open(page, product)
  const form = page.getByRole('form', { name: 'Global Settings' })
  const name = form.getByRole('textbox', { name: 'Instance name' })
  await form.getByRole('checkbox', { name: 'Allow users to signup' }).setChecked(true)
  const rules = [{ regex: false, allow: false, path: '/private', regexp: { raw: '' } }]
  const branding = { ...before.branding, color: '#123456' }
  await callApi(product, 'PUT', 'settings', { ...before, rules, branding })
  await update(page, 'Global Settings')
  await expect.poll(() => settingsOf(product)).toMatchObject({ signup: true, rules, branding })

  await name.fill('Mine')
  await callApi(product, 'PUT', 'settings', { ...before, rules, branding: { ...branding, name: 'Theirs' } })
  await form.getByRole('button', { name: 'Update' }).click()
  await expect(page.getByText('It was changed by someone else in the meantime')).toBeVisible()
  expect(await settingsOf(product)).toMatchObject({ rules, branding: { name: 'Theirs' } })
  await form.getByRole('button', { name: 'Reset' }).click()
  await expect(name).toHaveValue('Theirs')
})

test('leaving with changes on two cards asks once and saves both', async ({ page, product }) => {
  await open(page, product)
  await page.getByRole('textbox', { name: 'Instance name' }).fill('Forge')
  await page.getByRole('form', { name: 'User default settings' }).getByRole('textbox', { name: 'Scope' }).fill('/forge')
  await page.goBack()
  await page.getByRole('alertdialog', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save changes' }).click()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect
    .poll(() => settingsOf(product))
    .toMatchObject({ branding: { name: 'Forge' }, defaults: { scope: '/forge' } })
})

test('the settings of commands are shown only where commands run', async ({ page, product }) => {
  await open(page, product)
  await expect(page.getByRole('form', { name: 'User default settings' })).toBeVisible()
  await expect(page.getByRole('form', { name: 'Command runner' })).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'Execute on shell' })).toHaveCount(0)
  await expect(page.getByRole('checkbox', { name: 'Execute commands' })).toHaveCount(0)

  const other = await launch('--disableExec=false')
  try {
    await open(page, other.product)
    await page.getByRole('textbox', { name: 'Execute on shell' }).fill(' /bin/sh   -c ')
    await update(page, 'Global Settings')
    const runner = page.getByRole('form', { name: 'Command runner' })
    const event = runner.getByRole('button', { name: 'After Upload' })
    await expect(event).toHaveAttribute('aria-expanded', 'false')
    await event.click()
    await runner.getByRole('textbox', { name: 'After Upload' }).fill('echo one\n\n  echo two\n')
    await update(page, 'Command runner')
    const defaults = page.getByRole('form', { name: 'User default settings' })
    await defaults.getByRole('textbox', { name: 'Commands' }).fill(' git  rsync ')
    await update(page, 'User default settings')
    await expect
      .poll(() => settingsOf(other.product))
      .toMatchObject({
        shell: ['/bin/sh', '-c'],
        commands: { after_upload: ['echo one', 'echo two'], before_upload: [] },
        defaults: { commands: ['git', 'rsync'] },
      })
    expect(await findBarriers(page)).toEqual([])
  } finally {
    await other.stop()
  }
})

test('axe finds nothing in the global settings', async ({ page, product }) => {
  await open(page, product)
  await page.getByRole('button', { name: 'New rule' }).click()
  await page.getByRole('spinbutton', { name: 'Minimum password length' }).fill('0')
  await page.getByRole('form', { name: 'Global Settings' }).getByRole('button', { name: 'Update' }).click()
  await expect(page.getByText('A whole number from 1')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.setViewportSize(phone)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

async function open(page: Page, product: Product): Promise<void> {
  await product.signIn(page)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(page.getByRole('form', { name: 'Global Settings' })).toBeVisible()
}

async function update(page: Page, form: string): Promise<void> {
  await page.getByRole('form', { name: form }).getByRole('button', { name: 'Update' }).click()
  const toast = page.getByRole('status').filter({ hasText: 'Settings updated!' })
  await toast.getByRole('button', { name: 'Close notification' }).click()
  await expect(toast).toHaveCount(0)
}

const settingsOf = async (product: Product): Promise<WebSettings> => (await callApi(product, 'GET', 'settings')).json()
