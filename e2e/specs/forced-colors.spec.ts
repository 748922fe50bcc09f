import type { Locator } from '@playwright/test'
import { choose } from '../changing.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'

/** The page in the colours of the system, as with the high contrast of Windows: backgrounds and shadows are gone. */
test.beforeEach(async ({ page, product }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await product.put({ 'Box/': '', 'a.txt': 'a', 'b.txt': 'b' })
})

/** Waits until what is done makes this look different. */
async function expectChange(of: Locator, doing: () => Promise<void>): Promise<void> {
  const before = await of.screenshot({ animations: 'disabled' })
  await doing()
  await expect.poll(async () => before.equals(await of.screenshot({ animations: 'disabled' }))).toBe(false)
}

test('in the colours of the system a menu has an edge, and shows where the arrow keys stand', async ({
  page,
  product,
}) => {
  await product.signIn(page)
  await choose(page, 'a.txt')
  await page.keyboard.press('Shift+F10')
  const menu = page.getByRole('menu', { name: 'Item actions' })
  await expect(menu).toHaveCSS('border-top-style', 'solid')
  const item = menu.getByRole('menuitem', { name: 'Rename' })
  await expect(item).toBeVisible()
  await expectChange(item, () => item.hover())
  await page.keyboard.press('Escape')

  await page.keyboard.press('Delete')
  const dialog = page.getByRole('alertdialog', { name: 'Delete files' })
  await expect(dialog).toHaveCSS('border-top-style', 'solid')
  await expect(dialog.getByRole('button', { name: 'Delete' })).toHaveCSS('border-top-style', 'solid')
})

test('in the colours of the system it is seen what is on, pressed, chosen and current', async ({ page, product }) => {
  await product.signIn(page, 'settings/profile')
  const hide = page
    .getByRole('switch', { name: 'Hide dotfiles' })
    .or(page.getByRole('checkbox', { name: 'Hide dotfiles' }))
  await page.getByRole('heading', { name: 'Profile Settings' }).waitFor()
  await hide.focus()
  await expectChange(hide, () => page.keyboard.press('Space'))
  const tab = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Profile Settings' })
  await expect(tab).toHaveCSS('outline-style', 'solid')
  await page.getByRole('button', { name: 'Reset' }).click()
  const language = page.getByRole('combobox', { name: 'Language' })
  await page.getByRole('switch').or(page.getByRole('checkbox')).last().focus()
  await page.keyboard.press('Tab')
  await expect(language).toBeFocused()
  await expect(language).toHaveCSS('outline-style', 'solid')

  await page.goto(new URL('files/', product.url).href)
  await choose(page, 'a.txt')
  await expect(row(page, 'a.txt')).toHaveCSS('outline-style', 'solid')
  const all = page.getByRole('checkbox', { name: 'Select all' })
  await page.mouse.move(0, 0)
  await expectChange(all, async () => {
    await page.keyboard.press('Escape')
  })
  await page.getByRole('button', { name: 'Select multiple' }).click()
  await expect(page.getByRole('button', { name: 'Select multiple' })).toHaveCSS('outline-style', 'solid')
})
