import type { Locator } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'

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
  await row(page, 'b.txt').dblclick()
  await expect(page).toHaveURL(new URL('files/Box/b.txt', product.url).href)
  await product.put({ 'Other/': '' })
  await page.goBack()
  await expect(page.locator('main[data-view="error"][data-status="404"]')).toBeVisible()
})

test('a listing, a text and a page of the settings that throw leave the frame around them usable', async ({
  page,
  product,
}) => {
  await product.put({ 'Box/a.txt': 'a', 'letter.txt': 'Dear reader' })
  const message = page.getByRole('alert').filter({ hasText: 'This view stopped working' })
  // Answers that no server of this version gives.
  await page.route('**/api/resources/Box', (route) => route.fulfill({ json: { isDir: true, items: [null] } }))
  const broken = 'export const TextFileLoader = () => { throw new Error("broken") }'
  await page.route(/TextFileLoader[^/]*\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: broken }),
  )
  await page.route('**/api/settings', (route) => route.fulfill({ json: {} }))
  await product.signIn(page)

  await row(page, 'Box').dblclick()
  await expect(message).toBeVisible()
  await expect(page).toHaveURL(/\/files\/Box\/$/)
  await page.unroute('**/api/resources/Box')
  await message.getByRole('button', { name: 'Try again' }).click()
  await expect(row(page, 'a.txt')).toBeVisible()
  await page.getByRole('link', { name: 'My files' }).click()
  await row(page, 'letter.txt').dblclick()
  await expect(message).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row(page, 'letter.txt')).toBeVisible()

  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('link', { name: 'Global Settings' }).click()
  await expect(message).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.unroute('**/api/settings')
  await message.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('form').or(page.getByRole('checkbox')).first()).toBeVisible()
  await page.getByRole('link', { name: 'User Management' }).click()
  await expect(page.getByRole('table')).toContainText(product.username)
  await page.getByRole('link', { name: 'My files' }).click()
  await expect(row(page, 'letter.txt')).toBeVisible()
})

test('a listing that takes long says so, and is asked for again; one that is known stays meanwhile', async ({
  page,
  product,
}) => {
  await product.put({ 'Box/a.txt': 'a', 'letter.txt': 'Dear reader' })
  await page.clock.install()
  await product.signIn(page)
  const note = page.getByRole('paragraph').filter({ hasText: 'The server has not answered yet.' })
  const box = await hold(page, '**/api/resources/Box')
  await row(page, 'Box').dblclick()
  await box.held
  await expect(note).toBeHidden()
  await page.clock.fastForward(6000)
  await expect(note).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  const again = page.waitForRequest('**/api/resources/Box')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(note).toBeHidden()
  await expect(page.locator('main')).toBeFocused()
  await again
  await box.letGo()
  await expect(row(page, 'a.txt')).toBeVisible()

  const root = await hold(page, '**/api/resources/')
  await page.goBack()
  await root.held
  await page.clock.fastForward(6000)
  await expect(note).toBeVisible()
  await expect(row(page, 'letter.txt')).toBeVisible()
  // On a phone, above the bar at the bottom.
  await page.setViewportSize(phone)
  const heights = (...parts: Locator[]) =>
    Promise.all(parts.map((part) => part.evaluate((element) => element.getBoundingClientRect())))
  const [chosen, browse] = [
    page.getByRole('toolbar', { name: 'Selection actions' }),
    page.getByRole('navigation', { name: 'Browse' }),
  ]
  for (const bar of [chosen, browse]) {
    const [said, below] = await heights(note, bar)
    expect(said?.bottom).toBeLessThanOrEqual(below?.top ?? 0)
    if (bar === chosen) await page.getByRole('button', { name: 'Clear selection' }).click()
  }
  await root.letGo()
  await expect(note).toBeHidden()
})
