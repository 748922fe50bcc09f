import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { addUser, callApi, prefer, signInAs } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { toast } from '../toast.ts'

test('preferences are stored and shown again', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await product.signIn(page)
  await page.getByRole('link', { name: product.username, exact: true }).click()
  await expect(page).toHaveTitle('Profile Settings - File Browser')
  const form = page.getByRole('form', { name: 'Profile Settings' })
  const preferences = [
    'Hide dotfiles',
    'Use single clicks to open files and directories',
    'Redirect to destination after copy/move',
    'Set exact date format',
  ]
  const before = await Promise.all(preferences.map((name) => form.getByRole('checkbox', { name }).isChecked()))

  // By the text, not the box: that is what people click.
  for (const name of preferences) await form.getByText(name, { exact: true }).click()
  await form.getByRole('combobox', { name: 'Editor theme' }).selectOption('Solarized dark')
  await expect(form.getByText('Unsaved changes')).toBeVisible()
  await form.getByRole('button', { name: 'Update' }).click()

  await expect(toast(page, 'Settings updated!')).toBeVisible()
  await expect(form.getByText('Unsaved changes')).toBeHidden()
  await page.reload()
  for (const [index, name] of preferences.entries())
    await expect(form.getByRole('checkbox', { name })).toBeChecked({ checked: before[index] === false })
  await expect(form.getByRole('combobox', { name: 'Editor theme' })).toHaveValue('solarized-dark')
  const stored = await callApi(product, 'GET', 'users/1')
  expect(await stored.json()).toMatchObject({
    hideDotfiles: !before[0],
    singleClick: !before[1],
    redirectAfterCopyMove: !before[2],
    dateFormat: !before[3],
    aceEditorTheme: 'solarized-dark',
  })
  expect(complaints).toEqual([])
})

test('an editor theme of the predecessor stays selected', async ({ page, product }) => {
  await prefer(product, { aceEditorTheme: 'tomorrow_night' })
  await product.signIn(page, 'settings/profile')
  const theme = page.getByRole('combobox', { name: 'Editor theme' })
  await expect(theme).toHaveValue('tomorrow_night')

  await theme.selectOption('Default')
  await page.getByRole('form', { name: 'Profile Settings' }).getByRole('button', { name: 'Update' }).click()

  await expect(toast(page, 'Settings updated!')).toBeVisible()
  await expect(theme).toHaveValue('')
})

test('a theme of the own holds on every page from the first moment, and ends with the session', async ({
  page,
  product,
}) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await product.signIn(page, 'settings/profile')
  const html = page.locator('html')
  await expect(html).toHaveAttribute('data-theme', 'light')
  await page.getByRole('combobox', { name: 'Theme', exact: true }).selectOption('Dark')
  await page.getByRole('form', { name: 'Profile Settings' }).getByRole('button', { name: 'Update' }).click()
  await expect(html).toHaveAttribute('data-theme', 'dark')
  await expect(html).toHaveClass(/dark/)

  // Before any script of the client runs.
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.reload()
  await expect(html).toHaveAttribute('data-theme', 'dark')
  await page.unroute('**/assets/*.js')
  await page.goto(product.url)
  await expect(page.getByRole('grid', { name: 'Files' })).toBeVisible()
  await expect(html).toHaveAttribute('data-theme', 'dark')
  expect(await (await callApi(product, 'GET', 'users/1')).json()).toMatchObject({ theme: 'dark' })

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  await expect(html).toHaveAttribute('data-theme', 'light')
})

test('a new language is used as soon as it is saved', async ({ page, product }) => {
  await product.signIn(page, 'settings/profile')
  await page.locator('select').first().selectOption('ar')
  await expect(page.locator('html')).toHaveAttribute('dir', 'ltr')
  await page.locator('form [type=submit]').first().click()

  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  await page.locator('select').first().selectOption('en')
  await page.locator('form [type=submit]').first().click()
  await expect(page.locator('html')).toHaveAttribute('dir', 'ltr')
})

test('leaving with changes asks, and takes them back or saves them', async ({ page, product }) => {
  await product.signIn(page, 'settings/profile')
  const box = page.getByRole('checkbox', { name: 'Hide dotfiles' })
  const wasChecked = await box.isChecked()
  const question = page.getByRole('alertdialog', { name: 'Unsaved changes' })
  await box.click()

  await page.getByRole('link', { name: 'My files' }).click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/\/settings\/profile$/)
  await expect(box).toBeChecked({ checked: !wasChecked })

  await page.getByRole('link', { name: 'Global Settings' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL(/\/settings\/global$/)

  await page.getByRole('link', { name: 'Profile Settings' }).click()
  await expect(box).toBeChecked({ checked: wasChecked })
  await box.click()
  await page.getByRole('link', { name: 'My files' }).click()
  await question.getByRole('button', { name: 'Save changes' }).click()
  await expect(page).toHaveURL(/\/files\/$/)
  const stored = await callApi(product, 'GET', 'users/1')
  expect(await stored.json()).toMatchObject({ hideDotfiles: !wasChecked })
})

test('a new password is compared, checked, and ends the other sessions', async ({ page, product, browser }) => {
  await addUser(product, 'walker', 'a lantern at night')
  const elsewhere = await browser.newPage()
  await signInAs(elsewhere, product, 'walker', 'a lantern at night')
  await signInAs(page, product, 'walker', 'a lantern at night')
  await page.goto(new URL('settings/profile', product.url).href)
  const form = page.getByRole('form', { name: 'Change Password' })
  const fresh = form.getByLabel('Your new password', { exact: true })
  const again = form.getByLabel('Confirm your new password')
  const update = form.getByRole('button', { name: 'Update' })
  await expect(page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(2)

  await update.click()
  await expect(form.getByText('Enter a password', { exact: true })).toBeVisible()

  await fresh.fill('short')
  await again.fill('shorter')
  await expect(again).toHaveAttribute('aria-invalid', 'true')
  await expect(form.getByText("Passwords don't match")).toBeVisible()
  await again.fill('short')
  await expect(again).not.toHaveAttribute('aria-invalid')
  await expect(form.getByText('Both are the same')).toBeVisible()

  await form.getByLabel('Your Current Password').fill('a lantern at noon')
  await update.click()
  await expect(form.getByText('This is not your current password')).toBeVisible()
  await form.getByLabel('Your Current Password').fill('a lantern at night')
  await update.click()
  await expect(form.getByText('The password needs at least 12 characters')).toBeVisible()

  await fresh.fill('a candle in the barn')
  await again.fill('a candle in the barn')
  await update.click()
  await expect(toast(page, 'Password updated!')).toBeVisible()
  await expect(fresh).toHaveValue('')
  await expect(page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1)

  await elsewhere.reload()
  await expect(elsewhere.getByRole('form', { name: 'Login' })).toBeVisible()
  await signInAs(elsewhere, product, 'walker', 'a candle in the barn')
  await elsewhere.close()
})

test('a user without the right to change the password has no form for it', async ({ page, product }) => {
  await addUser(product, 'guest', 'a lantern at dusk', { lockPassword: true })
  await signInAs(page, product, 'guest', 'a lantern at dusk')
  await page.goto(new URL('settings/profile', product.url).href)
  await expect(page.getByRole('form', { name: 'Profile Settings' })).toBeVisible()
  await expect(page.getByRole('form', { name: 'Change Password' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Global Settings' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'User Management' })).toHaveCount(0)
})

test('sessions are listed in words and can be ended', async ({ page, product }) => {
  await addUser(product, 'roamer', 'three open windows')
  const firefox = await tokenFrom(product, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
  const others = [await tokenFrom(product, 'curl/8.5.0'), await tokenFrom(product, 'rclone/v1.70')]
  await signInAs(page, product, 'roamer', 'three open windows')
  await page.goto(new URL('settings/profile', product.url).href)
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await expect(sessions).toHaveCount(4)
  await expect(sessions.first()).toContainText('This session')
  await expect(sessions.first().getByRole('button')).toHaveCount(0)
  await expect(sessions.first()).toContainText('127.0.0.1')
  await expect(sessions.filter({ hasText: 'curl' })).toHaveCount(1)

  const end = sessions.filter({ hasText: 'Firefox on Linux' }).getByRole('button', { name: 'End session' })
  const question = page.getByRole('alertdialog', { name: 'End session' })
  await end.click()
  await expect(question).toContainText('Firefox on Linux')
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await isTaken(product, firefox)).toBe(true)
  await end.click()
  await question.getByRole('button', { name: 'End session' }).click()
  await expect(sessions).toHaveCount(3)
  expect(await isTaken(product, firefox)).toBe(false)

  await page.getByRole('button', { name: 'End all others' }).click()
  const rest = page.getByRole('alertdialog', { name: 'End all others' })
  await rest.getByRole('button', { name: 'End all others' }).click()
  await expect(sessions).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'End all others' })).toHaveCount(0)
  expect(await Promise.all(others.map((token) => isTaken(product, token)))).toEqual([false, false])
})

test('axe finds nothing in the profile', async ({ page, product }) => {
  await product.signIn(page, 'settings/profile')
  await page.getByRole('checkbox', { name: 'Hide dotfiles' }).click()
  await page.getByLabel('Your new password', { exact: true }).fill('one')
  await page.getByLabel('Confirm your new password').fill('other')
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('a phone shows everything in one column, with room for thumbs', async ({ page, product }) => {
  await product.signIn(page)
  await page.setViewportSize(phone)
  await page.goto(new URL('settings/profile', product.url).href)
  await expect(page.getByRole('form', { name: 'Profile Settings' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  const strip = page.getByRole('navigation', { name: 'Settings' })
  expect(await strip.evaluate((nav) => nav.scrollWidth > nav.clientWidth)).toBe(true)
  for (const link of await strip.getByRole('link').all())
    expect((await link.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(44)

  await page.getByText('Hide dotfiles', { exact: true }).click()
  const update = page.getByRole('form', { name: 'Profile Settings' }).getByRole('button', { name: 'Update' })
  await expect(update).toBeInViewport({ ratio: 1 })
  await update.click()
  await expect(toast(page, 'Settings updated!')).toBeVisible()
})

async function tokenFrom(product: Product, userAgent: string): Promise<string> {
  const body = JSON.stringify({ username: 'roamer', password: 'three open windows' })
  const headers = { 'User-Agent': userAgent }
  return (await fetch(new URL('api/login', product.url), { method: 'POST', headers, body })).text()
}

const isTaken = async (product: Product, token: string): Promise<boolean> =>
  (await fetch(new URL('api/sessions', product.url), { headers: { 'X-Auth': token } })).ok
