import { choose } from '../changing.ts'
import { row } from '../listing.ts'
import { addUser, callApi, signInAs } from '../people.ts'
import { expect, test } from '../product.ts'

let id = 0
test.afterEach(async ({ product }) => {
  await callApi(product, 'DELETE', `users/${id}`, { current_password: product.password })
})

const nothing = { create: false, rename: false, modify: false, delete: false, share: false, download: false }

test('what one may not do is not offered, by button, menu or key', async ({ page, product }) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  id = await addUser(product, 'guest', 'only here to look', { perm: { ...nothing, admin: false, execute: false } })
  await signInAs(page, product, 'guest', 'only here to look')
  await choose(page, 'letter.txt')
  await expect(page.getByRole('button', { name: 'Info' })).toBeVisible()
  for (const name of ['New folder', 'New file', 'Rename', 'Copy file', 'Move file', 'Delete', 'Download', 'Upload'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)

  await row(page, 'letter.txt').click({ button: 'right' })
  const menu = page.getByRole('menu', { name: 'Item actions' })
  await expect(menu.getByRole('menuitem', { name: 'Info' })).toBeVisible()
  for (const name of ['Rename', 'Copy file', 'Move file', 'Delete', 'Download', 'Copy', 'Cut', 'Paste'])
    await expect(menu.getByRole('menuitem', { name, exact: true })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()

  // What may not be downloaded cannot be read either, and the page says so.
  await row(page, 'letter.txt').dblclick()
  await expect(page.getByRole('alert')).toContainText('not allowed to download')
  await expect(page.getByRole('link', { name: 'Edit as Text' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(row(page, 'letter.txt')).toBeVisible()

  for (const key of ['F2', 'Delete', 'ControlOrMeta+c', 'ControlOrMeta+x', 'ControlOrMeta+v'])
    await page.keyboard.press(key)
  await page.keyboard.press('F1')
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(1)
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
})

test('a user that may only create can copy, but not move', async ({ page, product }) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  const base = { ...nothing, admin: false, execute: false }
  id = await addUser(product, 'creator', 'only here to make', { perm: { ...base, create: true } })
  await signInAs(page, product, 'creator', 'only here to make')
  await choose(page, 'letter.txt')
  await expect(page.getByRole('button', { name: 'Copy file' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Move file' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Rename' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'New folder' })).toBeVisible()
})
