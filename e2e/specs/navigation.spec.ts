import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { remove } from '../saving.ts'

test('back, pressed twice with unsaved text, asks once and leaves after "Discard"', async ({ page, product }) => {
  await product.put({ 'Notes/letter.txt': 'Dear reader' })
  await product.signIn(page)
  await page.getByRole('row', { name: 'Notes' }).dblclick()
  await page.getByRole('row', { name: 'letter.txt' }).dblclick()
  const text = page.getByRole('region', { name: 'Editor' }).getByRole('textbox').first()
  await text.click()
  await page.keyboard.type('My ')
  await expect(page.locator('#editor-container[data-dirty=true]')).toBeVisible()

  await page.evaluate(() => {
    history.back()
    history.back()
  })
  const question = page.getByRole('alertdialog')
  await expect(question).toHaveCount(1)
  await expect(page).toHaveURL(/letter\.txt$/)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toHaveCount(0)
  await expect(text).toContainText('My ')

  await page.goBack({ waitUntil: 'commit' })
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL(/\/files\/Notes\/$/)
  await expect(page.getByRole('row', { name: 'letter.txt' })).toBeVisible()
})

test('back closes a menu, which would be about the folder that was left', async ({ page, product }) => {
  await product.put({ 'Notes/letter.txt': 'Dear reader' })
  await product.signIn(page)
  const opening = [
    () => row(page, 'letter.txt').click({ button: 'right' }),
    () => page.getByRole('button', { name: 'View options' }).click(),
  ]
  for (const open of opening) {
    await row(page, 'Notes').dblclick()
    await expect(row(page, 'letter.txt')).toBeVisible()
    await open()
    await expect(page.getByRole('menu')).toBeVisible()
    await page.goBack()
    await expect(row(page, 'Notes')).toBeVisible()
    await expect(page.getByRole('menu')).toHaveCount(0)
  }
})

test('the way up from a missing folder leads to the nearest one that is there', async ({ page, product }) => {
  await product.put({ 'a/here.txt': 'x' })
  await product.signIn(page, 'files/a/b/c/d/')
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/resources/')) asked.push(pathname)
  })
  await page.getByRole('button', { name: 'Go up' }).click()
  await expect(page).toHaveURL(/\/files\/a\/$/)
  await expect(row(page, 'here.txt')).toBeVisible()
  expect(asked).toEqual(['/api/resources/a/b/c', '/api/resources/a/b', '/api/resources/a'])

  // What was passed is no stop on the way back.
  await page.goBack()
  await expect(page).toHaveURL(/\/files\/a\/b\/c\/d\/$/)
  await page.getByRole('toolbar', { name: 'Go' }).getByRole('button', { name: 'Up one folder' }).click()
  await expect(page).toHaveURL(/\/files\/a\/$/)
})

test('folders that were seen and are gone meanwhile are passed on the way up, the one in view is told of', async ({
  page,
  product,
}) => {
  await product.put({ 'a/b/c/d/': '' })
  await product.signIn(page, 'files/a/')
  for (const name of ['b', 'c', 'd']) await row(page, name).dblclick()
  await expect(page).toHaveURL(/\/a\/b\/c\/d\/$/)
  await page.keyboard.press('Backspace')
  await expect(row(page, 'd')).toBeVisible()
  await remove(product, 'a/b')
  await expect(page.locator('main[data-status="404"]')).toBeVisible()
  await expect(page).toHaveURL(/\/a\/b\/c\/$/)
  await page.getByRole('button', { name: 'Go up' }).click()
  await expect(page).toHaveURL(/\/files\/a\/$/)
  await expect(page.getByRole('contentinfo')).toContainText('0 items')
})
