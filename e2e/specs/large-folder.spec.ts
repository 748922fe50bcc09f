import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { grid, row, typeAhead } from '../listing.ts'
import { manyFiles } from '../many-files.ts'
import { prefer } from '../people.ts'
import { expect, test } from '../product.ts'
import { hold, holdAnswer } from '../slow-line.ts'

const count = 20_000
const nameOf = (index: number) => `item ${String(index).padStart(5, '0')}.txt`

const files = manyFiles(count, 'item %05g.txt')

test.beforeEach(async ({ product }) => {
  await product.put({})
  files.lend(product, 'many')
})
test.afterEach(({ product }) => files.takeBack(product, 'many'))

/** Of a group of tiles: what it is called, and how many there are. */
const headingOf = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true, includeHidden: true }).locator('..')

/** The answer for a large folder stops after its first 100 kB, until `go` lets it end, or ends it with an error. */
async function holdLargeAnswers(page: Page): Promise<(how: 'on' | 'broken') => Promise<void>> {
  await page.addInitScript(() => {
    const ask = window.fetch
    const going = Promise.withResolvers<string>()
    Object.assign(window, { letGo: going.resolve })
    window.fetch = async (...args) => {
      const response = await ask(...args)
      if (!/\/api\/resources\/many\/?$/.test(String(args[0])) || response.body === null) return response
      let size = 0
      const held = response.body.pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          async transform(chunk, controller) {
            // A client that draws the beginning has done so two frames later.
            if (size > 100_000 && !('isHeld' in window))
              requestAnimationFrame(() => requestAnimationFrame(() => Object.assign(window, { isHeld: true })))
            if (size > 100_000 && (await going.promise) === 'broken') throw new TypeError('network error')
            controller.enqueue(chunk)
            size += chunk.length
          },
        }),
      )
      return new Response(held, response)
    }
  })
  return (how) => page.evaluate((how) => (window as unknown as { letGo(how: string): void }).letGo(how), how)
}

/** The answer for a large folder comes in pieces: the first at once, and another one with each call. */
async function sendInPieces(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const ask = window.fetch
    window.fetch = async (...args) => {
      const response = await ask(...args)
      if (!/\/api\/resources\/many\/?$/.test(String(args[0]))) return response
      const whole = new Uint8Array(await response.arrayBuffer())
      let sent = 0
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          const send = () => {
            controller.enqueue(whole.slice(sent, sent + 100_000))
            sent += 100_000
          }
          Object.assign(window, { send })
          send()
        },
      })
      return new Response(body, response)
    }
  })
  return () => page.evaluate(() => (window as unknown as { send(): void }).send())
}

/** Whatever was changed a moment ago has been drawn. */
const drawn = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))))

/** Which entry comes first in the beginnings of folders that are drawn from now on before the whole. */
async function noteBeginnings(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const begun = new Set<string>()
    Object.assign(window, { begun })
    const note = () => {
      const first = document.querySelector('[inert] [role="row"][data-index="0"]')
      if (first !== null) begun.add(first.getAttribute('aria-label') ?? '')
    }
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
  })
  return () => page.evaluate(() => [...(window as unknown as { begun: Set<string> }).begun])
}

for (const viewMode of ['list', 'mosaic'])
  test(`the first rows of a large folder are there to look at before the last have come (${viewMode})`, async ({
    page,
    product,
  }) => {
    await prefer(product, { viewMode })
    const go = await holdLargeAnswers(page)
    await product.signIn(page)
    await row(page, 'many').dblclick()

    const listing = page.locator('#listing')
    await expect(listing.getByText(nameOf(0))).toBeVisible()
    await expect(listing.getByText(nameOf(5))).toBeVisible()
    // A part can neither be chosen nor counted.
    await expect(row(page, nameOf(0))).toHaveCount(0)
    await page.keyboard.press('ControlOrMeta+a')
    await expect(page.getByRole('toolbar', { name: 'Selection actions' })).toHaveCount(0)
    expect(await page.evaluate(() => String(getSelection()))).toBe('')
    if (viewMode === 'mosaic') await expect(headingOf(page, 'Files')).toHaveText('Files')
    const place = await listing.getByText(nameOf(5)).boundingBox()

    await go('on')
    await expect(page.locator('#live-status')).toHaveText('20,000 items')
    await expect(grid(page)).toHaveAttribute('aria-rowcount', String(viewMode === 'list' ? count + 1 : count))
    if (viewMode === 'mosaic') await expect(headingOf(page, 'Files')).toHaveText('Files20,000')
    expect(await listing.getByText(nameOf(5)).boundingBox()).toEqual(place)
    await row(page, nameOf(5)).click()
    await expect(row(page, nameOf(5))).toHaveAttribute('aria-selected', 'true')
  })

test('an order that is still being saved counts in a folder that is opened meanwhile', async ({ page, product }) => {
  // A page that is told of changes reads what it shows once more when it begins to listen.
  await page.route('**/api/events*', (route) => route.abort())
  await product.signIn(page)
  const saved = await hold(page, '**/api/users/*')
  await page.getByRole('button', { name: 'Sort by name' }).click()
  await row(page, 'many').dblclick()
  await expect(row(page, nameOf(count - 1))).toHaveAttribute('aria-rowindex', '2')
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  const listed = page.waitForResponse(/\/api\/resources\/many\/?$/)
  await saved.letGo()
  expect((await listed).headers()['x-sorting']).toBe('{"by":"name","asc":true}')
  await expect(row(page, nameOf(count - 1))).toHaveAttribute('aria-rowindex', '2')
})

test('no first rows are shown in an order that is no longer wanted', async ({ page, product }) => {
  const go = await holdLargeAnswers(page)
  await product.signIn(page)
  const saved = await hold(page, '**/api/users/*')
  await page.getByRole('button', { name: 'Sort by name' }).click()
  const begun = await noteBeginnings(page)
  await row(page, 'many').dblclick()
  await page.waitForFunction(() => 'isHeld' in window)
  await saved.letGo()
  await go('on')
  await expect(row(page, nameOf(count - 1))).toHaveAttribute('aria-rowindex', '2')
  // Of the second answer, which is in the new order, they may be.
  expect(await begun()).not.toContain(nameOf(0))
})

test('the first rows are there early where the names run from Z to A, too', async ({ page, product }) => {
  await prefer(product, { sorting: { by: 'name', asc: true } })
  const go = await holdLargeAnswers(page)
  await product.signIn(page)
  await row(page, 'many').dblclick()
  await expect(page.locator('#listing').getByText(nameOf(count - 1))).toBeVisible()
  await go('on')
  await expect(row(page, nameOf(count - 1))).toHaveAttribute('aria-rowindex', '2')
})

test('no first rows are shown where others may come before them', async ({ page, product }) => {
  // Empty files come by size as they come by name, and folders behind them: the page shows those first.
  const folder = join(product.root, 'many', 'at the end')
  mkdirSync(folder)
  try {
    await prefer(product, { sorting: { by: 'size', asc: false } })
    const go = await holdLargeAnswers(page)
    await product.signIn(page)
    const begun = await noteBeginnings(page)
    await row(page, 'many').dblclick()
    await page.waitForFunction(() => 'isHeld' in window)
    await go('on')
    await expect(row(page, 'at the end')).toHaveAttribute('aria-rowindex', '2')
    expect(await begun()).toEqual([])
  } finally {
    rmdirSync(folder)
  }
})

test('a large folder on a slow line counts as unanswered only when nothing more of it comes', async ({
  page,
  product,
}) => {
  await page.clock.install()
  const send = await sendInPieces(page)
  await product.signIn(page)
  await row(page, 'many').dblclick()
  await expect(page.locator('#listing').getByText(nameOf(5))).toBeVisible()
  const note = page.getByRole('paragraph').filter({ hasText: 'The server has not answered yet.' })
  for (let piece = 0; piece < 3; piece += 1) {
    await page.clock.fastForward(4000)
    await send()
    await drawn(page)
    await expect(note).toHaveCount(0)
  }
  await page.clock.fastForward(6000)
  await expect(note).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).focus()
  await send()
  await expect(note).toHaveCount(0)
  await expect(page.locator('#content')).toBeFocused()
})

test('a large folder whose answer breaks off is not shown as if it were whole', async ({ page, product }) => {
  const go = await holdLargeAnswers(page)
  await product.signIn(page)
  await row(page, 'many').dblclick()
  await expect(page.locator('#listing').getByText(nameOf(0))).toBeVisible()
  await go('broken')
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await expect(page.getByText(nameOf(0))).toHaveCount(0)
})

test('a large folder that went while it was on its way is not shown for long', async ({ page, product }) => {
  const [there, elsewhere] = ['many', 'moved'].map((name) => join(product.root, name)) as [string, string]
  await page.clock.install()
  await product.signIn(page)
  const listing = await holdAnswer(page, '**/api/resources/many')
  await row(page, 'many').dblclick()
  await listing.held
  renameSync(there, elsewhere)
  try {
    await listing.letGo()
    await expect(page.locator('#live-status')).toHaveText('20,000 items')
    await expect(async () => {
      await page.clock.fastForward(10_000)
      await expect(page.getByRole('alert')).toContainText('be reached', { timeout: 1000 })
    }).toPass()
  } finally {
    renameSync(elsewhere, there)
  }
})

test('a folder of 20,000 files is drawn in part, and every file can be focused and selected', async ({
  page,
  product,
}) => {
  await product.signIn(page)
  await row(page, 'many').dblclick()

  await expect(row(page, nameOf(0))).toBeVisible()
  await expect(page.locator('#live-status')).toHaveText('20,000 items')
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(count + 1))
  const drawn = () => page.getByRole('row').count()
  expect(await drawn()).toBeLessThan(400)

  await row(page, nameOf(0)).focus()
  await page.keyboard.press('End')
  await expect(row(page, nameOf(count - 1))).toBeFocused()
  await expect(row(page, nameOf(count - 1))).toBeInViewport()
  await expect(row(page, nameOf(count - 1))).toHaveAttribute('aria-rowindex', String(count + 1))
  expect(await drawn()).toBeLessThan(400)

  await typeAhead(page, 'item 12345', nameOf(12_345))
  await expect(row(page, nameOf(12_345))).toBeInViewport()
  await page.keyboard.press('Shift+Home')
  const chosen = page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('status')
  await expect(chosen).toHaveText('12,346 selected')
  await page.keyboard.press('ControlOrMeta+a')
  await expect(chosen).toHaveText('20,000 selected')

  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic')
  expect(await drawn()).toBeLessThan(400)
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'mosaic gallery')
  expect(await drawn()).toBeLessThan(400)
  await page.getByRole('button', { name: 'Switch view' }).click()
  await expect(grid(page)).toHaveAttribute('data-view-mode', 'list')
})
