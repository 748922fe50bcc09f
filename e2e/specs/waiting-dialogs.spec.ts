import { treeOf } from '../disk.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { hold } from '../slow-line.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'a.txt': 'old a', 'b.txt': 'old b' })
  await product.signIn(page)
})

test('a question that is asked while another one is fetched waits for its turn', async ({ page, product }) => {
  const question = page.getByRole('dialog', { name: 'Replace or skip files' })
  const fetched = await hold(page, '**/ConflictDialog-*.js')
  const file = (name: string) => [{ name, mimeType: 'text/plain', buffer: Buffer.from(`new ${name}`) }]
  const isAskedFor = page.waitForRequest('**/ConflictDialog-*.js')
  await page.setInputFiles('#upload-input', file('a.txt'))
  await isAskedFor
  const isLookedUp = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/entries/')
  await page.setInputFiles('#upload-input', file('b.txt'))
  await isLookedUp
  await fetched.letGo()

  await expect(question).toContainText('a.txt')
  await question.getByRole('button', { name: 'Replace all files in destination folder' }).click()
  await expect(question).toContainText('b.txt')
  await question.getByRole('button', { name: 'Replace all files in destination folder' }).click()
  await expect(question).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toEqual({ 'a.txt': 'new a.txt', 'b.txt': 'new b.txt' })
})

test('a double click asks once', async ({ page }) => {
  await row(page, 'a.txt').click()
  const fetched = await hold(page, '**/ShareDialog-*.js')
  await page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('button', { name: 'Share' }).dblclick()
  await fetched.letGo()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})

test('while a question is fetched the browser keeps its keys and the page gets none', async ({ page }) => {
  await row(page, 'a.txt').click()
  await page.evaluate(() => {
    const heard: [string, KeyboardEvent][] = []
    Object.assign(window, { heard })
    addEventListener('keydown', (event) => heard.push([event.key, event]), { capture: true })
  })
  const fetched = await hold(page, '**/HelpDialog-*.js')
  const isAskedFor = page.waitForRequest('**/HelpDialog-*.js')
  await page.keyboard.press('F1')
  await isAskedFor
  // Told to the page, not to the browser, which would go away.
  const isTaken = (init: object) =>
    page.evaluate((keys) => {
      const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...keys })
      document.activeElement?.dispatchEvent(event)
      return event.defaultPrevented
    }, init)
  expect(await isTaken({ key: 'F5' })).toBe(false)
  expect(await isTaken({ key: 'r', ctrlKey: true })).toBe(false)
  expect(await isTaken({ key: 'r', metaKey: true })).toBe(false)
  expect(await isTaken({ key: 'F12' })).toBe(false)
  expect(await isTaken({ key: 'Delete' })).toBe(true)
  expect(await isTaken({ key: 'x' })).toBe(true)
  expect(await isTaken({ key: 's', ctrlKey: true })).toBe(true)
  await fetched.letGo()
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
})
