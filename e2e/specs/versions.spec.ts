import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { choose } from '../changing.ts'
import { listenForComplaints } from '../complaints.ts'
import { openText } from '../editor.ts'
import { row } from '../listing.ts'
import { expect, type Product, test } from '../product.ts'
import { ask, saveInTurn } from '../saving.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'
import { toast } from '../toast.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Previous versions', exact: true })
const slider = (page: Page) => dialog(page).getByRole('slider', { name: 'Time' })
const preview = (page: Page) => dialog(page).getByRole('region', { name: 'Preview' })
const states = (page: Page) => dialog(page).getByRole('radio')

/** What comes after the first screen is there, too: the commands of the menus with the tree. */
const isWhole = (page: Page) => expect(page.getByRole('tree', { name: 'Folder tree' })).toBeVisible()

/** Opens the dialog from the menu of a row. */
async function openVersions(page: Page, name: string): Promise<void> {
  await isWhole(page)
  await row(page, name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Previous versions' }).click()
  await expect(dialog(page)).toBeVisible()
}

async function begin(page: Page, product: Product, folder: string, ...contents: string[]): Promise<void> {
  const [first = '', ...others] = contents
  await product.put({ [`${folder}/notes.txt`]: first })
  await saveInTurn(product, `${folder}/notes.txt`, ...others)
  await product.signIn(page, `files/${folder}/`)
}

const onDisk = (product: Product, path: string) => readFile(join(product.root, path), 'utf8')

test('list and slider are one choice, which the preview shows', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await begin(page, product, 'choice', 'first words', 'second words', 'third words')
  await openVersions(page, 'notes.txt')
  await expect(states(page)).toHaveCount(3)
  await expect(states(page).nth(1)).toBeChecked()
  await expect(preview(page)).toContainText('second words')

  await expect(slider(page)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(states(page).nth(2)).toBeChecked()
  await expect(preview(page)).toContainText('first words')
  await page.keyboard.press('End')
  await expect(states(page).nth(0)).toBeChecked()
  await expect(preview(page)).toContainText('third words')
  await page.keyboard.press('Home')
  await expect(states(page).nth(2)).toBeChecked()

  await states(page).nth(1).check()
  await expect(slider(page)).toHaveValue('1')
  await expect(preview(page)).toContainText('second words')
  expect(await findBarriersInBothThemes(page, '[role=dialog]')).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  expect(complaints).toEqual([])
})

test('an older version is restored without a question, and that is undone', async ({ page, product }) => {
  await begin(page, product, 'restoring', 'old', 'new')
  await openVersions(page, 'notes.txt')
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(dialog(page)).toBeHidden()
  await expect.poll(() => onDisk(product, 'restoring/notes.txt')).toBe('old')
  await toast(page, 'notes.txt').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => onDisk(product, 'restoring/notes.txt')).toBe('new')
})

test('the version with which the editor began is restored there, and the text can be saved again', async ({
  page,
  product,
}) => {
  await product.put({ 'back.txt': 'first' })
  await openText(page, product, 'back.txt')
  const text = page.getByRole('textbox', { name: 'File content' })
  const save = async (typed: string) => {
    await text.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText(typed)
    await page.keyboard.press('Control+s')
  }
  await save(' and more')
  await expect.poll(() => onDisk(product, 'back.txt')).toBe('first and more')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Previous versions' }).click()
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(text).toHaveText('first')
  await expect(page.getByText('5 B', { exact: true })).toBeVisible()
  await save('!')
  await expect.poll(() => onDisk(product, 'back.txt')).toBe('first!')
})

test('an older version is saved beside the present one, and downloaded', async ({ page, product }) => {
  await begin(page, product, 'saving', 'old', 'new')
  await openVersions(page, 'notes.txt')
  const arriving = page.waitForEvent('download')
  await dialog(page).getByRole('button', { name: 'Download' }).click()
  expect(await readFile(await (await arriving).path(), 'utf8')).toBe('old')

  await dialog(page).getByRole('button', { name: 'Save as…' }).click()
  const naming = page.getByRole('dialog', { name: 'Save as' })
  await expect(naming.getByRole('textbox', { name: 'Name' })).toHaveValue(/^notes \(20.*\)\.txt$/)
  await naming.getByRole('textbox', { name: 'Name' }).fill('before.txt')
  await naming.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => onDisk(product, 'saving/before.txt').catch(() => null)).toBe('old')
  expect(await onDisk(product, 'saving/notes.txt')).toBe('new')
})

test('an older version opens to be read, with a way back to the present', async ({ page, product }) => {
  await begin(page, product, 'opening', 'as it was', 'as it is')
  await openVersions(page, 'notes.txt')
  await dialog(page).getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('as it was')
  await expect(page.getByRole('note')).toContainText('As of')
  await expect(page.getByRole('textbox')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0)
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.reload()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('as it was')
  await page.getByRole('link', { name: 'Back to the present' }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toContainText('as it is')
})

test('Escape closes an older version that is on its way still, its code or its content', async ({ page, product }) => {
  await begin(page, product, 'early', 'as it was', 'as it is')
  await openVersions(page, 'notes.txt')
  for (const awaited of ['**/PastFile-*.js', '**/api/resources/early/notes.txt?past=*']) {
    const fetched = await hold(page, awaited)
    await dialog(page).getByRole('button', { name: 'Open', exact: true }).click()
    await fetched.held
    await expect(page).toHaveURL(/past=/)
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/\/files\/early\/$/)
    await fetched.letGo()
    await openVersions(page, 'notes.txt')
  }
})

test('two versions are compared line by line, and any two can be', async ({ page, product }) => {
  const long = Array.from({ length: 10_000 }, (_, at) => `line ${at}`)
  const changed = long.with(5000, 'line five thousand').join('\n')
  await begin(page, product, 'comparing', 'other', long.join('\n'), changed)
  await openVersions(page, 'notes.txt')
  await dialog(page).getByRole('button', { name: 'Compare' }).click()
  const comparison = page.getByRole('dialog', { name: 'Compare versions' })
  await expect(comparison.getByRole('status')).toHaveText('1 difference')
  await expect(comparison.getByRole('textbox', { name: 'notes.txt, first version' })).toContainText('line 5000')
  await expect(comparison.getByRole('textbox', { name: 'notes.txt, second version' })).toContainText(
    'line five thousand',
  )
  expect(await findBarriersInBothThemes(page, '[role=dialog]')).toEqual([])

  await comparison.getByRole('combobox', { name: 'Second version' }).selectOption({ index: 1 })
  await expect(comparison.getByRole('status')).toHaveText('No differences')
  await comparison.getByRole('combobox', { name: 'First version' }).selectOption({ index: 2 })
  await expect(comparison.getByRole('status')).toHaveText('1 difference')
  await page.setViewportSize(phone)
  await expect(comparison.getByRole('textbox', { name: 'notes.txt, both versions' })).toContainText('other')
})

test.describe('on a small phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 320, height: 460 } })

  test('the entries of an earlier state can be reached and read', async ({ page, product }) => {
    await begin(page, product, 'small', 'the old text', 'the new text')
    await page.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name: 'Previous versions' }).tap()
    const choice = dialog(page).getByRole('button', { name: 'notes.txt' })
    await choice.scrollIntoViewIfNeeded()
    await expect(choice).toBeInViewport({ ratio: 1 })
    expect((await choice.boundingBox())?.width).toBeGreaterThan(100)
  })
})

test.describe('on a phone that is held sideways', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 844, height: 390 } })

  test('the entries of an earlier state can be reached and chosen', async ({ page, product }) => {
    await begin(page, product, 'sideways', 'the old text', 'the new text')
    await page.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name: 'Previous versions' }).tap()
    const choice = dialog(page).getByRole('checkbox', { name: 'notes.txt' })
    await choice.scrollIntoViewIfNeeded()
    await expect(choice).toBeInViewport({ ratio: 1 })
    await choice.tap()
    await expect(dialog(page).getByRole('button', { name: 'Restore', exact: true })).toBeEnabled()
  })

  test('the slider stays below the finger, whichever state it leads to', async ({ page, product }) => {
    await page.setViewportSize({ width: 740, height: 360 })
    await begin(page, product, 'sliding', 'first words', 'second words', 'third words', 'fourth words')
    await row(page, 'notes.txt').getByRole('button', { name: 'Actions for notes.txt' }).tap()
    await page.getByRole('menuitem', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name: 'Previous versions' }).tap()
    await expect(slider(page)).toBeFocused()
    const place = (await slider(page).boundingBox())?.y
    await page.keyboard.press('Home')
    await expect(states(page).last()).toBeChecked()
    await expect(preview(page)).toContainText('first words')
    expect((await slider(page).boundingBox())?.y).toBe(place)
  })
})

test('the editor shows a version that was restored from its menu', async ({ page, product }) => {
  await begin(page, product, 'editing', 'the old text', 'the new text')
  await page.goto(new URL('files/editing/notes.txt', product.url).href)
  const editor = page.getByRole('region', { name: 'Editor' })
  await expect(editor).toContainText('the new text')
  await isWhole(page)
  await editor.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Previous versions' }).click()
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(editor).toContainText('the old text')
})

test('a file without versions says what they are, and where none are kept that they are not', async ({
  page,
  product,
}) => {
  await begin(page, product, 'alone', 'only')
  await choose(page, 'notes.txt')
  await openVersions(page, 'notes.txt')
  await expect(dialog(page).getByRole('heading', { name: 'No previous versions yet' })).toBeVisible()
  await page.keyboard.press('Escape')

  const mount = { name: 'Files', folder: '', links: 'inside', readOnly: false }
  await ask(product, 'PUT', 'mounts/1', { ...mount, history: { versions: false } })
  try {
    await saveInTurn(product, 'alone/notes.txt', 'changed')
    await page.reload()
    await openVersions(page, 'notes.txt')
    await expect(dialog(page).getByRole('heading', { name: 'No versions are kept here' })).toBeVisible()
    await dialog(page).getByRole('link', { name: 'Settings of this folder' }).click()
    await expect(page).toHaveURL(/settings\/mounts\/1$/)
  } finally {
    await ask(product, 'PUT', 'mounts/1', { ...mount, history: { versions: true } })
  }
})

test('on a phone the dialog has the whole screen, and every button is in it', async ({ page, product }) => {
  await begin(page, product, 'phone', 'first', 'second', 'third')
  await isWhole(page)
  await page.setViewportSize(phone)
  await page.getByRole('row', { name: 'notes.txt' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Previous versions' }).click()
  await expect(preview(page)).toContainText('second')
  await expect.poll(async () => (await dialog(page).boundingBox())?.height).toBe(phone.height)
  for (const name of ['Close', 'Open', 'Compare', 'Download', 'Save as…', 'Restore'])
    await expect(dialog(page).getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  expect(await findBarriersInBothThemes(page, '[role=dialog]')).toEqual([])
})
