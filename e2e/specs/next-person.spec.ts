import { addUser } from '../people.ts'
import { expect, test } from '../product.ts'

test('nothing that one person was shown flashes up for the next one', async ({ page, product }) => {
  await product.put({ 'diary.txt': 'private', 'guests/hello.txt': 'welcome' })
  await addUser(product, 'visitor', 'a seat by the fire', { scope: '/guests' })
  await product.signIn(page)
  await expect(page.getByText('diary').first()).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()

  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/resources/**', async (route) => {
    await held
    await route.continue()
  })
  // Within the page: a reload would forget everything anyway.
  await page.getByRole('textbox', { name: 'Username' }).fill('visitor')
  await page.getByLabel('Password', { exact: true }).fill('a seat by the fire')
  await page.getByRole('button', { name: 'Login' }).click()
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  await expect(page.locator('main[aria-busy=true]')).toBeVisible()
  await expect(page.getByText('diary')).toHaveCount(0)
  answer()
  await expect(page.getByText('hello').first()).toBeVisible()
})
