import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriers, findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { onDisk, openText } from '../editor.ts'
import { row } from '../listing.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'

test('Ctrl+S saves the text with its line breaks', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await product.put({ 'notes.txt': 'one\r\ntwo\r\n' })
  await openText(page, product, 'notes.txt')
  const region = page.getByRole('region', { name: 'Editor' })
  await expect(page.getByRole('heading', { level: 2, name: 'notes.txt' })).toBeVisible()
  await expect(region).toHaveAttribute('data-dirty', 'false')
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()

  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type('three')
  await expect(region).toHaveAttribute('data-dirty', 'true')
  await expect(page.getByRole('status').filter({ hasText: 'Unsaved changes' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+S')

  await expect(region).toHaveAttribute('data-dirty', 'false')
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible()
  expect(String(await onDisk(product, 'notes.txt'))).toBe('one\r\ntwo\r\nthree')

  await page.keyboard.type(' four')
  await region.getByRole('button', { name: 'Save' }).click()
  await expect(region.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'File content' })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+Shift+F')
  await expect(page.getByRole('dialog', { name: 'Search' })).toBeVisible()
  expect(complaints).toEqual([])
})

test('saving shows the new size in the editor and in the row of the listing', async ({ page, product }) => {
  await product.put({ 'a.txt': 'one' })
  await product.signIn(page)
  await row(page, 'a.txt').dblclick()
  const content = page.getByRole('textbox', { name: 'File content' })
  const region = page.getByRole('region', { name: 'Editor' })
  await expect(region.getByText('3 B', { exact: true })).toBeVisible()
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' and some more')
  const told = page.waitForResponse('**/api/entries/')
  await page.keyboard.press('ControlOrMeta+S')
  await expect(region.getByText('17 B', { exact: true })).toBeVisible()
  await told

  // The cursor is not announced with every move. The button names its line when it gets the focus.
  const position = region.getByRole('status').filter({ hasText: 'Ln 1, Col 18' })
  await expect(position).toHaveAttribute('aria-live', 'off')
  await position.getByRole('button').click()
  await expect(region.getByRole('textbox', { name: 'Go to line' })).toBeFocused()
  await page.keyboard.press('Escape')

  const listed = await hold(page, '**/api/resources/')
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(row(page, 'a.txt')).toContainText('17 B')
  await listed.letGo()
})

test('an old encoding is shown and kept, and characters it cannot hold are asked about', async ({ page, product }) => {
  await product.put({})
  await writeFile(join(product.root, 'old.txt'), Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65]))
  await openText(page, product, 'old.txt')
  await expect(page.getByRole('combobox', { name: 'Encoding' })).toHaveValue('windows-1252')
  await expect(page.getByRole('textbox', { name: 'File content' })).toHaveText('grüße')

  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type('!')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  expect([...(await onDisk(product, 'old.txt'))]).toEqual([0x67, 0x72, 0xfc, 0xdf, 0x65, 0x21])

  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.insertText('☃')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Save as UTF-8' }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  expect(String(await onDisk(product, 'old.txt'))).toBe('grüße!☃')
})

test('Ctrl+S while the server saves also saves what was typed meanwhile', async ({ page, product }) => {
  await product.put({ 'notes.txt': '' })
  await openText(page, product, 'notes.txt')
  const saving = await hold(page, '**/api/resources/notes.txt', 'PUT')
  await page.getByRole('textbox', { name: 'File content' }).pressSequentially('one')
  await page.keyboard.press('ControlOrMeta+s')
  await saving.held
  await page.keyboard.type(' two')
  await page.keyboard.press('ControlOrMeta+s')
  await saving.letGo()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  expect(String(await onDisk(product, 'notes.txt'))).toBe('one two')
})

test('text typed while the server saves stays unsaved', async ({ page, product, context }) => {
  await product.put({ 'a.txt': 'one' })
  await openText(page, product, 'a.txt')
  const isSaved = await hold(page, '**/api/resources/a.txt')
  const region = page.getByRole('region', { name: 'Editor' })
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' two')
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await page.keyboard.press('ControlOrMeta+S')
  await sent
  await page.keyboard.type(' three')
  await isSaved.letGo()
  await expect(page.getByRole('button', { name: 'Save', exact: true })).not.toHaveAttribute('aria-busy')
  await expect(region).toHaveAttribute('data-dirty', 'true')
  expect(String(await onDisk(product, 'a.txt'))).toBe('one two')

  // A line that comes and goes does not read the file again over what is being written.
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('/a.txt')) asked.push(`${request.method()} ${pathname}`)
  })
  await context.setOffline(true)
  await context.setOffline(false)
  await page.keyboard.press('ControlOrMeta+S')
  await expect(region).toHaveAttribute('data-dirty', 'false')
  expect(String(await onDisk(product, 'a.txt'))).toBe('one two three')
  expect(asked).toEqual(['PUT /api/resources/a.txt'])
})

test('a text that fails to load after it was left shows no error and changes no address', async ({ page, product }) => {
  await product.put({ 'Box/': '', 'old.txt': Buffer.from([0x67, 0x72, 0xfc]) })
  const isRead = await hold(page, '**/api/raw/old.txt*')
  await product.signIn(page)
  const asked = page.waitForRequest('**/api/raw/old.txt*')
  await row(page, 'old.txt').dblclick()
  await asked
  await page.keyboard.press('Escape')
  await row(page, 'Box').dblclick()
  await expect(page.getByRole('heading', { name: 'It feels lonely here...' })).toBeVisible()
  await isRead.breakOff()
  await page.keyboard.press('F1')
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  await expect(page).toHaveURL(/\/files\/Box\/$/)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('an editor whose code failed to load opens when the server is reachable again', async ({
  page,
  product,
  context,
}) => {
  await product.put({ 'a.txt': 'one' })
  await product.signIn(page)
  await page.route(/\/(health|assets\/TextFileLoader-[^/]*\.js)$/, (route) => route.abort())
  const looked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/health'))
  await row(page, 'a.txt').dblclick()
  await expect(page.getByRole('heading', { name: "The server can't be reached" })).toBeVisible()
  await looked
  await page.unrouteAll()
  await context.setOffline(true)
  await context.setOffline(false)
  await expect(page.getByRole('textbox', { name: 'File content' })).toHaveText('one')
})

test('a text that is read in another encoding is saved in it', async ({ page, product }) => {
  await product.put({})
  await writeFile(join(product.root, 'old.txt'), Buffer.from([0xcf, 0xf0, 0xe8]))
  await openText(page, product, 'old.txt')
  const content = page.getByRole('textbox', { name: 'File content' })
  const encoding = page.getByRole('combobox', { name: 'Encoding' })
  await encoding.selectOption('windows-1251')
  await expect(content).toHaveText('При')
  await expect(encoding).toHaveValue('windows-1251')
  await content.press('ControlOrMeta+End')
  await page.keyboard.type('!')
  await page.keyboard.press('ControlOrMeta+S')
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  expect([...(await onDisk(product, 'old.txt'))]).toEqual([0xcf, 0xf0, 0xe8, 0x21])
})

/** The file changes on the disk while its text in the editor is not saved. */
async function writeBoth(page: Page, product: Product): Promise<void> {
  await product.put({ 'shared.txt': 'first' })
  await openText(page, product, 'shared.txt')
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' mine')
  await writeFile(join(product.root, 'shared.txt'), 'first theirs')
}

test('a file that changed meanwhile is not overwritten without a question', async ({ page, product }) => {
  await writeBoth(page, product)

  await page.keyboard.press('ControlOrMeta+S')
  const dialog = page.getByRole('alertdialog', { name: 'The file has changed' })
  await dialog.getByRole('button', { name: 'Compare' }).click()
  await expect(dialog.getByText('theirs', { exact: true })).toBeVisible()
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(String(await onDisk(product, 'shared.txt'))).toBe('first theirs')

  await page.keyboard.press('ControlOrMeta+S')
  await dialog.getByRole('button', { name: 'Keep mine' }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  expect(String(await onDisk(product, 'shared.txt'))).toBe('first mine')
})

test('their version can be loaded instead', async ({ page, product }) => {
  await writeBoth(page, product)
  await page.keyboard.press('ControlOrMeta+S')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Load theirs' }).click()

  await expect(page.getByRole('textbox', { name: 'File content' })).toHaveText('first theirs')
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
})

test('a file that was removed meanwhile is saved anew when that is wanted', async ({ page, product }) => {
  await writeBoth(page, product)
  const file = join(product.root, 'shared.txt')
  await rm(file)
  const dialog = page.getByRole('alertdialog', { name: 'It is no longer there' })
  await page.keyboard.press('ControlOrMeta+S')
  expect(await findBarriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'true')
  await page.keyboard.press('ControlOrMeta+S')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  expect(String(await onDisk(product, 'shared.txt'))).toBe('first mine')
  await page.keyboard.type('!')
  await page.keyboard.press('ControlOrMeta+S')
  await expect.poll(async () => String(await onDisk(product, 'shared.txt'))).toBe('first mine!')
})

const hostile = `# Title

- [x] done
- [ ] open

| a | b |
| - | - |
| 1 | 2 |

\`\`\`js
const x = 'colour'
\`\`\`

Energy: $E = mc^2$, price $5 and $6.

<img src="https://example.org/track.png" onerror="window.broken = 1">
<script>window.broken = 2</script>
<a href="javascript:window.broken=3">bad</a> 

[good](https://example.org)

<iframe src="https://example.org"></iframe>
<style>body { display: none }</style>
<form action="https://example.org"><input></form>
<svg><script>window.broken = 4</script></svg>
<math><mtext><style><img src=x onerror=window.broken=5></style></mtext></math>
`

test('Markdown is shown beside the text, and nothing in it runs', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await product.put({ 'read.md': hostile })
  await openText(page, product, 'read.md')
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('article', { name: 'Markdown preview' })

  await expect(preview.getByRole('heading', { name: 'Title' })).toBeVisible()
  await expect(preview.getByRole('table')).toBeVisible()
  await expect(preview.locator('math').first()).toBeVisible()
  await expect(preview.locator('pre span').first()).toBeVisible()
  await expect(preview.getByText('price $5 and $6')).toBeVisible()
  await expect(preview.getByRole('link', { name: 'good' })).toHaveAttribute('rel', /noopener/)
  await expect(preview.locator('iframe, script, form, input, style')).toHaveCount(0)
  expect(await page.evaluate(() => 'broken' in window)).toBe(false)
  expect(complaints).toEqual([])
  expect(await findBarriers(page)).toEqual([])

  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type('\n# Another, with $a^2$\n')
  await expect(preview.getByRole('heading', { name: 'Another' }).locator('math')).toBeVisible()
})

test('the font size is remembered', async ({ page, product }) => {
  await product.put({ 'a.txt': 'x' })
  await openText(page, product, 'a.txt')
  await page.getByRole('button', { name: 'Increase font size' }).click()
  await expect(page.getByRole('status').filter({ hasText: '15px' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('status').filter({ hasText: '15px' })).toBeVisible()
})

test('axe finds nothing in the editor, in light and dark', async ({ page, product }) => {
  await product.put({
    'code.ts': "/** why */\nexport const answer: number = 42 // 'text'\nfunction f() { return `x` }\n",
  })
  await openText(page, product, 'code.ts')
  await expect(page.getByText('TypeScript')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('on a phone the preview takes the place of the text', async ({ page, product }) => {
  await page.setViewportSize(phone)
  await product.put({ 'read.md': '# Title' })
  await openText(page, product, 'read.md')
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('article', { name: 'Markdown preview' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'File content' })).toBeHidden()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.getByRole('button', { name: 'More' }).click()
  for (const name of ['Copy selection', 'Command palette', 'Increase font size', 'Decrease font size'])
    await expect(page.getByRole('menuitem', { name })).toBeVisible()
})

test('find counts and steps, narrows and replaces; the path above leads to the folder', async ({ page, product }) => {
  await product.put({ 'kitchen/list.txt': 'tea\nTea\nsteam\n' })
  await openText(page, product, 'kitchen/list.txt')
  const content = page.getByRole('textbox', { name: 'File content' })
  const bar = page.getByRole('search', { name: 'Find' })
  const count = bar.getByRole('status')
  await content.press('ControlOrMeta+f')
  await expect(bar.getByRole('textbox', { name: 'Find' })).toBeFocused()
  await page.keyboard.type('tea')
  await expect(count).toHaveText('3')
  await page.keyboard.press('Enter')
  await expect(count).toHaveText('1 of 3')
  await page.keyboard.press('Shift+Enter')
  await expect(count).toHaveText('3 of 3')
  await bar.getByRole('button', { name: 'Whole word' }).click()
  await expect(count).toHaveText('2')
  await bar.getByRole('button', { name: 'Match case' }).click()
  await expect(count).toHaveText('1')
  await bar.getByRole('textbox', { name: 'Find' }).fill('coffee')
  await expect(count).toHaveText('No matches')
  await bar.getByRole('textbox', { name: 'Find' }).fill('tea')
  await bar.getByRole('button', { name: 'Show replace' }).click()
  await bar.getByRole('textbox', { name: 'Replace' }).fill('milk')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await bar.getByRole('button', { name: 'Replace all' }).click()
  await expect(content).toHaveText('milkTeasteam')

  // The first Escape closes the bar, and the text has the focus again.
  await bar.getByRole('textbox', { name: 'Find' }).press('Escape')
  await expect(bar).toBeHidden()
  await expect(content).toBeFocused()
  await page.keyboard.press('ControlOrMeta+s')
  await expect.poll(async () => String(await onDisk(product, 'kitchen/list.txt'))).toBe('milk\nTea\nsteam\n')

  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(crumbs.locator('[aria-current]')).toHaveCount(0)
  await crumbs.getByRole('link', { name: 'kitchen' }).click()
  await expect(row(page, 'list.txt')).toBeVisible()
})
