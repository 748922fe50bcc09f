import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { desk, phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'

test('the window has nothing to scroll around the sign-in form and the frame', async ({ page, product }) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  const excess = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  await page.goto(new URL('login', product.url).href)
  await expect(page.getByRole('form', { name: 'Login' })).toBeVisible()
  for (const size of [phone, desk]) {
    await page.setViewportSize(size)
    await expect.poll(excess).toBe(0)
  }
  await product.signIn(page)
  await expect(row(page, 'letter.txt')).toBeVisible()
  for (const size of [phone, desk]) {
    await page.setViewportSize(size)
    await expect.poll(excess).toBe(0)
  }
})

test('the sign that a picture is on its way is round', async ({ page, product }) => {
  await product.put({ 'lake.png': picture(300, 200) })
  await product.signIn(page)
  await expect(row(page, 'lake.png')).toBeVisible()
  const content = await hold(page, /\/api\/(raw|preview\/big)\//)
  await row(page, 'lake.png').dblclick()
  const sign = page.getByRole('region', { name: 'Preview' }).locator('[class*="spinner"]')
  await expect(sign).toBeVisible()
  expect(await sign.evaluate(({ offsetWidth, offsetHeight }: HTMLElement) => [offsetWidth, offsetHeight])).toEqual([
    16, 16,
  ])
  await content.letGo()
  await expect(page.getByRole('img', { name: 'lake.png' })).toHaveAttribute('data-shown', 'true')
})
