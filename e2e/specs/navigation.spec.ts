import { expect, test } from '../product.ts'

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
