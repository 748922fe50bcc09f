import { treeOf } from '../disk.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { saveInTurn } from '../saving.ts'
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

test('Escape belongs to the upper of two dialogs as soon as it is asked for', async ({ page, product }) => {
  await saveInTurn(product, 'a.txt', 'new a')
  await expect(page.getByRole('tree', { name: 'Folder tree' })).toBeVisible()
  await row(page, 'a.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Previous versions' }).click()
  const lower = page.getByRole('dialog', { name: 'Previous versions', exact: true })
  const upper = page.getByRole('dialog', { name: 'Save as' })
  const saveAs = lower.getByRole('button', { name: 'Save as…' })

  const fetched = await hold(page, '**/NameDialog-*.js')
  await saveAs.click()
  await fetched.held
  await page.keyboard.press('Escape')
  await fetched.letGo()

  // In the moment in which it appears, which no key of Playwright would meet.
  const isClosed = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const dialogs = () => document.querySelectorAll('[role=dialog]').length
        let isPressed = false
        new MutationObserver(() => {
          if (isPressed && dialogs() < 2) resolve()
          if (isPressed || dialogs() < 2) return
          isPressed = true
          const init = { key: 'Escape', bubbles: true, cancelable: true }
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init))
        }).observe(document.body, { childList: true, subtree: true })
      }),
  )
  await saveAs.click()
  await isClosed
  await expect(upper).toHaveCount(0)
  await expect(lower).toBeVisible()
  await expect(saveAs).toBeFocused()
})
