import { findBarriersInBothThemes } from '../barriers.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'

/** What fails in one view leaves everything around it as it is. */

test('a viewer that throws leaves the rest of the page, and can be tried again or closed', async ({
  page,
  product,
}) => {
  await product.put({ 'Films/a.webm': 'film', 'Films/b.txt': 'text' })
  const broken = 'export const VideoViewer = () => { if (!window.isMended) throw new Error("broken"); return "mended" }'
  await page.route(/VideoViewer[^/]*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: broken }))
  await product.signIn(page, 'files/Films/')
  await row(page, 'a.webm').dblclick()
  const message = page.getByRole('alert').filter({ hasText: 'This view stopped working' })
  await expect(message).toBeVisible()
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  await message.getByRole('button', { name: 'Try again' }).click()
  await expect(message).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await message.getByRole('button', { name: 'Close' }).click()
  await expect(row(page, 'a.webm')).toHaveAttribute('aria-selected', 'true')

  await row(page, 'a.webm').dblclick()
  await page.evaluate(() => Object.assign(window, { isMended: true }))
  await message.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('mended')
})

test('a viewer that could not be loaded is loaded when the server answers again', async ({
  page,
  product,
  context,
}) => {
  await product.put({ 'Films/a.webm': 'film' })
  const down = /\/health$|VideoViewer[^/]*\.js$/
  await page.route(down, (route) => route.abort())
  await product.signIn(page, 'files/Films/')
  const looked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/health'))
  await row(page, 'a.webm').dblclick()
  await looked
  await expect(page.getByRole('alert')).toContainText("The server can't be reached")
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await page.unroute(down)
  // Tells the page that something has changed.
  await context.setOffline(true)
  await context.setOffline(false)
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Preview is not available')
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
})

test('a listing that cannot be read again stays, with its selection, until the server answers', async ({
  page,
  product,
  context,
}) => {
  await product.put({ 'Box/a.txt': 'a', 'Box/b.txt': 'b', 'Box/Inner/': '' })
  await product.signIn(page, 'files/Box/')
  await row(page, 'Inner').dblclick()
  await expect(page.locator('main')).toHaveAttribute('aria-busy', 'false')
  const down = /\/health$|\/api\/resources\/Box$/
  await page.route(down, (route) => route.abort())
  await page.goBack()
  await row(page, 'b.txt').click()
  const notice = page.getByRole('paragraph').filter({ hasText: 'This list may be out of date' })
  await expect(notice).toBeVisible()
  await expect(row(page, 'b.txt')).toHaveAttribute('aria-selected', 'true')
  await expect(page.locator('main')).toHaveAttribute('data-view', 'listing')
  expect(await findBarriersInBothThemes(page)).toEqual([])

  await product.put({ 'Box/b.txt': 'b', 'Box/c.txt': 'c' })
  await page.unroute(down)
  // Tells the page that something has changed.
  await context.setOffline(true)
  await context.setOffline(false)
  await expect(row(page, 'c.txt')).toBeVisible()
  await expect(notice).toBeHidden()
  await expect(row(page, 'b.txt')).toHaveAttribute('aria-selected', 'true')

  // A folder that is gone is not kept.
  await product.put({ 'Other/': '' })
  await row(page, 'b.txt').dblclick()
  await page.goBack()
  await expect(page.locator('main[data-view="error"][data-status="404"]')).toBeVisible()
})
