import type { Page } from '@playwright/test'
import { grid, row, selected, typeAhead } from '../listing.ts'
import { expect, test } from '../product.ts'
import { ask } from '../saving.ts'
import { hold } from '../slow-line.ts'

const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`file ${index + 1}.txt`, '']))

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Alpha/inside.txt': 'in', 'Beta/': '', ...many, 'zebra.txt': 'z' })
  await product.signIn(page)
  await expect(row(page, 'Alpha')).toBeVisible()
})

test('the grid is near the skip link and has one stop', async ({ page }) => {
  await page.reload()
  await expect(row(page, 'Alpha')).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Sort by name' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('button', { name: 'Sort by size' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(row(page, 'Alpha')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(grid(page).locator(':focus')).toHaveCount(0)
})

test('the arrows lead into the grid from the content, to which the skip link leads', async ({ page }) => {
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'Alpha')).toBeFocused()
})

test('the focus is in the content of a folder that is empty, and in the row that comes', async ({ page, product }) => {
  await row(page, 'Alpha').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/Beta\/$/)
  await expect(page.locator('main[aria-busy="false"]')).toBeFocused()
  await ask(product, 'POST', 'resources/Beta/new.txt')
  await expect(row(page, 'new.txt')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'new.txt')).toBeFocused()
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await expect(row(page, 'new.txt')).toHaveCount(0)
  await expect(page.locator('main')).toBeFocused()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(row(page, 'new.txt')).toBeFocused()
})

test('arrows select, Ctrl moves the focus alone, Shift extends, Space gathers, letters find rows that are not drawn, Enter opens', async ({
  page,
}) => {
  await row(page, 'Alpha').focus()
  await expect.poll(() => selected(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'Beta')).toBeFocused()
  await expect.poll(() => selected(page)).toEqual(['Beta'])
  await page.keyboard.press('ControlOrMeta+ArrowDown')
  await page.keyboard.press('ControlOrMeta+ArrowDown')
  await expect(row(page, 'file 2.txt')).toBeFocused()
  await expect.poll(() => selected(page)).toEqual(['Beta'])
  await page.keyboard.press('ControlOrMeta+Space')
  await expect.poll(() => selected(page)).toEqual(['Beta', 'file 2.txt'])
  await page.keyboard.press('Escape')
  await expect.poll(() => selected(page)).toEqual([])

  // Space keeps the row that the arrows have come to; from there they leave the selection as it is.
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Space')
  await expect.poll(() => selected(page)).toEqual(['file 1.txt'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await expect.poll(() => selected(page)).toEqual(['file 1.txt', 'file 2.txt'])
  await page.keyboard.press('Space')
  await expect.poll(() => selected(page)).toEqual(['file 1.txt'])
  await page.keyboard.press('Escape')
  await expect.poll(() => selected(page)).toEqual([])

  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await expect.poll(() => selected(page)).toEqual(['file 2.txt', 'file 3.txt', 'file 4.txt'])
  await page.keyboard.press('Shift+ArrowUp')
  await expect.poll(() => selected(page)).toEqual(['file 2.txt', 'file 3.txt'])
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => selected(page)).toEqual(['file 2.txt'])
  await page.keyboard.press('Escape')

  await page.keyboard.press('End')
  await expect(row(page, 'zebra.txt')).toBeFocused()
  await expect(row(page, 'zebra.txt')).toBeInViewport()
  await page.keyboard.press('PageUp')
  await expect(row(page, 'zebra.txt')).not.toBeFocused()
  await page.keyboard.press('Home')
  await expect(row(page, 'Alpha')).toBeFocused()
  await typeAhead(page, 'file 47', 'file 47.txt')
  await expect(row(page, 'file 47.txt')).toBeInViewport()
  await expect.poll(() => selected(page)).toEqual(['file 47.txt'])
  await page.keyboard.press('ControlOrMeta+a')
  await expect(page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('status')).toHaveText('63 selected')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/files\/Alpha\/$/)
  await expect(row(page, 'inside.txt')).toBeFocused()
  await page.keyboard.press('Backspace')
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(row(page, 'Alpha')).toBeFocused()
  await expect(row(page, 'Alpha')).toHaveAttribute('aria-selected', 'true')
})

const elsewhere: [string, (page: Page) => Promise<void>][] = [
  ['the path', (page) => page.keyboard.press('ControlOrMeta+l')],
  ['the search', (page) => page.keyboard.press('ControlOrMeta+Shift+f')],
  ['a dialog', (page) => page.getByRole('button', { name: 'New folder' }).click()],
]
for (const [where, goThere] of elsewhere)
  test(`a folder that comes late leaves the focus in ${where}`, async ({ page }) => {
    const listing = await hold(page, '**/api/resources/Alpha')
    await row(page, 'Alpha').focus()
    await page.keyboard.press('Enter')
    await listing.held
    await goThere(page)
    const field = page.locator('input:focus')
    await expect(field).toBeVisible()
    await page.keyboard.type('zeb')
    await listing.letGo()
    await expect(page.locator('main [data-index]').filter({ hasText: 'inside.txt' })).toBeVisible()
    await page.keyboard.type('ra')
    await expect(field).toHaveValue(/zebra$/)
  })

test('what was made in a folder that comes late leaves the focus where something is written', async ({ page }) => {
  const listing = await hold(page, '**/api/resources/Alpha')
  await row(page, 'Alpha').dblclick()
  await listing.held
  await page.getByRole('button', { name: 'New folder' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('made')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+l')
  const field = page.getByRole('combobox', { name: 'Path' })
  await expect(field).toBeFocused()
  await page.keyboard.type('zeb')
  await listing.letGo()
  await expect(page.locator('[data-index]').filter({ hasText: 'made' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.type('ra')
  await expect(field).toHaveValue(/zebra$/)
})

test('a folder that comes very late has the focus that nothing else has taken', async ({ page }) => {
  await page.clock.install()
  const listing = await hold(page, '**/api/resources/Alpha')
  await row(page, 'Alpha').focus()
  await page.keyboard.press('Enter')
  await listing.held
  await page.clock.fastForward(60_000)
  await listing.letGo()
  await expect(row(page, 'inside.txt')).toBeFocused()
})

test('in tiles the arrows move as the screen shows them, and the focus survives scrolling and another view', async ({
  page,
}) => {
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic')
  await row(page, 'Alpha').focus()
  await page.keyboard.press('ArrowRight')
  await expect(row(page, 'Beta')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'file 2.txt')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(row(page, 'Beta')).toBeFocused()

  await row(page, 'Beta').hover()
  await page.mouse.wheel(0, 5000)
  await expect(row(page, 'zebra.txt')).toBeInViewport()
  // Waits until the wheel has come to rest: it would scroll away from what the arrow brings into view.
  await row(page, 'zebra.txt').hover({ trial: true })
  await expect(row(page, 'Beta')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(row(page, 'Alpha')).toBeFocused()
  await expect(row(page, 'Alpha')).toBeInViewport()
  await page.getByRole('button', { name: 'Switch view' }).click()
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'list')
})

test('F2 and Delete act on the row with the focus, and the renamed file is brought into view', async ({ page }) => {
  await row(page, 'file 1.txt').click()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Delete')
  const question = page.getByRole('alertdialog', { name: 'Delete files' })
  await expect(question).toContainText('file 2.txt')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(row(page, 'file 2.txt')).toBeFocused()
  await page.keyboard.press('Escape')

  await page.keyboard.press('ControlOrMeta+ArrowUp')
  await expect(row(page, 'file 1.txt')).toBeFocused()
  await page.keyboard.press('F2')
  const dialog = page.getByRole('dialog', { name: 'Rename' })
  await dialog.getByRole('textbox', { name: 'New name' }).fill('zzz.txt')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await expect(row(page, 'zzz.txt')).toBeInViewport()
  await expect(row(page, 'zzz.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, 'zzz.txt')).toBeFocused()

  await page.keyboard.press('Escape')
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, 'zzz.txt')).toHaveCount(0)
  await expect(row(page, 'zebra.txt')).toBeFocused()
})

test('a menu gives the focus back while it closes, so that the next key is not lost', async ({ page }) => {
  const button = page.getByRole('button', { name: 'View options' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitemradio', { name: 'List' })).toBeFocused()
  // Both in one task: the key after Escape finds the focus where the menu has left it.
  const focused = await page.evaluate(() => {
    const pressed = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
    document.activeElement?.dispatchEvent(pressed)
    return document.activeElement?.getAttribute('aria-label')
  })
  expect(focused).toBe('View options')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(button).toBeFocused()
})

test('the help, which is longer than the screen, is read to its end from its button', async ({ page }) => {
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Help' })
  await expect(help.getByRole('button', { name: 'OK' })).toBeFocused()
  const last = help.getByRole('row').last()
  await expect(last).not.toBeInViewport()
  await expect(async () => {
    await page.keyboard.press('PageDown')
    await expect(last).toBeInViewport({ timeout: 500 })
  }).toPass()
  await page.keyboard.press('Enter')
  await expect(help).toHaveCount(0)
})

test('Escape closes the menu before it clears the selection', async ({ page }) => {
  await row(page, 'Beta').click()
  await page.keyboard.press('ContextMenu')
  await expect(page.getByRole('menu', { name: 'Item actions' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect.poll(() => selected(page)).toEqual(['Beta'])
  await page.keyboard.press('Escape')
  await expect.poll(() => selected(page)).toEqual([])
})

test("keys of an input method are not the page's: Escape ends the composition and closes nothing", async ({ page }) => {
  // Browsers send no keys of an input method to a page under test: these are the ones it would see.
  const composeWith = (key: string, facts: object) =>
    page.evaluate(
      ([key, facts]) => {
        const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...facts })
        document.activeElement?.dispatchEvent(event)
      },
      [key, facts] as const,
    )
  await row(page, 'file 1.txt').click()
  await page.keyboard.press('F2')
  const name = page.getByRole('textbox', { name: 'New name' })
  await expect(name).toBeFocused()
  await composeWith('Escape', { isComposing: true })
  await composeWith('Escape', { keyCode: 229 })
  await expect(name).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(name).toHaveCount(0)

  await row(page, 'file 1.txt').dblclick()
  const text = page.getByRole('textbox', { name: 'File content' })
  await text.click()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 })
  await composeWith('Escape', { isComposing: true })
  await devtools.send('Input.insertText', { text: '火' })
  await expect(text).toHaveText('火')
})
