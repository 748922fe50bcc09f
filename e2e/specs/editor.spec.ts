import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { findBarriers, findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { row } from '../listing.ts'
import { addUser, callApi } from '../people.ts'
import { expect, type Product, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'

async function open(page: Page, product: Product, name: string): Promise<void> {
  await product.signIn(page, `files/${name}`)
  await expect(page.getByRole('textbox', { name: 'File content' })).toBeVisible()
}

const onDisk = (product: Product, name: string) => readFile(join(product.root, name))

test('what is written is saved with Ctrl+S, line ends and all', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  await product.put({ 'notes.txt': 'one\r\ntwo\r\n' })
  await open(page, product, 'notes.txt')
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

test('an old encoding is shown, kept, and not filled with what it cannot hold', async ({ page, product }) => {
  await product.put({})
  await writeFile(join(product.root, 'old.txt'), Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65]))
  await open(page, product, 'old.txt')
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

test('what is written while the server saves is not taken for saved', async ({ page, product, context }) => {
  await product.put({ 'a.txt': 'one' })
  await open(page, product, 'a.txt')
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
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await context.setOffline(true)
  await context.setOffline(false)
  await page.keyboard.press('ControlOrMeta+S')
  await expect(region).toHaveAttribute('data-dirty', 'false')
  expect(String(await onDisk(product, 'a.txt'))).toBe('one two three')
  expect(asked).toEqual(['PUT /api/resources/a.txt'])
})

test('who does not wait for a text is not fetched back when it cannot be had', async ({ page, product }) => {
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

test('an editor that could not be fetched comes when the line is back', async ({ page, product, context }) => {
  await product.put({ 'a.txt': 'one' })
  await product.signIn(page)
  await page.route(/\/(health|assets\/Editor-[^/]*\.js)$/, (route) => route.abort())
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
  await open(page, product, 'old.txt')
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

for (const [place, room] of [
  ['', Number.POSITIVE_INFINITY],
  [' that is larger than the browser keeps', 0],
] as const)
  test(`a session that ends from outside does not take a text along${place}`, async ({ page, product }) => {
    await product.put({ 'notes.txt': 'one\r\ntwo' })
    await open(page, product, 'notes.txt')
    if (room === 0)
      await page.evaluate(() => {
        for (let size = 2 ** 22; size >= 1; size /= 2)
          for (let more = true; more; )
            try {
              sessionStorage.setItem(`filled ${sessionStorage.length}`, 'x'.repeat(size))
            } catch {
              more = false
            }
      })
    const content = page.getByRole('textbox', { name: 'File content' })
    await content.press('ControlOrMeta+End')
    await page.keyboard.type('\nthree')
    await callApi(product, 'POST', 'logout')
    await page.keyboard.press('ControlOrMeta+S')

    await page.getByLabel('Username').fill(product.username)
    await page.getByLabel('Password', { exact: true }).fill(product.password)
    await page.getByRole('button', { name: 'Login', exact: true }).click()

    const region = page.getByRole('region', { name: 'Editor' })
    await expect(region).toHaveAttribute('data-dirty', 'true')
    await expect(content).toContainText('three')
    await content.focus()
    await page.keyboard.press('ControlOrMeta+S')
    await expect(region).toHaveAttribute('data-dirty', 'false')
    expect(String(await onDisk(product, 'notes.txt'))).toBe('one\r\ntwo\r\nthree')
  })

for (const choice of ['Discard', 'Save'])
  test(`text that was left with "${choice}" does not come back`, async ({ page, product }) => {
    await product.put({ 'notes.txt': 'one' })
    await open(page, product, 'notes.txt')
    const content = page.getByRole('textbox', { name: 'File content' })
    await content.press('ControlOrMeta+End')
    await page.keyboard.type(' two')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button', { name: choice }).click()
    await expect(page.getByRole('region', { name: 'Editor' })).toBeHidden()
    await writeFile(join(product.root, 'notes.txt'), 'three')
    await page.goBack()
    await expect(content).toHaveText('three')
    await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  })

/** Two people change one file: the one at the keyboard has not saved yet. */
async function writeBoth(page: Page, product: Product): Promise<void> {
  await product.put({ 'shared.txt': 'first' })
  await open(page, product, 'shared.txt')
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' mine')
  await writeFile(join(product.root, 'shared.txt'), 'first theirs')
}

test('text that was deleted with its file does not get into a new file of that name', async ({ page, product }) => {
  await product.put({ 'notes.txt': 'one' })
  await open(page, product, 'notes.txt')
  const content = page.getByRole('textbox', { name: 'File content' })
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' secret')
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'true')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(row(page, 'notes.txt')).toHaveCount(0)
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('secret')

  await page.getByRole('button', { name: 'New file' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('notes.txt')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('region', { name: 'Editor' })).toHaveAttribute('data-dirty', 'false')
  await expect(content).toHaveText('')
})

test('nor does text that waited for its file when that was deleted', async ({ page, product }) => {
  await product.put({ 'notes.txt': 'one' })
  await open(page, product, 'notes.txt')
  const content = page.getByRole('textbox', { name: 'File content' })
  await content.press('ControlOrMeta+End')
  await page.keyboard.type(' secret')
  await callApi(product, 'POST', 'logout')
  await page.keyboard.press('ControlOrMeta+S')
  await expect(page.getByLabel('Username')).toBeVisible()
  // The session ended elsewhere: the same person comes back, but not to the text.
  await page.evaluate(() => history.replaceState({}, '', '/login'))
  await page.reload()
  await page.getByLabel('Username').fill(product.username)
  await page.getByLabel('Password', { exact: true }).fill(product.password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await row(page, 'notes.txt').click()
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(row(page, 'notes.txt')).toHaveCount(0)
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('secret')
})

test('unsaved text is not left in the browser for another person', async ({ page, product }) => {
  await product.put({ 'notes.txt': 'one', 'guests/': '' })
  await addUser(product, 'visitor', 'a seat by the fire', { scope: '/guests' })
  await open(page, product, 'notes.txt')
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' secret')
  await callApi(product, 'POST', 'logout')
  await page.keyboard.press('ControlOrMeta+S')
  await page.getByLabel('Username').fill('visitor')
  const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }))
  expect(await kept()).toContain('secret')

  await page.getByLabel('Password', { exact: true }).fill('a seat by the fire')
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect(page.getByRole('link', { name: 'visitor' })).toBeVisible()
  expect(await kept()).not.toContain('secret')
})

test('a file that changed meanwhile is not overwritten without a word', async ({ page, product }) => {
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

test('leaving with changes asks: stay, save or discard', async ({ page, product }) => {
  await product.put({ 'a.txt': 'old' })
  await open(page, product, 'a.txt')
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' new')
  const dialog = page.getByRole('alertdialog', { name: 'Unsaved changes' })

  await page.route('**/UnsavedChangesPrompt-*.js', (route) => route.abort())
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alert')).toContainText('No connection to the server')
  await expect(page).toHaveURL(/a\.txt$/)
  await page.unroute('**/UnsavedChangesPrompt-*.js')

  await page.getByRole('link', { name: 'Settings' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/a\.txt$/)

  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
  expect(String(await onDisk(product, 'a.txt'))).toBe('old new')

  await page.goto(new URL('files/a.txt', product.url).href)
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' never')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
  expect(String(await onDisk(product, 'a.txt'))).toBe('old new')
})

test('the back button asks too, and goes where it was pointed', async ({ page, product }) => {
  await product.put({ 'a.txt': 'old' })
  await product.signIn(page)
  await page.getByRole('link', { name: 'admin' }).click()
  await expect(page).toHaveURL(/settings/)
  await page.evaluate(() => history.back())
  await expect(page).toHaveURL(/files/)
  await page.keyboard.press('ControlOrMeta+Shift+F')
  await page.getByRole('searchbox').fill('a.txt')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'a.txt', exact: true }).click()
  await page.getByRole('textbox', { name: 'File content' }).press('ControlOrMeta+End')
  await page.keyboard.type(' new')
  const dialog = page.getByRole('alertdialog', { name: 'Unsaved changes' })

  await page.evaluate(() => history.back())
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/a\.txt$/)
  await page.evaluate(() => history.back())
  await dialog.getByRole('button', { name: 'Discard' }).click()

  await expect(page).toHaveURL(/files\/$/)
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
})

test('a text is read anew when it is opened again', async ({ page, product }) => {
  await product.put({ 'a.txt': 'one' })
  await open(page, product, 'a.txt')
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.locator('main[data-view="listing"]')).toBeVisible()
  await writeFile(join(product.root, 'a.txt'), 'two')
  await page.evaluate(() => history.back())
  await expect(page.getByRole('textbox', { name: 'File content' })).toHaveText('two')
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
  await open(page, product, 'read.md')
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
})

test('the size of the letters is remembered', async ({ page, product }) => {
  await product.put({ 'a.txt': 'x' })
  await open(page, product, 'a.txt')
  await page.getByRole('button', { name: 'Increase font size' }).click()
  await expect(page.getByRole('status').filter({ hasText: '15px' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('status').filter({ hasText: '15px' })).toBeVisible()
})

test('nothing stands in the way of assistive technology', async ({ page, product }) => {
  await product.put({
    'code.ts': "/** why */\nexport const answer: number = 42 // 'text'\nfunction f() { return `x` }\n",
  })
  await open(page, product, 'code.ts')
  await expect(page.getByText('TypeScript')).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('on a phone the preview takes the place of the text', async ({ page, product }) => {
  await page.setViewportSize(phone)
  await product.put({ 'read.md': '# Title' })
  await open(page, product, 'read.md')
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page.getByRole('article', { name: 'Markdown preview' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'File content' })).toBeHidden()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.getByRole('button', { name: 'More' }).click()
  for (const name of ['Copy selection', 'Command palette', 'Increase font size', 'Decrease font size'])
    await expect(page.getByRole('menuitem', { name })).toBeVisible()
})
