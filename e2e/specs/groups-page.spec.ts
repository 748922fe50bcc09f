import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { addUser, callApi } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { desk, phone, resize } from '../sizes.ts'
import { toast } from '../toast.ts'

const phrase = 'a kettle on the stove'

interface StoredGroup {
  id: number
  name: string
  members: number[]
}

const groupsOf = async (product: Product): Promise<StoredGroup[]> => (await callApi(product, 'GET', 'groups')).json()

const addGroup = async (product: Product, name: string, members: number[] = []): Promise<number> =>
  (await (await callApi(product, 'POST', 'groups', { name, members })).json()).id

test.beforeEach(async ({ product }) => {
  for (const { id } of await groupsOf(product)) await callApi(product, 'DELETE', `groups/${id}`)
})

const table = (page: Page) => page.getByRole('table', { name: 'Groups' })
const members = (page: Page) => page.getByRole('list', { name: 'Members' }).getByRole('listitem')

test('the first group is made from the empty page, with members found by name', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  const [anna, bert] = [await addUser(product, 'anna', phrase), await addUser(product, 'bert', phrase)]
  await product.signIn(page, 'settings/groups')
  await expect(page.getByRole('heading', { name: 'No groups yet' })).toBeVisible()
  await page.getByRole('link', { name: 'New group' }).click()
  const form = page.getByRole('form', { name: 'New group' })
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('Enter a name')).toBeVisible()
  await form.getByRole('textbox', { name: 'Name' }).fill('Editors')
  const add = form.getByRole('combobox', { name: 'Add a member' })
  await add.fill('be')
  await expect(page.getByRole('option')).toHaveText(['bert'])
  await add.press('Enter')
  await add.press('ArrowDown')
  await page.getByRole('option', { name: 'anna' }).click()
  await expect(members(page)).toHaveText(['anna', 'bert'])
  await add.fill('be')
  await expect(page.getByRole('listbox').getByRole('option', { name: 'bert' })).toHaveCount(0)
  await add.press('Escape')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Group created!')).toBeVisible()
  await expect(page.getByRole('form', { name: 'Group Editors' })).toBeVisible()
  expect(await groupsOf(product)).toMatchObject([{ name: 'Editors', members: [anna, bert] }])

  await page.getByRole('link', { name: 'Groups', exact: true }).click()
  await expect(table(page).getByRole('row', { name: 'Editors' })).toContainText('2 members')
  await expect(table(page).getByRole('row', { name: 'Editors' })).toContainText('anna, bert')
  expect(complaints).toEqual([])
})

test('a taken or reserved name is refused beside the field', async ({ page, product }) => {
  await addGroup(product, 'Editors')
  await product.signIn(page, 'settings/groups/new')
  const form = page.getByRole('form', { name: 'New group' })
  const name = form.getByRole('textbox', { name: 'Name' })
  for (const [taken, sentence] of [
    ['editors', /This name is taken/],
    ['everybody', /no group can have it/],
  ] as const) {
    await name.fill(taken)
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(name).toHaveAccessibleDescription(sentence)
  }
  expect(await groupsOf(product)).toHaveLength(1)
})

test('members are edited from both sides, and one administrator keeps what another did', async ({ page, product }) => {
  const [anna, bert] = [await addUser(product, 'anna', phrase), await addUser(product, 'bert', phrase)]
  const [editors, family] = [await addGroup(product, 'Editors', [anna]), await addGroup(product, 'Family')]
  await product.signIn(page, `settings/users/${anna}`)
  const form = page.getByRole('form', { name: 'User anna' })
  const list = form.getByRole('list', { name: 'Groups' })
  await expect(list.getByRole('listitem')).toContainText(['Editors'])
  await list.getByRole('button', { name: 'Remove Editors' }).click()
  await expect(form.getByRole('combobox', { name: 'Add a group' })).toBeFocused()
  await form.getByRole('combobox', { name: 'Add a group' }).fill('fam')
  await page.getByRole('option', { name: 'Family' }).click()
  // Groups alone are no change of the account: the password is not asked for.
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'User updated!')).toBeVisible()
  await expect(form.getByText('Unsaved changes')).toBeHidden()
  expect(await groupsOf(product)).toMatchObject([
    { id: editors, members: [] },
    { id: family, members: [anna] },
  ])

  await page.goto(new URL(`settings/groups/${family}`, product.url).href)
  await expect(members(page)).toHaveText(['anna'])
  await callApi(product, 'PUT', `groups/${family}`, { name: 'Family', members: [anna, bert] })
  await page.getByRole('button', { name: 'Remove anna' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Group updated!')).toBeVisible()
  await expect(members(page)).toHaveText(['bert'])
  expect((await groupsOf(product))[1]).toMatchObject({ id: family, members: [bert] })
})

test('a new user is put into groups together with the account', async ({ page, product }) => {
  const editors = await addGroup(product, 'Editors')
  await product.signIn(page, 'settings/users/new')
  const form = page.getByRole('form', { name: 'New User' })
  const username = `novice-${Date.now()}`
  await form.getByRole('textbox', { name: 'Username' }).fill(username)
  await form.getByLabel('Password', { exact: true }).fill(phrase)
  await form.getByRole('combobox', { name: 'Add a group' }).click()
  await page.getByRole('option', { name: 'Editors' }).click()
  await form.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Your password' })
  await question.getByLabel('Your password').fill(product.password)
  await question.getByRole('button', { name: 'OK' }).click()
  await expect(toast(page, 'User created!')).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/users\/\d+$/)
  const id = Number(page.url().split('/').at(-1))
  await expect(page.getByRole('list', { name: 'Groups' }).getByRole('listitem')).toContainText(['Editors'])
  expect(await groupsOf(product)).toMatchObject([{ id: editors, members: [id] }])
})

test('where the groups of a user cannot be stored, the account is, and the form says so', async ({ page, product }) => {
  const anna = await addUser(product, 'anna', phrase)
  await addGroup(product, 'Editors')
  await product.signIn(page, `settings/users/${anna}`)
  const form = page.getByRole('form', { name: 'User anna' })
  await form.getByRole('textbox', { name: 'Scope' }).fill('/anna')
  await form.getByRole('combobox', { name: 'Add a group' }).click()
  await page.getByRole('option', { name: 'Editors' }).click()
  await page.route('**/api/users/*/groups', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'broken' } }),
  )
  await form.getByRole('button', { name: 'Save' }).click()
  const question = page.getByRole('dialog', { name: 'Your password' })
  await question.getByLabel('Your password').fill(product.password)
  await question.getByRole('button', { name: 'OK' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'The user is saved, the groups are not' })).toBeVisible()
  await expect(form.getByText('Unsaved changes')).toBeVisible()
  expect(await (await callApi(product, 'GET', `users/${anna}`)).json()).toMatchObject({ scope: '/anna' })

  await page.unroute('**/api/users/*/groups')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'User updated!')).toBeVisible()
  expect(await groupsOf(product)).toMatchObject([{ members: [anna] }])
})

test('before a group is deleted its rights are counted, and end with it', async ({ page, product }) => {
  await product.put({ 'Plans/': '', 'Team/': '' })
  const id = await addGroup(product, 'Editors')
  for (const folder of ['/Plans', '/Team'])
    await callApi(product, 'POST', 'grants', { subject: `group:${id}`, mount: 1, folder, rights: ['see', 'download'] })
  await product.signIn(page, `settings/groups/${id}`)
  const rights = page.getByRole('list', { name: 'Rights' }).getByRole('listitem')
  await expect(rights).toContainText(['/Plans', '/Team'])
  await expect(rights.first()).toContainText('Look and download')
  await expect(page.getByRole('link', { name: 'Change rights' })).toHaveAttribute(
    'href',
    `/settings/access?subject=group:${id}`,
  )
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete group' })
  await expect(question).toContainText('in 2 folders end at once')
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'Group deleted!')).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/groups$/)
  expect(await (await callApi(product, 'GET', 'grants')).json()).toEqual([])
})

test('Cancel leads back without a question, leaving any other way asks', async ({ page, product }) => {
  const id = await addGroup(product, 'Editors')
  await product.signIn(page, `settings/groups/${id}`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Writers')
  await page.getByRole('link', { name: 'User Management' }).click()
  const question = page.getByRole('alertdialog', { name: 'Unsaved changes' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/\/settings\/groups$/)
  expect(await groupsOf(product)).toMatchObject([{ name: 'Editors' }])
})

test('a group of 9,000 in 10,000 users opens with its first members, and finds any', async ({ page, product }) => {
  const id = await addGroup(product, 'Everyone here')
  const users = Array.from({ length: 10_000 }, (_, index) => `person ${String(index + 1).padStart(5, '0')}`)
  const group = { id, name: 'Everyone here', source: 'local', members: users.slice(0, 9000).map((_, at) => at + 1) }
  let sent: StoredGroup | null = null
  await page.route('**/api/users', (route) =>
    route.fulfill({ json: users.map((username, at) => ({ id: at + 1, username, scope: '/' })) }),
  )
  await page.route('**/api/groups', (route) => route.fulfill({ json: [group] }))
  await page.route(`**/api/groups/${id}`, (route) => {
    sent = route.request().postDataJSON()
    return route.fulfill({ json: group })
  })
  await product.signIn(page, `settings/groups/${id}`)
  await expect(members(page)).toHaveCount(50)
  await expect(page.getByRole('button', { name: 'Show 8,950 more' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Find in this list' }).fill('08999')
  await page.getByRole('button', { name: 'Remove person 08999' }).click()
  const add = page.getByRole('combobox', { name: 'Add a member' })
  await add.click()
  await expect(page.getByRole('option')).toHaveCount(50)
  await expect(page.getByText('951 more. Type to find them.')).toBeVisible()
  await add.fill('10000')
  await add.press('Enter')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Group updated!')).toBeVisible()
  const { members: saved } = sent as unknown as StoredGroup
  expect(saved).toHaveLength(9000)
  expect([saved.includes(8999), saved.includes(10_000)]).toEqual([false, true])
})

test('a group of a directory is shown, and not changed here', async ({ page, product }) => {
  const anna = await addUser(product, 'anna', phrase)
  const directory = { id: 77, name: 'Staff', source: 'ldap', members: [anna] }
  await page.route('**/api/groups', (route) => route.fulfill({ json: [directory] }))
  await product.signIn(page, 'settings/groups')
  await expect(table(page).getByRole('row', { name: 'Staff' })).toContainText('LDAP')
  await table(page).getByRole('link', { name: 'Edit Staff' }).click()
  await expect(page.getByText('come from the directory that people sign in with')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeDisabled()
  await expect(members(page)).toHaveText(['anna'])
  for (const name of ['Save', 'Delete', 'Remove anna'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)
  await expect(page.getByRole('combobox', { name: 'Add a member' })).toHaveCount(0)

  await page.goto(new URL(`settings/users/${anna}`, product.url).href)
  const list = page.getByRole('list', { name: 'Groups' })
  await expect(list.getByRole('listitem')).toContainText(['Staff'])
  await expect(list.getByRole('listitem')).toContainText(['LDAP'])
  await expect(list.getByRole('button')).toHaveCount(0)
})

test('the page of a missing group says so', async ({ page, product }) => {
  await product.signIn(page, 'settings/groups/4711')
  await expect(page.getByRole('alert')).toContainText("This location can't be reached")
})

test('desk and phone show everything without a barrier and without scrolling sideways', async ({ page, product }) => {
  const ids = await Promise.all(['anna', 'bert'].map((name) => addUser(product, name, phrase)))
  const id = await addGroup(product, 'Editors with a name that is longer than most of them', ids)
  await product.signIn(page, 'settings/groups')
  for (const address of ['groups', 'groups/new', `groups/${id}`]) {
    await page.goto(new URL(`settings/${address}`, product.url).href)
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
    for (const size of [desk, phone]) {
      await resize(page, size)
      expect(await findBarriersInBothThemes(page)).toEqual([])
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width)
    }
  }
  await page.setViewportSize(desk)
  await page.getByRole('combobox', { name: 'Add a member' }).click()
  await expect(page.getByRole('listbox')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
