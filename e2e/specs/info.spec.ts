import { createHash } from 'node:crypto'
import type { Page } from '@playwright/test'
import { findBarriers } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { desk, phone } from '../sizes.ts'
import { findSpilledText } from '../spilled-text.ts'
import { toast } from '../toast.ts'

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="teal"/></svg>'

test.beforeEach(async ({ page, product }) => {
  await product.put({
    'Photos/2025/': '',
    'Photos/lake.svg': picture,
    'a.txt': 'Dear reader',
    'b.txt': 'bread',
    'tile.svg': picture,
  })
  await product.signIn(page)
})

const dialog = (page: Page) => page.getByRole('dialog', { name: 'File information' })

async function factsOf(page: Page): Promise<Record<string, string>> {
  const terms = await dialog(page).getByRole('term').allTextContents()
  const definitions = await dialog(page).getByRole('definition').allTextContents()
  return Object.fromEntries(terms.map((term, index) => [term, definitions[index] ?? '']))
}

test('a file has a name, a size, a time and checksums', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await choose(page, 'a.txt')
  await act(page, 'Info')
  await expect(dialog(page).getByRole('button', { name: 'OK' })).toBeFocused()
  await expect
    .poll(() => factsOf(page))
    .toEqual({
      'Display Name': 'a.txt',
      Size: '11 B',
      'Last Modified': expect.stringMatching(/ago|now/),
      Type: 'Text · TXT',
      Path: '/a.txt',
    })
  for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
    await dialog(page)
      .getByRole('button', { name: `Show ${name.toUpperCase()}`, exact: true })
      .click()
    await expect(dialog(page).locator(`[data-checksum=${name}]`)).toHaveText(
      createHash(name).update('Dear reader').digest('hex'),
    )
  }
  await dialog(page).getByRole('button', { name: 'Copy MD5' }).click()
  await expect(toast(page, 'MD5 copied')).toBeVisible()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe(createHash('md5').update('Dear reader').digest('hex'))
  expect(await findBarriers(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'OK' }).click()
  await expect(dialog(page)).toBeHidden()
})

test('a checksum that takes long can be called off', async ({ page }) => {
  await page.route('**/api/resources/a.txt?checksum=md5', () => {})
  await choose(page, 'a.txt')
  await act(page, 'Info')
  await dialog(page).getByRole('button', { name: 'Show MD5' }).click()
  await expect(dialog(page).getByRole('status').filter({ hasText: 'Reading the file' })).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Stop MD5' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Show MD5' })).toBeVisible()
})

test('a picture has a resolution', async ({ page }) => {
  await choose(page, 'tile.svg')
  await act(page, 'Info')
  await expect(dialog(page).getByRole('term').filter({ hasText: 'Resolution' })).toBeVisible()
  await expect.poll(() => factsOf(page)).toMatchObject({ Resolution: '300 × 200' })
})

test('several are counted and added up', async ({ page }) => {
  await choose(page, 'a.txt', 'b.txt')
  await act(page, 'Info')
  await expect(dialog(page)).toContainText('2 items')
  await expect.poll(() => factsOf(page)).toMatchObject({ Size: '16 B' })
})

test('several with a folder among them are added up on demand, with what is in the folder', async ({ page }) => {
  await choose(page, 'Photos', 'a.txt', 'b.txt')
  await act(page, 'Info')
  await dialog(page).getByRole('button', { name: 'Calculate size' }).click()
  await expect.poll(() => factsOf(page)).toMatchObject({ Size: `${16 + picture.length} B · 3 files` })
})

test('held sideways, a phone reaches the last checksum', async ({ page }) => {
  await page.setViewportSize({ width: 667, height: 375 })
  await choose(page, 'a.txt')
  await act(page, 'Info')
  const last = dialog(page).getByRole('button', { name: 'Show SHA512' })
  await last.scrollIntoViewIfNeeded()
  await expect(last).toBeInViewport({ ratio: 1 })
})

test('a folder says how much is in it, chosen or in view', async ({ page, product }) => {
  const counted = { 'Display Name': 'Photos', 'Number of files': '1', 'Number of directories': '1' }
  await choose(page, 'Photos')
  await act(page, 'Info')
  await expect(dialog(page).getByRole('term').filter({ hasText: 'Number of files' })).toBeVisible()
  await expect.poll(() => factsOf(page)).toMatchObject(counted)
  await page.goto(new URL('files/Photos/', product.url).href)
  await expect(row(page, 'lake.svg')).toBeVisible()
  await act(page, 'Info')
  await expect.poll(() => factsOf(page)).toMatchObject(counted)
})

test('F1 and the question mark list every key', async ({ page }) => {
  const help = page.getByRole('dialog', { name: 'Help' })
  await expect(row(page, 'a.txt')).toBeVisible()
  await page.keyboard.press('F1')
  const table = help.getByRole('table', { name: 'Keyboard shortcuts' })
  for (const [what, keys] of [
    ['Rename', 'F2'],
    ['Delete', 'Delete'],
    ['Download', 'CtrlS'],
    ['Help', 'F1?'],
    ['Select all', 'CtrlA'],
  ] as const)
    await expect(
      table
        .getByRole('row')
        .filter({ has: page.getByRole('cell', { name: what, exact: true }) })
        .filter({ hasText: keys }),
    ).toBeVisible()
  for (const group of ['Everywhere', 'Moving around', 'Selecting', 'Files and folders', 'Search', 'Viewers', 'Editor'])
    await expect(table.getByRole('rowheader', { name: group, exact: true })).toHaveCount(1)
  await expect(help.getByRole('button', { name: 'OK' })).toBeInViewport()
  expect(await findBarriers(page)).toEqual([])
  const filter = help.getByRole('searchbox', { name: 'Filter shortcuts' })
  await filter.fill('alt')
  await expect(table.getByRole('cell')).toHaveText(['Refresh', 'Up one folder', 'Quick look', 'Go to line'])
  await filter.fill('no such key')
  await expect(help.getByRole('status')).toHaveText('No shortcut matches')
  await page.keyboard.press('Escape')
  await expect(help).toBeHidden()
  await page.keyboard.press('Shift+?')
  await expect(help).toBeVisible()
})

test('with letters twice as large a phone shows every key, and the settings keep their names beside the page', async ({
  page,
  product,
}) => {
  const enlarge = () => page.addStyleTag({ content: 'html { font-size: 200% }' })
  await page.setViewportSize(phone)
  await enlarge()
  await page.keyboard.press('F1')
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  expect(await findSpilledText(page)).toEqual([])

  await page.setViewportSize(desk)
  await page.goto(new URL('settings/users', product.url).href)
  await enlarge()
  const name = page.getByRole('navigation', { name: 'Settings' }).getByText('User Management')
  const heading = page.getByRole('heading', { name: 'User Management' })
  await expect(heading).toBeVisible()
  const [ends, begins] = await Promise.all([name, heading].map((each) => each.boundingBox()))
  expect((ends?.x ?? 0) + (ends?.width ?? 0)).toBeLessThan(begins?.x ?? 0)
})

test('a phone shows it in the dark', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(phone)
  await choose(page, 'a.txt')
  await act(page, 'Info')
  await expect(dialog(page)).toBeVisible()
  expect(await findBarriers(page)).toEqual([])
})

test('keys pressed while a dialog is on its way do nothing behind it', async ({ page }) => {
  let letCome = () => {}
  const mayCome = new Promise<void>((resolve) => {
    letCome = resolve
  })
  await page.route('**/HelpDialog-*.js', async (route) => {
    await mayCome
    await route.continue()
  })
  await choose(page, 'a.txt')
  const isAskedFor = page.waitForRequest('**/HelpDialog-*.js')
  await page.keyboard.press('F1')
  await isAskedFor
  await page.keyboard.type('Photos')
  await page.keyboard.press('Enter')
  await expect(row(page, 'a.txt')).toBeFocused()
  letCome()
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  await expect(page).toHaveURL(/\/files\/$/)
})

test('without a connection the dialog that did not come is explained', async ({ page, context }) => {
  await expect(row(page, 'a.txt')).toBeVisible()
  await context.setOffline(true)
  await page.keyboard.press('F1')
  await expect(page.getByRole('alert').filter({ hasText: 'No connection to the server' })).toBeVisible()
  await context.setOffline(false)
  await page.keyboard.press('F1')
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
})
