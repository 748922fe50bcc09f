import type { Locator } from '@playwright/test'
import { findBarriers, findBarriersInBothThemes } from '../barriers.ts'
import { listenForComplaints } from '../complaints.ts'
import { grid, names, row, typeAhead } from '../listing.ts'
import { prefer } from '../people.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { desk, phone } from '../sizes.ts'
import { hold, holdAnswer } from '../slow-line.ts'

const files = {
  'Photos/2026/Spring/Harz/Brocken/summit.txt': 'snow',
  'Empty/': '',
  'letter.txt': 'Dear reader',
  'Budget 10.csv': 'a,b',
  'Budget 9.csv': 'a,b,c,d',
  '.hidden': '',
}

test.beforeEach(async ({ page, product }) => {
  await product.put(files)
  await product.signIn(page)
  await expect(row(page, 'letter.txt')).toBeVisible()
})

test('a folder is listed with folders first, and each row describes its entry', async ({ page }) => {
  await expect
    .poll(() => names(page))
    .toEqual(['Empty', 'Photos', '.hidden', 'Budget 9.csv', 'Budget 10.csv', 'letter.txt'])
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '7')
  await expect(grid(page)).toHaveAttribute('aria-multiselectable', 'true')
  await expect(page.locator('#live-status')).toHaveText('6 items')

  const letter = row(page, 'letter.txt')
  await expect(letter).toHaveAttribute('data-kind', 'file')
  await expect(letter).toHaveAttribute('data-type', 'text')
  await expect(letter).toHaveAttribute('data-ext', '.txt')
  await expect(letter).toHaveAccessibleDescription(/^Text, 11 B, .+/)
  await expect(letter.getByRole('gridcell')).toHaveText(['letter.txt', '11 B', /ago|now/])
  await expect(letter.locator('time')).toHaveAttribute('datetime', /^\d{4}-\d\d-\d\dT/)
  await expect(row(page, 'Photos')).toHaveAccessibleDescription('Folder')
  await expect(row(page, 'Photos').getByRole('gridcell').nth(1)).toHaveText('—')
})

test('relative times go on while they are shown, and exact ones have the whole year', async ({ page, product }) => {
  await page.clock.install()
  await page.reload()
  const time = row(page, 'letter.txt').locator('time')
  await expect(time).toHaveText(/second|now|1 minute ago/)
  await page.clock.fastForward(20_000)
  await expect(time).toHaveText(/[2-5]\d seconds ago|1 minute ago/)
  await page.clock.fastForward(5 * 60_000)
  await expect(time).toHaveText(/[5-7] minutes ago/)
  await prefer(product, { dateFormat: true })
  await page.reload()
  await expect(time).toHaveText(new RegExp(String.raw`^\d\d/\d\d/${new Date().getFullYear()}, `))
})

test('a double click opens a folder, the breadcrumbs lead back, and the folder left is selected', async ({ page }) => {
  await row(page, 'Photos').dblclick()
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
  await expect(page).toHaveTitle('Photos - Files - File Browser')
  await expect(row(page, '2026')).toHaveAttribute('aria-selected', 'false')

  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Home' }).click()
  await expect(row(page, 'Photos')).toHaveAttribute('aria-selected', 'true')
})

test('Back and Forward are enabled where there is history to go to', async ({ page }) => {
  const back = page.getByRole('button', { name: 'Back', exact: true })
  const forward = page.getByRole('button', { name: 'Forward', exact: true })
  await expect(back).toBeDisabled()
  await expect(forward).toBeDisabled()
  await row(page, 'Photos').dblclick()
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
  await expect(forward).toBeDisabled()
  await back.click()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(back).toBeDisabled()
  await forward.click()
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
})

test('a folder that is returned to has its scroll position and focus again', async ({ page, product }) => {
  const many = Array.from({ length: 150 }, (_, index) => [`Many/${1000 + index}.txt`, ''])
  await product.put({ 'Early/': '', ...Object.fromEntries(many) })
  await page.goto(new URL('files/Many/', product.url).href)
  const scroller = grid(page).locator('..')
  await row(page, '1000.txt').focus()
  await typeAhead(page, '1090', '1090.txt')
  const top = await scroller.evaluate((element) => {
    element.scrollTop += 100
    return element.scrollTop
  })

  for (const leave of [() => page.goBack(), () => page.getByRole('button', { name: 'Close' }).click()]) {
    await page.keyboard.press('Enter')
    await expect(page.locator('main[data-view="editor"][aria-busy="false"]')).toBeVisible()
    await leave()
    await expect(row(page, '1090.txt')).toBeFocused()
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(top)
  }

  await page.keyboard.press('Backspace')
  await expect(row(page, 'Many')).toBeFocused()
  await row(page, 'Many').dblclick()
  await expect(row(page, '1000.txt')).toBeVisible()
  expect(await scroller.evaluate((element) => element.scrollTop)).toBe(0)
})

test('a deep path shows its last three folders, fewer where they do not fit, and the others in a menu', async ({
  page,
  product,
}) => {
  await page.goto(new URL('files/Photos/2026/Spring/Harz/Brocken/', product.url).href)
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await expect(crumbs.getByRole('link')).toHaveText(['', 'Spring', 'Harz', 'Brocken'])
  await expect(crumbs.getByRole('link', { name: 'Brocken' })).toHaveAttribute('aria-current', 'page')

  await crumbs.evaluate((nav) => {
    nav.style.maxInlineSize = '180px'
  })
  const shown = () => crumbs.getByRole('link').allTextContents()
  await expect.poll(async () => (await shown()).length).toBeLessThan(4)
  expect((await shown()).at(-1)).toBe('Brocken')
  await crumbs.evaluate((nav) => nav.style.removeProperty('max-inline-size'))
  await expect(crumbs.getByRole('link')).toHaveText(['', 'Spring', 'Harz', 'Brocken'])
  await crumbs.getByRole('button', { name: 'Show hidden folders' }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Photos', '2026'])
  await page.getByRole('menuitem', { name: 'Photos' }).click()
  await expect(page).toHaveURL(/\/files\/Photos\/$/)

  await page.setViewportSize(phone)
  const listing = await hold(page, '**/api/resources/Photos/2026')
  await row(page, '2026').dblclick()
  await expect(crumbs.getByRole('link')).toHaveText(['Photos', '2026'])
  await crumbs.getByRole('button', { name: 'Show hidden folders' }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Home', 'Photos'])
  // A listing that comes while the menu is open leaves it open.
  await listing.letGo()
  await expect(page.locator('[data-index]').filter({ hasText: 'Spring' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Home' }).click()
  await expect(page).toHaveURL(/\/files\/$/)
  await expect(crumbs.getByRole('link', { name: 'Home' })).toHaveAttribute('aria-current', 'page')
})

test('columns sort, a second click reverses, and the order is saved', async ({ page }) => {
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending')
  await page.getByRole('button', { name: 'Sort by name' }).click()
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  await expect(row(page, 'letter.txt')).toHaveAttribute('aria-rowindex', '4')
  await expect
    .poll(() => names(page))
    .toEqual(['Photos', 'Empty', 'letter.txt', 'Budget 10.csv', 'Budget 9.csv', '.hidden'])

  const saved = await hold(page, '**/api/users/*')
  await page.getByRole('button', { name: 'Sort by last modified' }).click()
  await page.getByRole('button', { name: 'Sort by size' }).click()
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'ascending')
  const bySize = ['Empty', 'Photos', '.hidden', 'Budget 10.csv', 'Budget 9.csv', 'letter.txt']
  // The rows are what their heading says, also while that is being saved.
  await expect.poll(() => names(page)).toEqual(bySize)
  const listed = page.waitForResponse(/\/api\/resources\/?$/)
  await saved.letGo()
  await listed
  await expect.poll(() => names(page)).toEqual(bySize)

  await page.reload()
  await expect(page.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-sort', 'ascending')
})

test('an order that is chosen while the folder is on its way counts when it comes', async ({ page, product }) => {
  await product.put({ 'Box/a.txt': 'long', 'Box/b.txt': '', 'Box/c.txt': 'ab' })
  await prefer(product, { viewMode: 'mosaic' })
  const listing = await holdAnswer(page, /\/api\/resources\/Box\/?$/)
  await page.goto(new URL('files/Box/', product.url).href)
  await listing.held
  await page.getByRole('button', { name: 'Sort', exact: true }).click()
  await page.getByRole('menuitemradio', { name: 'Sort by size' }).click()
  await page.getByRole('button', { name: 'Sort', exact: true }).click()
  await expect(page.getByRole('menuitemradio', { name: 'Sort by size' })).toHaveAttribute('aria-checked', 'true')
  await page.keyboard.press('Escape')
  await listing.letGo()
  await expect.poll(() => names(page)).toEqual(['b.txt', 'c.txt', 'a.txt'])
})

test('the view is switched in turn or in a menu, and is saved', async ({ page }) => {
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic')
  await expect(grid(page).getByRole('rowgroup')).toHaveCount(2)
  await expect(page.getByRole('heading', { level: 2, name: 'Folders', exact: true })).toBeVisible()
  await expect(row(page, 'letter.txt').getByRole('gridcell')).toHaveCount(1)
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '6')

  await page.getByRole('button', { name: 'View options' }).click()
  await page.getByRole('menuitemradio', { name: 'Gallery' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic gallery')

  // The keyboard sees the names of icons as the pointer does.
  await page.getByRole('toolbar', { name: 'File actions' }).getByRole('button', { name: 'Info' }).focus()
  await page.keyboard.press('ArrowLeft')
  const tooltip = page.getByTestId('tooltip')
  await expect(tooltip).toContainText('Download')
  await expect(tooltip.locator('kbd')).toHaveText(['Ctrl', 'S'])
  await page.keyboard.press('Escape')
  await expect(tooltip).toHaveCount(0)
  await page.getByRole('button', { name: 'View options' }).hover()
  await expect(tooltip).toHaveText('View options')

  await page.getByRole('button', { name: 'Sort', exact: true }).click()
  await expect(page.getByRole('menuitemradio', { name: 'Sort by name' })).toHaveAttribute('aria-checked', 'true')
  await page.getByRole('menuitemradio', { name: 'Sort by name' }).click()
  await expect
    .poll(() => names(page))
    .toEqual(['Photos', 'Empty', 'letter.txt', 'Budget 10.csv', 'Budget 9.csv', '.hidden'])

  await page.reload()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic gallery')
})

test('the height of rows is saved in the browser', async ({ page }) => {
  const height = async () => (await row(page, 'letter.txt').boundingBox())?.height
  expect(await height()).toBe(40)
  await page.getByRole('button', { name: 'View options' }).click()
  await page.getByRole('menuitemradio', { name: 'Compact' }).click()
  await expect.poll(height).toBe(32)
  await page.reload()
  await expect(row(page, 'letter.txt')).toBeVisible()
  expect(await height()).toBe(32)
})

test('a folder loads again when the server can be reached again', async ({ page, context }) => {
  await page.clock.install()
  await page.route('**/api/resources/Photos', (route) => route.abort())
  await row(page, 'Photos').dblclick()
  const refusal = page.getByRole('heading', { name: "The server can't be reached" })
  await expect(async () => {
    // The tries in between take their time, too.
    await page.clock.fastForward(2000)
    await expect(refusal).toBeVisible({ timeout: 100 })
  }).toPass()
  await expect(page.locator('#live-status')).toHaveText('')
  await page.unroute('**/api/resources/Photos')
  await page.clock.fastForward(5000)
  await expect(row(page, '2026')).toBeVisible()

  await context.setOffline(true)
  await row(page, '2026').dblclick()
  await expect(async () => {
    await page.clock.fastForward(2000)
    await expect(refusal).toBeVisible({ timeout: 100 })
  }).toPass()
  await context.setOffline(false)
  await expect(refusal).toBeHidden()
})

test('an empty folder shows a message', async ({ page }) => {
  await row(page, 'Empty').dblclick()
  await expect(page.getByRole('heading', { level: 2, name: 'It feels lonely here...' })).toBeVisible()
  await expect(page.locator('#live-status')).toHaveText('0 items')
  await expect(page.getByRole('button', { name: 'Upload' })).toHaveCount(1)
  expect(await findBarriers(page)).toEqual([])
})

test('axe finds nothing in every view, light and dark, and the console has no messages', async ({ page }) => {
  const complaints = await listenForComplaints(page)
  for (const view of ['list', 'mosaic', 'mosaic gallery']) {
    await expect(grid(page)).toHaveAttribute('data-view-mode', view)
    await row(page, 'letter.txt').click()
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Switch view' }).click()
  }
  expect(complaints).toEqual([])
})

test('pictures have thumbnails, and those that cannot be decoded an icon', async ({ page, product }) => {
  await product.put({ 'good.png': picture(300, 200), 'broken.png': 'no picture at all', 'letter.txt': '' })
  const thumbnail = await hold(page, '**/api/preview/thumb/good.png*')
  await page.reload()
  const image = row(page, 'good.png').locator('img')
  // It may come under a pressed button of the mouse: the click counts all the same.
  await row(page, 'good.png').locator('svg[data-mark=image]').hover({ force: true })
  await page.mouse.down()
  await thumbnail.letGo()
  await expect(image).toHaveAttribute('data-loaded', 'true')
  await page.mouse.up()
  await expect(row(page, 'good.png')).toHaveAttribute('aria-selected', 'true')
  await expect(image).toHaveAttribute('src', /\/api\/preview\/thumb\/good\.png\?inline=true&key=\d+$/)
  await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBeGreaterThan(0)
  await expect(image).toHaveAttribute('alt', '')
  await expect(row(page, 'broken.png').locator('svg[data-mark=image]')).toBeVisible()
  await expect(row(page, 'broken.png').locator('img')).toHaveCount(0)

  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(row(page, 'good.png').getByRole('img', { name: 'good.png' })).toBeVisible()
})

test('the row menus open at the pointer, at the button and by key', async ({ page }) => {
  await row(page, 'letter.txt').click({ button: 'right' })
  await expect(
    page.getByRole('menu', { name: 'Item actions' }).getByRole('menuitem', { name: 'Open', exact: true }),
  ).toBeVisible()
  // At once, so that the next key finds its row.
  const focused = await page.evaluate(() => {
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
    )
    return document.activeElement?.getAttribute('aria-label')
  })
  expect(focused).toBe('letter.txt')
  await expect(row(page, 'letter.txt')).toHaveAttribute('aria-selected', 'true')

  await row(page, 'Photos').hover()
  await row(page, 'Photos').getByRole('button', { name: 'Actions for Photos' }).click()
  await expect(page.getByRole('menu', { name: 'Item actions' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.keyboard.press('Shift+F10')
  await expect(page.getByRole('menu', { name: 'Item actions' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Open', exact: true }).click()
  await expect(page).toHaveURL(/\/files\/Photos\/$/)
})

test('the menu of free space acts on the folder', async ({ page }) => {
  await row(page, 'letter.txt').click()
  const main = await page.getByRole('main').boundingBox()
  await page.mouse.click((main?.x ?? 0) + 300, (main?.y ?? 0) + (main?.height ?? 0) - 30, { button: 'right' })
  const menu = page.getByRole('menu', { name: 'Folder actions' })
  await expect(menu.getByRole('menuitem', { name: 'Paste' })).toBeDisabled()
  // What lies beside a menu is neither hidden nor out of reach.
  await row(page, 'Photos').click({ button: 'right' })
  await expect(page.getByRole('menu', { name: 'Item actions' })).toBeVisible()
  await expect(row(page, 'Photos')).toHaveAttribute('aria-selected', 'true')
  await page.mouse.click((main?.x ?? 0) + 300, (main?.y ?? 0) + (main?.height ?? 0) - 30, { button: 'right' })
  await menu.getByRole('menuitem', { name: 'Select all' }).click()
  await expect(page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('status')).toHaveText('6 selected')
})

test('on a phone the bars go to the bottom and everything else into More', async ({ page }) => {
  await page.setViewportSize(phone)
  await expect(grid(page).getByRole('columnheader')).toHaveCount(3)
  await expect(row(page, 'Photos').getByRole('gridcell')).toHaveText(['Photos', '—', /ago|now/])
  await expect(page.getByRole('button', { name: 'Upload' })).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Search' })).toHaveCount(1)
  await row(page, 'letter.txt').click()
  await expect(page.getByRole('button', { name: 'Search' })).toHaveCount(1)
  const bar = page.getByRole('toolbar', { name: 'Selection actions' })
  await expect(bar.getByRole('status')).toHaveText('1 selected')
  const box = await bar.boundingBox()
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeCloseTo(844, 0)
  expect(await findBarriers(page)).toEqual([])

  await row(page, 'Photos').getByRole('button', { name: 'Actions for Photos' }).click()
  const menu = page.getByRole('menu', { name: 'Item actions' })
  await expect.poll(() => menu.boundingBox()).toMatchObject({ x: 0, width: 390 })
  await expect(menu.getByRole('menuitem', { name: 'Delete' })).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()

  const more = page.getByRole('toolbar', { name: 'File actions' }).getByRole('button', { name: 'More' })
  await more.click()
  await page.getByRole('menu', { name: 'More' }).getByRole('menuitem', { name: 'Select multiple' }).click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Multiple selection enabled' })).toHaveCount(0)

  await bar.getByRole('button', { name: 'Clear selection' }).click()
  await more.click()
  await page.getByRole('menu', { name: 'More' }).getByRole('menuitem', { name: 'Select multiple' }).click()
  // With nothing selected, too, nothing lies on the button that ends the mode.
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await more.click()
  await page.getByRole('menu', { name: 'More' }).getByRole('menuitemradio', { name: 'Mosaic' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic')
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await findBarriers(page)).toEqual([])

  const browse = page.getByRole('navigation', { name: 'Browse' }).getByRole('link', { name: 'Browse' })
  await expect(browse).toHaveAttribute('aria-current', 'page')
  await row(page, 'Photos').dblclick()
  await expect(row(page, '2026')).toBeVisible()
  await expect(browse).not.toHaveAttribute('aria-current')
})

test('on a phone the drawer closes when the page in view is chosen', async ({ page }) => {
  await page.setViewportSize(phone)
  const drawer = page.getByRole('navigation', { name: 'Main' })
  for (const name of ['My files', 'Trash', 'Trash']) {
    await page.getByRole('button', { name: 'Toggle sidebar' }).click()
    await drawer.getByRole('link', { name, exact: true }).click()
    await expect(drawer).not.toBeInViewport()
  }
})

test('on a phone the open drawer is modal, until it is closed or the window is wide', async ({ page }) => {
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: 'Toggle sidebar' }).click()
  const drawer = page.getByRole('navigation', { name: 'Main' })
  const toggle = drawer.getByRole('button', { name: 'Toggle sidebar' })
  await expect(toggle).toBeFocused()
  await row(page, 'letter.txt').evaluate((element: HTMLElement) => element.focus())
  await expect(toggle).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toHaveCount(0)
  await page.keyboard.press('Tab')
  await expect(toggle).toBeFocused()
  await drawer.getByRole('button', { name: 'Help' }).focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.closest('main, header') ?? null)).toBeNull()

  await page.setViewportSize(desk)
  // The page hears of its width a moment later, and until then nothing beside the drawer can be focused.
  await expect(async () => {
    await row(page, 'letter.txt').focus()
    await expect(row(page, 'letter.txt')).toBeFocused({ timeout: 500 })
  }).toPass()
  await page.setViewportSize(phone)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Toggle sidebar' })).toBeFocused()
  await row(page, 'letter.txt').focus()
  await expect(row(page, 'letter.txt')).toBeFocused()
})

test('once an order is saved, the rows are in no other one for a moment', async ({ page, product }) => {
  await product.put({ 'a.txt': 'long', 'b.txt': '', 'c.txt': 'ab' })
  await product.signIn(page)
  await expect.poll(() => names(page)).toEqual(['a.txt', 'b.txt', 'c.txt'])
  await page.evaluate(() => {
    const orders: string[] = []
    const listing = document.querySelector('#listing') as HTMLElement
    new MutationObserver(() => {
      const rows = [...listing.querySelectorAll<HTMLElement>('[role=row][data-index]')]
      rows.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
      const order = rows.map(({ ariaLabel }) => ariaLabel).join(' ')
      if (order !== orders.at(-1)) orders.push(order)
    }).observe(listing, { subtree: true, childList: true, attributes: true })
    Object.assign(window, { orders })
  })
  for (const column of ['size', 'name', 'size']) {
    const listed = page.waitForResponse(/\/api\/resources\/?$/)
    await page.getByRole('button', { name: `Sort by ${column}` }).click()
    await (await listed).finished()
    // The answer is read and drawn a few frames later.
    for (let frame = 0; frame < 5; frame += 1) await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  const [byName, bySize] = ['a.txt b.txt c.txt', 'b.txt c.txt a.txt']
  const orders: string[] = await page.evaluate(() => Reflect.get(window, 'orders'))
  expect(orders.slice(orders.indexOf(bySize))).toEqual([bySize, byName, bySize])
})

test('an order that is saved counts at once in a folder that was seen before', async ({ page, product }) => {
  await product.put({ 'Box/a.txt': 'a', 'Box/b.txt': 'bbb' })
  await product.signIn(page, 'files/Box/')
  await expect.poll(() => names(page)).toEqual(['a.txt', 'b.txt'])
  await page.keyboard.press('Backspace')
  await expect(row(page, 'Box')).toBeVisible()
  const listed = page.waitForResponse(/\/api\/resources\/?$/)
  await page.getByRole('button', { name: 'Sort by name' }).click()
  await (await listed).finished()
  const listing = await hold(page, '**/api/resources/Box')
  await row(page, 'Box').dblclick()
  await listing.held
  await expect.poll(() => names(page)).toEqual(['b.txt', 'a.txt'])
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  await listing.letGo()
})

test('where lines run from right to left, a name that does not stands beside its picture, in every view', async ({
  page,
  product,
}) => {
  const edges = async (part: Locator) => {
    const box = await part.boundingBox()
    return { width: box?.width ?? 0, right: Math.round((box?.x ?? 0) + (box?.width ?? 0)) }
  }
  for (const viewMode of ['list', 'mosaic', 'mosaic gallery']) {
    await prefer(product, { locale: 'he', viewMode })
    await product.signIn(page)
    const entry = page.getByRole('row', { name: 'letter.txt', exact: true })
    const name = entry.locator('bdi').first()
    await expect(name).toHaveText('letter.txt')
    const [written, room] = [await edges(name), await edges(entry.getByTitle('letter.txt', { exact: true }))]
    expect(written.right, viewMode).toBe(room.right)
    expect(written.width, viewMode).toBeLessThan(100)
  }
})
