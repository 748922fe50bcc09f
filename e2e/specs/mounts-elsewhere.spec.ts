import type { AddressCheck } from '@filestead/contract'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'

const key = `SHA256:${'aB3+/'.repeat(8)}aB3`

/** Answers in place of servers elsewhere, which the page only hears about. Returns the addresses that were tested. */
async function stubChecks(page: Page, check: (folder: string) => AddressCheck): Promise<string[]> {
  const tested: string[] = []
  await page.route('**/api/mounts/check', async (route) => {
    const { folder } = route.request().postDataJSON()
    tested.push(folder)
    await route.fulfill({ json: check(folder) })
  })
  return tested
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const choose = (page: Page, kind: string) => page.getByRole('radio', { name: kind }).check({ force: true })
/** Begins a root folder that is on an SFTP server. */
async function beginSftp(page: Page, product: Product, fields: Readonly<Record<string, string>>): Promise<void> {
  await product.signIn(page, 'settings/mounts/new')
  await choose(page, 'SFTP server')
  for (const [name, text] of Object.entries(fields)) await field(page, name).fill(text)
}

const testNow = (page: Page) => page.getByRole('button', { name: 'Test connection' }).click()

test('a bucket is put together from its fields, with the keyboard alone', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  const weakness = 'Of two people who save at once, the last one wins'
  const tested = await stubChecks(page, () => ({ weaknesses: [weakness] }))
  await product.signIn(page, 'settings/mounts/new')
  await page.getByRole('radio', { name: 'Folder on this server' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: 'Bucket (S3)' })).toBeChecked()
  await page.keyboard.press('Tab')
  await expect(field(page, 'Server address')).toBeFocused()
  await page.keyboard.type('minio.example:9000')
  await field(page, 'Bucket').fill('photos')
  await field(page, 'Folder in the bucket').fill('family & friends/2024')
  await field(page, 'Name of the keys').fill('minio')
  await expect(field(page, 'Name')).toHaveValue('2024')
  await expect(page.getByRole('combobox', { name: 'Addresses of the bucket' })).toBeHidden()
  await page.getByText('More', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Addresses of the bucket' }).selectOption('host')
  await page.getByRole('checkbox', { name: 'Large files are downloaded from the bucket itself' }).check()
  await testNow(page)
  await expect(page.getByText('The connection works.')).toBeInViewport()
  await expect(page.getByRole('note', { name: 'What this storage cannot promise' })).toContainText(weakness)
  expect(tested).toEqual([
    's3+https://minio.example:9000/photos/family%20%26%20friends/2024?keys=minio&style=host&direct=yes',
  ])
  await expect(page.getByRole('textbox', { name: 'At most (% of the disk)' })).toHaveCount(0)
  await expect(page.getByRole('combobox', { name: 'Snapshots' })).toHaveCount(0)
  expect(await findBarriersInBothThemes(page)).toEqual([])
  expect(complaints).toEqual([])
})

test('on a phone what is wrong with an address is in view, above the bar that saves', async ({ page, product }) => {
  await stubChecks(page, () => ({ refusal: 'there is no bucket called nothing', weaknesses: [] }))
  await page.setViewportSize(phone)
  await product.signIn(page, 'settings/mounts/new')
  await choose(page, 'Bucket (S3)')
  await testNow(page)
  await expect(field(page, 'Bucket')).toBeFocused()
  await expect(page.getByText('Enter the name of the bucket')).toBeInViewport({ ratio: 1 })
  await expect(page.getByText('Enter a name', { exact: true })).toHaveCount(0)
  await field(page, 'Bucket').fill('nothing')
  await testNow(page)
  const alert = page.getByRole('alert').filter({ hasText: 'There is no bucket called nothing' })
  await expect(alert).toBeInViewport({ ratio: 1 })
  const box = await alert.boundingBox()
  const bar = await page.getByRole('button', { name: 'Save', exact: true }).boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(bar?.y ?? 0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('the key of an SFTP server is compared and accepted before it is trusted', async ({ page, product }) => {
  const tested = await stubChecks(page, (folder) =>
    folder.includes('hostKey=') ? { weaknesses: [] } : { hostKey: key, weaknesses: [] },
  )
  await beginSftp(page, product, {
    Server: 'nas.example',
    User: 'backup',
    'Folder on that server': '/srv/archive',
  })
  await testNow(page)
  const question = page.getByRole('group', { name: 'Is this the right server?' })
  await expect(question).toContainText(key)
  await expect(question).toContainText('ssh-keygen -l')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await question.getByRole('button', { name: 'Accept this key' }).click()
  await expect(page.getByText('The connection works.')).toBeVisible()
  await expect(field(page, 'Host key')).toHaveValue(key)
  expect(tested.at(-1)).toBe(`sftp://backup@nas.example/srv/archive?hostKey=${key}`)
  // Another server has another key.
  await field(page, 'Server').fill('other.example')
  await expect(page.getByText('The connection works.')).toHaveCount(0)
})

test('a server that does not answer is refused by the real one, and nothing is added', async ({ page, product }) => {
  await beginSftp(page, product, { Server: '127.0.0.1', Port: '1', User: 'nobody' })
  await testNow(page)
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 25_000 })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page.getByRole('table', { name: 'Root folders' }).getByRole('row')).toHaveCount(2)
})
