import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { treeOf } from '../disk.ts'
import { names, row, selected } from '../listing.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'
import { toast } from '../toast.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Photos/lake.jpg': 'no picture', 'letter.txt': 'Dear reader', 'list.txt': 'bread' })
  await product.signIn(page)
})

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Rename' })
const field = (page: Page) => dialog(page).getByRole('textbox', { name: 'New name' })
const submit = (page: Page) => dialog(page).getByRole('button', { name: 'Rename' })

test('F2 asks with the stem selected, Enter renames, and the toast undoes it', async ({ page, product }) => {
  await choose(page, 'letter.txt')
  const line = await row(page, 'letter.txt').boundingBox()
  await page.keyboard.press('F2')
  await expect(field(page)).toBeFocused()
  // The field lies in the row.
  const box = await field(page).boundingBox()
  const middle = (box?.y ?? 0) + (box?.height ?? 0) / 2
  expect(Math.abs(middle - (line?.y ?? 0) - (line?.height ?? 0) / 2)).toBeLessThan(4)
  await page.keyboard.type('  An answer')
  await expect(field(page)).toHaveValue('  An answer.txt')
  await page.keyboard.press('Enter')

  await expect(dialog(page)).toBeHidden()
  await expect(row(page, 'An answer.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, 'letter.txt')).toBeHidden()
  // The row changes before the server has answered.
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'An answer.txt': 'Dear reader' })

  await toast(page, 'Renamed to An answer.txt').getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'letter.txt')).toHaveAttribute('aria-selected', 'true')
  await expect
    .poll(() => treeOf(product.root))
    .toEqual({
      'Photos/': '',
      'Photos/lake.jpg': 'no picture',
      'letter.txt': 'Dear reader',
      'list.txt': 'bread',
    })
})

test('the focus goes with the name: what is chosen is what Enter opens', async ({ page, product }) => {
  await product.put({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd' })
  await page.reload()
  for (const [from, to] of [
    ['b.txt', 'z.txt'],
    ['z.txt', '0.txt'],
  ] as const) {
    await choose(page, from)
    await page.keyboard.press('F2')
    await field(page).fill(to)
    await page.keyboard.press('Enter')
    await expect(dialog(page)).toBeHidden()
    await expect(row(page, to)).toHaveAttribute('aria-selected', 'true')
    await expect(row(page, to)).toBeFocused()
  }

  await page.getByRole('button', { name: 'Sort by name' }).click()
  await expect.poll(() => names(page)).toEqual(['d.txt', 'c.txt', 'a.txt', '0.txt'])
  expect(await selected(page)).toEqual(['0.txt'])
  await expect(row(page, '0.txt')).toHaveAttribute('tabindex', '0')
  await row(page, '0.txt').focus()
  await page.keyboard.press('F2')
  await expect(field(page)).toHaveValue('0.txt')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new URL('files/0.txt', product.url).href)
})

test('the row has its new name before the server answers; a refusal takes it back and asks again', async ({ page }) => {
  await choose(page, 'letter.txt')
  const renamed = await hold(page, '**/api/resources/letter.txt?*')
  const sent = page.waitForRequest('**/api/resources/letter.txt?*')
  await page.keyboard.press('F2')
  await field(page).fill('answer.txt')
  await page.keyboard.press('Enter')
  await sent
  await expect(dialog(page)).toBeHidden()
  await expect(row(page, 'answer.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, 'answer.txt')).toBeFocused()
  await expect(row(page, 'letter.txt')).toHaveCount(0)

  await renamed.breakOff()
  await expect(dialog(page).getByRole('alert')).toHaveText('No connection to the server')
  await expect(field(page)).toHaveValue('answer.txt')
  await expect(field(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(row(page, 'letter.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, 'letter.txt')).toBeFocused()

  // Elsewhere, or with another question open, nothing is asked again: the refusal is told.
  const again = await hold(page, '**/api/resources/letter.txt?*')
  await page.keyboard.press('F2')
  await field(page).fill('answer.txt')
  await page.keyboard.press('Enter')
  await expect(row(page, 'answer.txt')).toBeVisible()
  await page.keyboard.press('F1')
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  await again.breakOff()
  await expect(page.getByRole('alert').filter({ hasText: 'Could not rename letter.txt' })).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
})

test('a name that is empty, the same or taken cannot be submitted', async ({ page, product }) => {
  const before = treeOf(product.root)
  await choose(page, 'letter.txt')
  await page.keyboard.press('F2')
  await expect(submit(page)).toBeDisabled()
  await field(page).fill(' ')
  await expect(submit(page)).toBeDisabled()
  await field(page).fill('Photos')
  await expect(dialog(page).getByRole('alert')).toHaveText(/already/)
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true')
  await submit(page).click()
  await expect(dialog(page).getByRole('alert')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toBeVisible()
  await field(page).fill('free.txt')
  await expect(submit(page)).toBeEnabled()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(row(page, 'letter.txt')).toBeFocused()
  await expect.poll(() => treeOf(product.root)).toEqual(before)
})

test('a name that was taken meanwhile is refused in the dialog', async ({ page, product }) => {
  await choose(page, 'letter.txt')
  await page.keyboard.press('F2')
  await product.put({ 'letter.txt': 'Dear reader', 'new.txt': 'first' })
  await field(page).fill('new.txt')
  await submit(page).click()
  // By the server, or by the dialog where the page was told before.
  await expect(dialog(page).getByRole('alert')).toHaveText(/^This name is already taken\.?$/)
  await expect.poll(() => treeOf(product.root)).toEqual({ 'letter.txt': 'Dear reader', 'new.txt': 'first' })
})

test('a folder is renamed by its whole name', async ({ page, product }) => {
  await choose(page, 'Photos')
  await page.keyboard.press('F2')
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('Pictures 1.2')
  await page.keyboard.press('Enter')
  await expect(row(page, 'Pictures 1.2')).toHaveAttribute('data-kind', 'dir')
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Pictures 1.2/lake.jpg': 'no picture' })
})

test('asked for by a menu, the focus goes back to the row', async ({ page }) => {
  await row(page, 'letter.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await expect(field(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(row(page, 'letter.txt')).toBeFocused()
})

for (const [file, view] of [
  ['letter.txt', 'editor'],
  ['Photos/lake.jpg', 'preview'],
] as const) {
  test(`in the ${view} the address follows the name`, async ({ page, product }) => {
    await page.goto(new URL(`files/${file}`, product.url).href)
    await expect(page.getByRole('main')).toHaveAttribute('data-view', view)
    await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false')
    await page.keyboard.press('F2')
    await expect(field(page)).toBeFocused()
    await page.keyboard.type('renamed')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/renamed\\.${file.slice(-3)}$`))
    await expect(page.getByRole('main')).toHaveAttribute('data-view', view)
    await toast(page, 'Renamed to').getByRole('button', { name: 'Undo' }).click()
    await expect(page).toHaveURL(new RegExp(`/${file}$`))
  })
}

test('a phone renames from a sheet', async ({ page, product }) => {
  await page.setViewportSize(phone)
  await choose(page, 'letter.txt')
  await act(page, 'Rename')
  await field(page).fill('note.txt')
  const box = await dialog(page).boundingBox()
  expect([box?.x, box?.width, (box?.y ?? 0) + (box?.height ?? 0)]).toEqual([0, 390, 844])
  await submit(page).click()
  await expect(row(page, 'note.txt')).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toHaveProperty(['note.txt'], 'Dear reader')
})

test('axe finds nothing in the dialog, also with an error', async ({ page }) => {
  await choose(page, 'letter.txt')
  await page.keyboard.press('F2')
  await field(page).fill('list.txt')
  await expect(dialog(page).getByRole('alert')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
