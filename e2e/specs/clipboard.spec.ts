import type { Page } from '@playwright/test'
import { choose } from '../changing.ts'
import { treeOf } from '../disk.ts'
import { holdJobs } from '../jobs.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { toast } from '../toast.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Archive/': '', 'Box/in/deep.txt': 'deep', 'a.txt': 'a', 'b.txt': 'b' })
  await product.signIn(page)
})

async function go(page: Page, name: string): Promise<void> {
  await row(page, name).dblclick()
  await expect(page).toHaveURL(new RegExp(`/${name}/$`))
  await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false')
}

test('copied entries can be pasted several times', async ({ page, product }) => {
  await choose(page, 'a.txt', 'b.txt')
  await page.keyboard.press('ControlOrMeta+c')
  await expect(toast(page, '2 items are ready to be pasted')).toBeVisible()
  await go(page, 'Archive')
  await page.keyboard.press('ControlOrMeta+v')
  await expect(row(page, 'b.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(toast(page, 'Copied 2 items to Archive')).toBeVisible()

  await page.goBack()
  await expect(row(page, 'Archive')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+v')
  // Where it lies already, a second one is made without a question.
  await expect(row(page, 'b(1).txt')).toBeVisible()
  await expect
    .poll(() => treeOf(product.root))
    .toMatchObject({
      'Archive/a.txt': 'a',
      'Archive/b.txt': 'b',
      'a(1).txt': 'a',
      'a.txt': 'a',
      'b(1).txt': 'b',
    })
})

test('cut entries move where they are pasted, once, and the toast undoes it', async ({ page, product }) => {
  await choose(page, 'a.txt')
  await page.keyboard.press('ControlOrMeta+X')
  await expect(toast(page, 'a.txt will move where you paste it')).toBeVisible()
  await go(page, 'Archive')
  const moved = await holdJobs(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  await page.keyboard.press('ControlOrMeta+v')
  await moved.held
  await page.keyboard.press('ControlOrMeta+v')
  await moved.letGo()
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => treeOf(product.root)).toMatchObject({ 'Archive/a.txt': 'a' })
  await expect.poll(() => treeOf(product.root)).not.toHaveProperty(['a.txt'])

  const jobs = () => asked.filter((request) => request === 'POST /api/jobs')
  expect(jobs()).toHaveLength(1)
  await toast(page, 'Moved a.txt to Archive').getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'a.txt')).toBeHidden()
  await expect.poll(() => treeOf(product.root)).toHaveProperty(['a.txt'])
  const undone = treeOf(product.root)
  await page.keyboard.press('ControlOrMeta+v')
  await page.keyboard.press('F1')
  await expect(page.getByRole('dialog', { name: 'Help' })).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(undone)
  // The way back was one, too.
  expect(jobs()).toHaveLength(2)
})

test('a folder cannot be pasted into itself', async ({ page, product }) => {
  const before = treeOf(product.root)
  await choose(page, 'Box')
  await page.keyboard.press('ControlOrMeta+x')
  await go(page, 'Box')
  await go(page, 'in')
  await page.keyboard.press('ControlOrMeta+v')
  await expect(page.getByRole('alert').filter({ hasText: 'A folder cannot be put into itself: Box' })).toBeVisible()
  await expect.poll(() => treeOf(product.root)).toEqual(before)
})

test('what was copied last is pasted: entries of the product, or a picture of the screen', async ({
  page,
  product,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const copyPicture = () =>
    page.evaluate(async () => {
      const canvas = document.createElement('canvas')
      const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture ?? '' })])
    })
  await choose(page, 'a.txt')
  await page.keyboard.press('ControlOrMeta+c')
  await expect(toast(page, 'a.txt is ready to be pasted')).toBeVisible()
  await copyPicture()
  await page.keyboard.press('ControlOrMeta+v')
  await expect.poll(() => Object.keys(treeOf(product.root)).filter((name) => name.endsWith('.png'))).toHaveLength(1)
  await expect.poll(() => treeOf(product.root)).not.toHaveProperty(['a(1).txt'])

  await choose(page, 'b.txt')
  await page.keyboard.press('ControlOrMeta+c')
  await expect(toast(page, 'b.txt is ready to be pasted')).toBeVisible()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('b.txt')
  await page.keyboard.press('ControlOrMeta+v')
  await expect(row(page, 'b(1).txt')).toBeVisible()
  expect(Object.keys(treeOf(product.root)).filter((name) => name.endsWith('.png'))).toHaveLength(1)
})

test('Ctrl+C on selected text copies the text', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await choose(page, 'a.txt')
  await page.evaluate(() => {
    const words = document.createElement('p')
    words.textContent = 'words on the page'
    document.body.append(words)
    getSelection()?.selectAllChildren(words)
  })
  await page.keyboard.press('ControlOrMeta+c')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('words on the page')
  await expect(toast(page, 'ready to be pasted')).toBeHidden()
})
