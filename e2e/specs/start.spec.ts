import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { hold } from '../slow-line.ts'

test('a server that says nothing at the start is not waited for with an empty page', async ({ page, product }) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  await product.signIn(page)
  const line = await hold(page, '**/api/renew')
  await page.reload()
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()
  await expect(page.getByRole('alert')).toContainText("The server can't be reached")
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()

  await line.letGo()
  // By itself.
  await expect(row(page, 'letter.txt')).toBeVisible()
})
