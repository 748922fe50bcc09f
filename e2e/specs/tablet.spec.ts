import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { treeOf } from '../disk.ts'
import { row } from '../listing.ts'
import { callApi } from '../people.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { resize } from '../sizes.ts'

const all = ['Download', 'Share', 'Rename', 'Copy file', 'Move file', 'Info', 'Delete']

test.beforeEach(async ({ product }) => {
  await product.put({ 'Box/': '', 'a.txt': 'a', 'b.txt': 'b' })
})

const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selection actions' })

/** Each of the buttons is there once, lies on the screen as a whole, and gets what is pressed in its middle. */
async function expectReach(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const button = page.getByRole('toolbar').getByRole('button', { name, exact: true })
    await expect(button).toHaveCount(1)
    await expect(button).toBeInViewport({ ratio: 1 })
    await button.click({ trial: true })
  }
}

/** Names of buttons, links and choices whose height is less than 44 px, or whose width is where they have no word. */
const tooSmall = (page: Page) =>
  page
    .getByRole('button')
    .or(page.getByRole('link'))
    .or(page.getByRole('combobox'))
    .evaluateAll((elements) =>
      elements
        .filter(
          (element) =>
            !element.matches('[aria-current=page]') &&
            element.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
        )
        .map((element) => ({
          name: element.getAttribute('aria-label') ?? element.textContent,
          box: element.getBoundingClientRect(),
        }))
        .filter(({ box }) => box.width > 1 && box.bottom > 0 && (box.height < 43.5 || box.width < 39.5))
        .map(({ name, box }) => `${name}: ${Math.round(box.width)} x ${Math.round(box.height)}`),
    )

test.describe('with a finger', () => {
  test.use({ hasTouch: true, isMobile: true })

  test('every command for the selection can be reached, at each size and both ways of holding', async ({
    page,
    product,
  }) => {
    test.slow()
    await product.signIn(page)
    for (const [width, height] of [
      [820, 1180],
      [768, 1024],
      [1024, 768],
      [1180, 820],
    ] as const)
      await test.step(`at ${width} by ${height}`, async () => {
        await resize(page, { width, height })
        const before = await row(page, 'a.txt').boundingBox()
        await row(page, 'a.txt').tap()
        await expect(bar(page)).toBeVisible()
        expect(await row(page, 'a.txt').boundingBox()).toEqual(before)
        await expectReach(page, all)
        await bar(page).getByRole('button', { name: 'Clear selection' }).tap()
        await expect(bar(page)).toBeHidden()
      })
  })

  test('what is pressed is at least as large as a fingertip', async ({ page, product }) => {
    test.slow()
    const sizes = [
      [820, 1180],
      [1180, 820],
      [844, 390],
    ] as const
    const look = async (what: string) => {
      for (const [width, height] of sizes) {
        await resize(page, { width, height })
        expect(await tooSmall(page), `${what} at ${width} by ${height}`).toEqual([])
      }
    }
    const files = { 'a.txt': 'a', 'b.txt': 'b', 'p.png': picture(600, 400), 't.csv': 'name,size\na,1\n' }
    await product.put({ ...files, 'gone.txt': 'gone' })
    // The sidebar has a link to what is in the trash.
    await callApi(product, 'DELETE', 'resources/gone.txt')
    await product.signIn(page)
    await expect(row(page, 'a.txt')).toBeVisible()
    await look('the folder')
    await row(page, 'a.txt').tap()
    await expect(bar(page)).toBeVisible()
    await look('the selection')
    await page.goto(new URL('files/p.png', product.url).href)
    await expect(page.getByRole('img', { name: 'p.png' })).toHaveAttribute('data-shown', 'true')
    await look('a picture')
    await page.goto(new URL('files/t.csv', product.url).href)
    await expect(page.getByRole('columnheader', { name: 'size' })).toBeVisible()
    await look('a table')
    await page.goto(new URL('files/b.txt', product.url).href)
    await expect(page.getByRole('button', { name: 'Wrap lines' })).toBeVisible()
    await look('a text')
    await page.goto(new URL('settings/profile', product.url).href)
    await expect(page.getByRole('link', { name: 'User Management' })).toBeVisible()
    await look('settings')
  })

  test('at 1180 by 820 the commands for the selection show their words', async ({ page, product }) => {
    await page.setViewportSize({ width: 1180, height: 820 })
    await product.signIn(page)
    await row(page, 'a.txt').tap()
    for (const word of ['Download', 'Share', 'Rename', 'Copy', 'Move', 'Info', 'Delete'])
      await expect(bar(page).getByText(word, { exact: true })).toBeVisible()
  })

  test('held sideways, a phone shows the whole dialog for moving', async ({ page, product }) => {
    await page.setViewportSize({ width: 844, height: 390 })
    await product.signIn(page)
    await page.getByRole('button', { name: 'More', exact: true }).waitFor()
    await row(page, 'a.txt').tap()
    await bar(page).getByRole('button', { name: 'Move file' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Move' })
    for (const part of [
      dialog.getByRole('searchbox').or(dialog.getByRole('textbox')).or(dialog.getByRole('combobox')).first(),
      dialog.getByRole('listbox', { name: 'Folders' }),
      dialog.getByRole('button', { name: 'Cancel' }),
    ])
      await expect(part).toBeInViewport({ ratio: 1 })
  })

  test('a tablet has the selection bar of a phone, above the strip of the mode for several, and deletes with it', async ({
    page,
    product,
  }) => {
    await page.setViewportSize({ width: 820, height: 1180 })
    await product.signIn(page)
    await page.getByRole('button', { name: 'Select multiple' }).tap()
    await row(page, 'a.txt').tap()
    await row(page, 'b.txt').tap()
    await expectReach(page, ['Download', 'Copy file', 'Move file', 'Info', 'Delete'])
    await expect(bar(page).getByRole('button', { name: 'Delete' })).toHaveText('Delete')
    await page.getByRole('button', { name: 'Clear', exact: true }).click({ trial: true })
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await bar(page).getByRole('button', { name: 'Delete' }).tap()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).tap()
    await expect(row(page, 'a.txt')).toBeHidden()
    await expect(bar(page)).toBeHidden()
    await expect.poll(() => treeOf(product.root)).toEqual({ 'Box/': '' })
  })
})

test('in a window of any width every command for the selection can be reached', async ({ page, product }) => {
  test.slow()
  await product.signIn(page)
  for (const width of [737, 768, 900, 1024, 1100, 1120, 1280, 1440])
    await test.step(`at ${width} px`, async () => {
      await resize(page, { width, height: 800 })
      const before = await row(page, 'a.txt').boundingBox()
      await row(page, 'a.txt').click()
      await expect(bar(page)).toBeVisible()
      expect(await row(page, 'a.txt').boundingBox()).toEqual(before)
      await expectReach(page, all)
      const buttons = bar(page).getByRole('button')
      // In a wide window Download stays in the toolbar of the folder.
      await expect(buttons.nth(1)).toHaveAccessibleName(width < 1120 ? 'Download' : 'Share')
      await expect(buttons.last()).toHaveAccessibleName('Delete')
      const words = await bar(page).getByText('Rename').isVisible()
      expect(words || width < 1200).toBe(true)
      await bar(page).getByRole('button', { name: 'Clear selection' }).click()
      await expectReach(page, ['Upload', 'Download', 'Info', 'Select multiple', 'View options'])
    })
})

test('in the trash on a tablet, a name has more room than the folder it was in', async ({ page, product }) => {
  const name = 'Invoice for the kitchen.pdf'
  await product.put({ [`Box/${name}`]: 'x' })
  await callApi(product, 'DELETE', `resources/Box/${encodeURIComponent(name)}`)
  await page.setViewportSize({ width: 820, height: 1180 })
  await product.signIn(page, 'trash/')
  const written = row(page, name).first().getByText('Invoice', { exact: false }).last()
  await expect(written).toBeVisible()
  expect(await written.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
})
