import type { Locator, Page } from '@playwright/test'
import { findBarriers } from '../barriers.ts'
import { fingersOn } from '../fingers.ts'
import { row, selected } from '../listing.ts'
import { callApi, prefer } from '../people.ts'
import { expect, test } from '../product.ts'
import { picture } from '../samples/picture.ts'
import { phone, resize, seeAboveKeyboard } from '../sizes.ts'
import { titleIn } from '../viewer.ts'

test.use({ hasTouch: true, isMobile: true, viewport: phone })

const tablet = { width: 820, height: 1180 }

test.beforeEach(async ({ product }) => {
  await product.put({
    'Box/Inner/Deep/': '',
    'Box/Inner/letter.txt': 'letter',
    'a.txt': 'a',
    'b.txt': 'b',
    'c.txt': 'c',
  })
})

const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selection actions' })
const question = (page: Page) => page.getByRole('region', { name: 'Open with one tap?' })
/** Would a finger in its middle meet it? */
const isOnTop = (part: Locator) =>
  part.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
  })
const crumbs = (page: Page) => page.getByRole('navigation', { name: 'Breadcrumbs' })

test('the first tap asks whether one tap shall open, and the answer is remembered on this device', async ({
  page,
  product,
}) => {
  await product.signIn(page)
  await row(page, 'Box').tap()
  await expect(row(page, 'Box')).toHaveAttribute('aria-selected', 'true')
  await expect(question(page)).toBeInViewport({ ratio: 1 })
  await bar(page).getByRole('button', { name: 'Delete' }).click({ trial: true })
  expect(await findBarriers(page)).toEqual([])
  // The folder that was tapped opens, too.
  await question(page).getByRole('button', { name: 'Yes' }).tap()
  await row(page, 'Inner').tap()
  await expect(row(page, 'letter.txt')).toBeVisible()
  await expect(question(page)).toHaveCount(0)

  await page.reload()
  await row(page, 'Deep').tap()
  await expect(page.getByRole('heading', { level: 2, name: 'It feels lonely here...' })).toBeVisible()
  // A finger drops nothing.
  await expect(page.getByText('This folder is empty.', { exact: true })).toBeVisible()
  expect(
    (await (await fetch(new URL('api/users/1', product.url), { headers: { 'X-Auth': await product.token() } })).json())
      .singleClick,
  ).toBe(false)

  // It can be taken back.
  await page.goto(product.url)
  await page.getByRole('button', { name: 'More' }).tap()
  await expect(page.getByRole('menuitemradio', { name: 'Open with one tap' })).toBeChecked()
  await page.getByRole('menuitemradio', { name: 'Open with a double tap' }).tap()
  await row(page, 'Box').tap()
  await expect(row(page, 'Box')).toHaveAttribute('aria-selected', 'true')
  await expect(question(page)).toHaveCount(0)
})

test('with the double tap kept, a tap selects, two open, and the question does not come back', async ({
  page,
  product,
}) => {
  await product.signIn(page)
  await row(page, 'a.txt').tap()
  await question(page).getByRole('button', { name: 'Keep double tap' }).tap()
  await expect(question(page)).toHaveCount(0)
  await page.reload()
  await row(page, 'b.txt').tap()
  await expect.poll(() => selected(page)).toEqual(['b.txt'])
  await expect(question(page)).toHaveCount(0)
  await row(page, 'Box').dblclick()
  await expect(row(page, 'Inner')).toBeVisible()
})

for (const size of [phone, tablet])
  test(`at ${size.width} px a long press begins a selection, to which taps add`, async ({ page, product }) => {
    await page.setViewportSize(size)
    await page.addInitScript(() => localStorage.setItem('filestead.one-tap', 'yes'))
    await product.signIn(page)
    const fingers = await fingersOn(page)
    await fingers.hold(row(page, 'a.txt'))
    await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
    await fingers.release()
    await row(page, 'c.txt').tap()
    await row(page, 'Box').tap()
    await expect.poll(() => selected(page)).toEqual(['Box', 'a.txt', 'c.txt'])
    await row(page, 'c.txt').tap()
    await expect.poll(() => selected(page)).toEqual(['Box', 'a.txt'])
    // A tap beside the rows loses nothing, and another long press adds as well.
    await page.touchscreen.tap(size.width - 100, 480)
    await fingers.hold(row(page, 'b.txt'))
    await expect(row(page, 'b.txt')).toHaveAttribute('aria-selected', 'true')
    await fingers.release()
    await expect(bar(page).getByRole('status')).toHaveText('3 selected')
    await expect(page.getByRole('menu')).toHaveCount(0)
    await page.keyboard.press('ControlOrMeta+a')
    await row(page, 'c.txt').tap()
    await expect.poll(() => selected(page)).toEqual(['Box', 'a.txt', 'b.txt'])
    await bar(page).getByRole('button', { name: 'Clear selection' }).tap()
    await expect(bar(page)).toHaveCount(0)
    await row(page, 'Box').tap()
    await expect(row(page, 'Inner')).toBeVisible()
  })

test('the end of a list that just fits the screen is not lost below the selection bar', async ({ page, product }) => {
  await product.put(Object.fromEntries([...'abcdefghijk'].map((letter) => [`${letter}.txt`, letter])))
  await page.addInitScript(() => localStorage.setItem('filestead.one-tap', 'yes'))
  await product.signIn(page)
  const fingers = await fingersOn(page)
  await fingers.hold(row(page, 'a.txt'))
  await expect(bar(page)).toBeVisible()
  await fingers.release()
  await fingers.draw([
    { x: 200, y: 600 },
    { x: 200, y: 200 },
  ])
  const gap = async () =>
    ((await bar(page).boundingBox())?.y ?? 0) -
    ((await row(page, 'k.txt').boundingBox())?.y ?? 0) -
    ((await row(page, 'k.txt').boundingBox())?.height ?? 0)
  await expect.poll(gap).toBeGreaterThanOrEqual(0)
})

test('on a phone the way up has the name of the folder above, and the title leads to all of them', async ({
  page,
  product,
}) => {
  await product.signIn(page, 'files/Box/Inner/Deep/')
  await crumbs(page).getByRole('link', { name: 'Inner' }).tap()
  await expect(row(page, 'letter.txt')).toBeVisible()
  // The folder that was left is in view, and the bar of the selection does not lie over the list.
  await expect(row(page, 'Deep')).toHaveAttribute('aria-selected', 'false')
  await expect(bar(page)).toHaveCount(0)
  const title = crumbs(page).getByRole('link', { name: 'Inner' })
  await expect(title).toHaveAttribute('aria-current', 'page')
  const box = await title.boundingBox()
  await page.touchscreen.tap((box?.x ?? 0) + 10, (box?.y ?? 0) + 10)
  await expect(page.getByRole('menuitem')).toHaveText(['Home', 'Box'])
  await page.getByRole('menuitem', { name: 'Home' }).tap()
  await expect(row(page, 'a.txt')).toBeVisible()
  await expect(crumbs(page).getByRole('link')).toHaveText(['Home'])
})

test('the sheet of a row has its name on top, what is seldom needed behind More, and leaves nothing selected', async ({
  page,
  product,
}) => {
  const long = `a rather ${'long '.repeat(20)}name.txt`
  await product.put({ 'a.txt': 'a', [long]: 'b' })
  await product.signIn(page)
  const sheet = page.getByRole('menu', { name: 'Item actions' })
  await row(page, long)
    .getByRole('button', { name: `Actions for ${long}` })
    .tap()
  await expect.poll(() => sheet.boundingBox()).toMatchObject({ x: 0, width: 390 })
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  const unfold = async () => {
    await row(page, 'a.txt').getByRole('button', { name: 'Actions for a.txt' }).tap()
    await expect(sheet.getByText('a.txt')).toBeVisible()
  }
  await unfold()
  await expect(sheet.getByRole('menuitem', { name: 'Cut' })).toHaveCount(0)
  await expect(sheet.getByText('F2')).toBeHidden()
  expect(await findBarriers(page, '[role=menu]')).toEqual([])
  await sheet.getByRole('menuitem', { name: 'More' }).tap()
  await expect(sheet.getByRole('menuitem', { name: 'Cut' })).toBeVisible()
  await expect(sheet).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(bar(page)).toHaveCount(0)

  await unfold()
  await expect(sheet.getByRole('menuitem', { name: 'Cut' })).toHaveCount(0)
  const top = (await sheet.boundingBox())?.y ?? 0
  const fingers = await fingersOn(page)
  await fingers.draw([
    { x: 195, y: top + 30 },
    { x: 195, y: top + 130 },
  ])
  await expect(sheet).toHaveCount(0)
  await expect(bar(page)).toHaveCount(0)

  await unfold()
  await sheet.getByRole('menuitem', { name: 'Rename' }).tap()
  await page.getByRole('dialog', { name: 'Rename' }).getByRole('textbox', { name: 'New name' }).fill('d.txt')
  await page.getByRole('dialog', { name: 'Rename' }).getByRole('button', { name: 'Rename' }).tap()
  await expect(row(page, 'd.txt')).toBeVisible()
  await expect(bar(page)).toHaveCount(0)
})

test('one round button uploads and creates, and covers nothing at the end of the list', async ({ page, product }) => {
  await product.put(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index + 10}.txt`, 'x'])))
  await product.signIn(page)
  const create = page.getByRole('button', { name: 'New', exact: true })
  await create.tap()
  await expect(page.getByRole('menuitem')).toHaveText(['Upload', 'New folder', 'New file'])
  await page.keyboard.press('Escape')
  await page.locator('#listing').evaluate((grid) => grid.parentElement?.scrollTo(0, 1e6))
  await row(page, '39.txt').getByRole('button', { name: 'Actions for 39.txt' }).click({ trial: true })
})

test('beside the note about a slow server the round button covers no button', async ({ page, product }) => {
  await page.clock.install()
  await product.signIn(page)
  await page.route('**/api/resources/Box', () => {})
  await row(page, 'Box').dblclick()
  await expect(page).toHaveURL(/Box/)
  await page.clock.fastForward(6000)
  const [again, create] = await Promise.all(
    ['Try again', 'New'].map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
  )
  expect((again?.x ?? 0) + (again?.width ?? 0)).toBeLessThanOrEqual(create?.x ?? 0)
})

test('a phone that is held sideways keeps the layout of a phone', async ({ page, product }) => {
  await page.setViewportSize({ width: 844, height: 390 })
  await product.signIn(page, 'files/Box/Inner/')
  await expect(page.getByRole('navigation', { name: 'Browse' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await crumbs(page).getByRole('link', { name: 'Box' }).tap()
  await crumbs(page).getByRole('link', { name: 'Home' }).tap()
  for (const name of ['Box', 'a.txt', 'b.txt', 'c.txt']) await expect(row(page, name)).toBeInViewport({ ratio: 1 })
  await row(page, 'Box').tap()
  expect((await bar(page).boundingBox())?.height ?? 0).toBeLessThan(70)
  for (const name of ['Download', 'Share', 'Rename', 'Copy file', 'Move file', 'Delete', 'Clear selection'])
    await bar(page).getByRole('button', { name }).click({ trial: true })
  await page.getByRole('button', { name: 'Toggle sidebar' }).tap()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
})

test('a phone with two programs on its screen has room for all that can be done with a selection', async ({
  page,
  product,
}) => {
  await page.setViewportSize({ width: phone.width, height: 420 })
  await product.signIn(page)
  await row(page, 'a.txt').tap()
  await expect(bar(page).getByRole('status')).toHaveText('1 selected')
  const spilled = () =>
    bar(page).evaluate((bar) => {
      const parts = [...bar.querySelectorAll<HTMLElement>('button, [role=status]')].filter(
        (part) => part.offsetWidth > 0,
      )
      const isCut = (part: HTMLElement) =>
        part.scrollWidth > part.clientWidth || part.getBoundingClientRect().right > innerWidth
      return parts.filter(isCut).map((part) => part.textContent || part.ariaLabel)
    })
  await expect.poll(spilled).toEqual([])
})

test('a dialog stands above the keyboard of a phone, however high it is', async ({ page, product }) => {
  await product.signIn(page)
  await row(page, 'a.txt').tap()
  const dialog = page.getByRole('dialog')
  const edges = async () => {
    const box = await dialog.boundingBox()
    return box && { isBelowTop: box.y >= 0, bottom: Math.round(box.y + box.height) }
  }
  for (const name of ['Rename', 'Share']) {
    await bar(page).getByRole('button', { name }).tap()
    await expect(dialog).toBeVisible()
    await seeAboveKeyboard(page, 400)
    await expect.poll(edges).toEqual({ isBelowTop: true, bottom: 400 })
    await seeAboveKeyboard(page, phone.height)
    await expect.poll(edges).toEqual({ isBelowTop: true, bottom: phone.height })
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
})

test('what is written in a dialog stays in sight when the keyboard of a phone comes', async ({ page, product }) => {
  await product.signIn(page)
  await row(page, 'a.txt').tap()
  await bar(page).getByRole('button', { name: 'Share' }).tap()
  const label = page.getByRole('dialog').getByRole('textbox', { name: 'Label' })
  await label.tap()
  await seeAboveKeyboard(page, 360)
  await expect(label).toBeInViewport({ ratio: 1 })
})

test('an empty folder shows what fills it also where a phone is held sideways', async ({ page, product }) => {
  await product.put({})
  await page.setViewportSize({ width: 844, height: 390 })
  await product.signIn(page)
  for (const offer of ['Upload', 'New folder'])
    await expect(page.getByRole('main').locator('button', { hasText: offer })).toBeInViewport({ ratio: 1 })
})

test('the last line of the search stands above the keyboard of a phone', async ({ page, product }) => {
  await product.put(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`note ${index + 10}.txt`, 'x'])))
  await product.signIn(page)
  await page.getByRole('button', { name: 'Search' }).tap()
  await page.getByRole('searchbox', { name: 'Search' }).fill('note')
  const found = page.getByRole('dialog').getByRole('link', { name: 'note', exact: false })
  await expect(found).toHaveCount(40)
  await seeAboveKeyboard(page, 400)
  await found.last().scrollIntoViewIfNeeded()
  await expect.poll(async () => (await found.last().boundingBox())?.y).toBeLessThan(360)

  await page.setViewportSize({ width: 844, height: 390 })
  await seeAboveKeyboard(page, 190)
  await found.first().scrollIntoViewIfNeeded()
  for (const index of [0, 1]) await expect(found.nth(index)).toBeInViewport({ ratio: 1 })
})

test('the line that is written in the editor stays above the keyboard of a phone', async ({ page, product }) => {
  await product.put({ 'long.txt': Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n') })
  await product.signIn(page, 'files/long.txt')
  const bottomOf = async (part: Locator) => {
    const box = await part.boundingBox()
    return box === null ? Number.NaN : box.y + box.height
  }
  const line = page.locator('.cm-activeLine')
  await page.locator('.cm-line', { hasText: /^line 25$/ }).tap()
  await expect(line).toHaveText('line 25')
  await seeAboveKeyboard(page, 400)
  await expect.poll(() => bottomOf(line)).toBeLessThan(400)
  await expect.poll(() => bottomOf(page.getByRole('button', { name: 'Wrap lines' }))).toBeLessThanOrEqual(400)
  for (let count = 0; count < 10; count++) await page.keyboard.press('Enter')
  await expect.poll(() => bottomOf(line)).toBeLessThan(400)
  // What is read meanwhile stays where it is when the keyboard leaves.
  await page.locator('.cm-scroller').evaluate((element) => element.scrollTo(0, 2000))
  await seeAboveKeyboard(page, phone.height)
  await expect.poll(() => bottomOf(page.locator('#editor-container'))).toBe(phone.height)
  await expect.poll(() => page.locator('.cm-scroller').evaluate((element) => element.scrollTop)).toBeGreaterThan(1500)
})

test('in a gallery on a phone, what shows no picture has its name, and folders keep theirs beside a mark', async ({
  page,
  product,
}) => {
  await product.put({
    'Contracts/a.txt': 'a',
    'broken.jpg': 'no picture',
    'letter.txt': 'b',
    'sea.png': picture(60, 40),
  })
  await callApi(product, 'POST', 'share/Contracts/', {})
  await prefer(product, { viewMode: 'mosaic gallery' })
  await product.signIn(page)
  await expect(row(page, 'Contracts').getByRole('img', { name: 'Shared' })).toBeVisible()
  await expect(row(page, 'letter.txt').getByText('letter', { exact: true })).toBeInViewport({ ratio: 1 })
  await expect(row(page, 'broken.jpg').getByText('broken', { exact: true })).toBeInViewport({ ratio: 1 })
  await expect(row(page, 'sea.png').getByText('sea', { exact: true })).toBeHidden()
  const name = row(page, 'Contracts').getByText('Contract', { exact: false }).first()
  expect(await name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
})

test('however small its tile, a long name keeps its first letters', async ({ page, product }) => {
  await product.put({ 'Photographs of the harbour in winter/a.txt': 'a' })
  await callApi(product, 'POST', 'share/Photographs%20of%20the%20harbour%20in%20winter/', {})
  await prefer(product, { viewMode: 'mosaic gallery' })
  await page.setViewportSize({ width: 844, height: 390 })
  await product.signIn(page)
  await page.keyboard.press('Control+A')
  await expect.poll(() => selected(page)).toHaveLength(1)
  const beginning = row(page, 'Photographs of the harbour in winter').getByText('Photographs of the')
  expect((await beginning.boundingBox())?.width).toBeGreaterThan(24)

  // And its last ones, which tell it from others.
  await prefer(product, { viewMode: 'mosaic gallery' })
  await page.setViewportSize(phone)
  await page.reload()
  const name = row(page, 'Photographs of the harbour in winter').getByTitle('Photographs of the')
  await expect(name).toBeVisible()
  const hidden = await name.evaluate((name) => {
    const letters = document.createRange()
    letters.selectNodeContents(name.querySelector('bdi > :last-child') as Element)
    return letters.getBoundingClientRect().right - name.getBoundingClientRect().right
  })
  expect(hidden).toBeLessThanOrEqual(0.5)

  // Where there is room for it, the end is whole.
  await prefer(product, { viewMode: 'mosaic' })
  await page.reload()
  const end = row(page, 'Photographs of the harbour in winter').getByText('winter')
  await expect(end).toBeVisible()
  expect(await end.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
})

test('the mark of what is shared lies over no button of its row, in no view', async ({ page, product }) => {
  await product.put({ 'Box/a.txt': 'a', 'letter.txt': 'b', 'sea.png': picture(60, 40) })
  for (const path of ['Box/', 'letter.txt', 'sea.png']) await callApi(product, 'POST', `share/${path}`, {})
  /** Whatever in a row is seen and lies over the mark. */
  const over = () =>
    page.getByRole('img', { name: 'Shared' }).evaluateAll((marks) =>
      marks.flatMap((mark) => {
        const { left, right, top, bottom } = mark.getBoundingClientRect()
        const others = mark.closest('[role=row]')?.querySelectorAll<HTMLElement>('button, input') ?? []
        const isOver = (other: HTMLElement) => {
          const box = other.getBoundingClientRect()
          const isSeen = getComputedStyle(other).opacity !== '0'
          return isSeen && box.left < right && box.right > left && box.top < bottom && box.bottom > top
        }
        return [...others]
          .filter(isOver)
          .map((other) => `${other.ariaLabel} in ${other.closest('[role=row]')?.ariaLabel}`)
      }),
    )
  for (const viewMode of ['list', 'mosaic', 'mosaic gallery']) {
    await prefer(product, { viewMode })
    await product.signIn(page)
    await expect(page.getByRole('img', { name: 'Shared' })).toHaveCount(3)
    for (const size of [phone, tablet]) {
      await resize(page, size)
      expect(await over(), `${viewMode} ${size.width}`).toEqual([])
    }
    await page.keyboard.press('Control+A')
    await expect.poll(() => selected(page)).toHaveLength(3)
    expect(await over()).toEqual([])
  }
})

test('a tap beside the open drawer closes it, and does not meet what lies below', async ({ page, product }) => {
  await product.signIn(page)
  const actions = await row(page, 'a.txt').getByRole('button', { name: 'Actions for a.txt' }).boundingBox()
  await page.getByRole('button', { name: 'Toggle sidebar' }).tap()
  const drawer = page.getByRole('navigation', { name: 'Main' })
  await expect(drawer).toBeInViewport()
  await page.touchscreen.tap((actions?.x ?? 0) + 20, (actions?.y ?? 0) + 20)
  await expect(drawer).not.toBeInViewport()
  await expect(page.getByRole('button', { name: 'Toggle sidebar' })).toBeFocused()
  await expect(page.getByRole('menu')).toHaveCount(0)
})

test('a note covers neither the round button, nor a sheet, nor a dialog', async ({ page, product }) => {
  await product.signIn(page)
  // A failure, which stays until it is closed.
  await page.route('**/api/jobs', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 403, body: '403 Forbidden' }) : route.fallback(),
  )
  await row(page, 'a.txt').getByRole('button', { name: 'Actions for a.txt' }).tap()
  await page.getByRole('menuitem', { name: 'Delete' }).tap()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).tap()
  const note = page.getByRole('region', { name: 'Notifications' }).getByRole('alert')
  await expect(note).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await isOnTop(page.getByRole('button', { name: 'New', exact: true }))).toBe(true)

  await row(page, 'b.txt').getByRole('button', { name: 'Actions for b.txt' }).tap()
  const sheet = page.getByRole('menu', { name: 'Item actions' })
  await expect(sheet).toBeVisible()
  for (const line of await sheet.getByRole('menuitem').all()) expect(await isOnTop(line)).toBe(true)
  await sheet.getByRole('menuitem', { name: 'Rename' }).tap()
  const dialog = page.getByRole('dialog', { name: 'Rename' })
  await expect(dialog.getByRole('textbox')).toBeFocused()
  const cancel = dialog.getByRole('button', { name: 'Cancel' })
  for (const part of [dialog.getByRole('heading'), dialog.getByRole('textbox'), cancel])
    expect(await isOnTop(part)).toBe(true)
  await note.getByRole('button', { name: 'Close notification' }).tap()
  await expect(dialog).toBeVisible()
})

test('on a tablet tiles stand in two columns, and a tap beside a name does not meet a box that is not seen', async ({
  page,
  product,
}) => {
  await page.setViewportSize(tablet)
  await prefer(product, { viewMode: 'mosaic' })
  await product.signIn(page)
  const [first, second] = [await row(page, 'a.txt').boundingBox(), await row(page, 'b.txt').boundingBox()]
  expect(second?.y).toBe(first?.y)
  await row(page, 'a.txt').getByRole('button', { name: 'Actions for a.txt' }).tap()
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible()
  await expect(page.getByText('F2', { exact: true })).toBeHidden()
  await page.keyboard.press('Escape')
  await prefer(product, { viewMode: 'mosaic gallery', singleClick: true })
  await page.reload()
  const photo = await row(page, 'a.txt').boundingBox()
  await page.touchscreen.tap((photo?.x ?? 0) + 20, (photo?.y ?? 0) + 20)
  await expect(page.getByRole('region', { name: 'Editor' })).toBeVisible()
})

test('two fingers zoom a picture, one moves it while it is larger, and steps when it fits', async ({
  page,
  product,
}) => {
  await product.put({ 'a.png': picture(600, 800), 'b.png': picture(600, 800), 'c.txt': 'c' })
  await product.signIn(page, 'files/a.png')
  const image = page.getByRole('img', { name: 'a.png' })
  await expect(image).toHaveAttribute('data-shown', 'true')
  const zoom = async () => Number(await image.getAttribute('data-zoom'))
  const placed = () => image.evaluate((element) => element.getBoundingClientRect().x)
  const fingers = await fingersOn(page)

  await fingers.draw(
    [
      { x: 180, y: 400 },
      { x: 90, y: 400 },
    ],
    [
      { x: 210, y: 400 },
      { x: 300, y: 400 },
    ],
  )
  await expect.poll(zoom).toBeGreaterThan(2)
  const before = await placed()
  await fingers.draw([
    { x: 300, y: 400 },
    { x: 200, y: 400 },
  ])
  await expect.poll(placed).toBeLessThan(before - 50)
  await expect(titleIn(page)).toHaveText('a.png')

  await fingers.draw(
    [
      { x: 40, y: 400 },
      { x: 190, y: 400 },
    ],
    [
      { x: 350, y: 400 },
      { x: 200, y: 400 },
    ],
  )
  await expect.poll(zoom).toBeLessThan(1.01)
  await fingers.draw([
    { x: 300, y: 400 },
    { x: 100, y: 410 },
  ])
  await expect(titleIn(page)).toHaveText('b.png')
  await expect(page.getByRole('img', { name: 'b.png' })).toHaveAttribute('data-shown', 'true')
  await fingers.draw([
    { x: 100, y: 400 },
    { x: 300, y: 390 },
  ])
  await expect(titleIn(page)).toHaveText('a.png')
})
