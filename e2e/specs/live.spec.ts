import { execFile } from 'node:child_process'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContext, Page, Request } from '@playwright/test'
import { endGrants, grant } from '../grants.ts'
import { grid, names, row, selected } from '../listing.ts'
import { callApi, prefer } from '../people.ts'
import { expect, launch, type Product, test } from '../product.ts'

const isStream = (request: Request): boolean => new URL(request.url()).pathname.endsWith('/api/events')

/** The pages of a browser that have a connection over which the server tells what changes, and how many there were. */
function connectionsOf(context: BrowserContext) {
  const open = new Map<Request, Page>()
  let count = 0
  context.on('request', (request) => {
    if (!isStream(request)) return
    open.set(request, request.frame().page())
    count += 1
  })
  context.on('requestfinished', (request) => open.delete(request))
  context.on('requestfailed', (request) => open.delete(request))
  return { pages: () => [...open.values()].filter((page) => !page.isClosed()), count: () => count }
}

/** Resolves once the server tells this browser about the folder that is opened meanwhile. */
async function followed(context: BrowserContext, folder: string, open: () => Promise<unknown>): Promise<void> {
  const answered = context.waitForEvent('response', (response) => {
    const asked = new URL(response.url()).searchParams.getAll('folder')
    return isStream(response.request()) && asked.includes(folder) && response.ok()
  })
  await open()
  await answered
}

/** The listings that this page asks for from now on. */
function listingsOf(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && pathname.startsWith('/api/resources')) asked.push(pathname)
  })
  return asked
}

async function openFolder(context: BrowserContext, product: Product, folder: string): Promise<Page> {
  const page = await context.newPage()
  await followed(context, folder, () => product.signIn(page, `files${folder}/`))
  return page
}

test('two browsers with the same folder open see each other’s changes, without listing it again', async ({
  product,
  browser,
}) => {
  await product.put({ 'box/a.txt': 'a', 'box/b.txt': 'b' })
  const contexts = [await browser.newContext(), await browser.newContext()] as const
  const one = await openFolder(contexts[0], product, '/box')
  const other = await openFolder(contexts[1], product, '/box')
  const listings = listingsOf(other)

  await row(other, 'b.txt').click()
  await one.getByRole('button', { name: 'New folder' }).first().click()
  await one.getByRole('textbox').fill('made')
  await one.keyboard.press('Enter')
  await expect(row(other, 'made')).toBeVisible()

  await row(one, 'a.txt').click()
  await one.keyboard.press('F2')
  await one.getByRole('textbox', { name: 'New name' }).fill('c.txt')
  await one.keyboard.press('Enter')
  await expect(row(other, 'c.txt')).toBeVisible()
  await expect(row(other, 'a.txt')).toHaveCount(0)
  expect(await names(other)).toEqual(['made', 'b.txt', 'c.txt'])

  await callApi(product, 'DELETE', 'resources/box/made')
  await expect(row(other, 'made')).toHaveCount(0)
  await expect(row(one, 'made')).toHaveCount(0)
  // Neither the selection nor the keyboard went elsewhere.
  expect(await selected(other)).toEqual(['b.txt'])
  await other.keyboard.press('ArrowDown')
  expect(await selected(other)).toEqual(['c.txt'])
  expect(listings).toEqual([])
  for (const context of contexts) await context.close()
})

test('what another program changes on the disk shows in the folder in view and in the tree', async ({
  product,
  context,
}) => {
  await product.put({ 'box/a.txt': 'a' })
  const page = await openFolder(context, product, '/box')
  const at = (name: string) => join(product.root, 'box', name)
  await writeFile(at('new.txt'), 'new')
  await expect(row(page, 'new.txt')).toBeVisible()
  await rename(at('a.txt'), at('z.txt'))
  await expect(row(page, 'z.txt')).toBeVisible()
  await expect(row(page, 'a.txt')).toHaveCount(0)
  await rm(at('new.txt'))
  await expect(row(page, 'new.txt')).toHaveCount(0)
  await mkdir(join(product.root, 'beside'))
  await expect(page.getByRole('treeitem', { name: 'beside' })).toBeVisible()
})

test('a name that is being typed stays while the folder changes', async ({ product, context }) => {
  await product.put({ 'box/b.txt': 'b' })
  const page = await openFolder(context, product, '/box')
  await row(page, 'b.txt').click()
  await page.keyboard.press('F2')
  const field = page.getByRole('textbox', { name: 'New name' })
  await field.fill('half a na')
  await callApi(product, 'POST', 'resources/box/a.txt')
  await expect(page.getByText('2 items')).toHaveCount(1)
  await expect(field).toBeFocused()
  await page.keyboard.type('me.txt')
  await page.keyboard.press('Enter')
  await expect(row(page, 'half a name.txt')).toBeVisible()
})

test('a folder in view that is removed elsewhere says so, and leads up', async ({ product, context }) => {
  await product.put({ 'box/inner/a.txt': 'a' })
  const page = await openFolder(context, product, '/box/inner')
  await callApi(product, 'DELETE', 'resources/box/inner')
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/can.t be reached|not found|exist/i)
  await page.getByRole('button', { name: 'Go up' }).click()
  await expect(page).toHaveURL(/\/files\/box\/$/)
})

test('a text that is not saved stays when its file is removed elsewhere', async ({ product, context }) => {
  await product.put({ 'box/a.txt': 'a', 'box/b.txt': 'b' })
  const page = await openFolder(context, product, '/box')
  await row(page, 'a.txt').dblclick()
  const text = page.locator('.cm-content')
  await text.click()
  await page.keyboard.type('my words ')
  await callApi(product, 'DELETE', 'resources/box/a.txt')
  await callApi(product, 'POST', 'resources/more/')
  await expect(page.getByRole('treeitem', { name: 'more' })).toBeVisible()
  await expect(text).toContainText('my words')
})

test('ten tabs have one connection; when the tab that has it is closed another one goes on', async ({
  product,
  browser,
}) => {
  await product.put({ 'box/a.txt': 'a', 'other/a.txt': 'a' })
  const context = await browser.newContext()
  const connections = connectionsOf(context)
  const first = await openFolder(context, product, '/box')
  const tabs = [first]
  for (let count = 1; count < 10; count += 1) {
    const tab = await context.newPage()
    await product.signIn(tab, count === 9 ? 'files/other/' : 'files/box/')
    tabs.push(tab)
  }
  await callApi(product, 'POST', 'resources/box/told.txt')
  for (const tab of tabs.slice(0, 9)) await expect(row(tab, 'told.txt')).toBeVisible()
  await callApi(product, 'POST', 'resources/other/told.txt')
  await expect(row(tabs[9] as Page, 'told.txt')).toBeVisible()
  await expect.poll(() => connections.pages().length).toBe(1)

  const [leading] = connections.pages()
  await leading?.close()
  const rest = tabs.filter((tab) => tab !== leading)
  await callApi(product, 'POST', 'resources/box/later.txt')
  await callApi(product, 'POST', 'resources/other/later.txt')
  for (const tab of rest) await expect(row(tab, 'later.txt')).toBeVisible()
  await expect.poll(() => connections.pages().length).toBe(1)
  await context.close()
})

test('signing out ends the connection of all tabs', async ({ product, browser }) => {
  await product.put({ 'box/a.txt': 'a' })
  const context = await browser.newContext()
  const connections = connectionsOf(context)
  const page = await openFolder(context, product, '/box')
  const other = await context.newPage()
  await product.signIn(other, 'files/box/')
  await expect.poll(() => connections.pages().length).toBe(1)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(other.getByRole('textbox', { name: 'Username' })).toBeVisible()
  await expect.poll(() => connections.pages().length).toBe(0)
  await context.close()
})

test('a session that is ended elsewhere leads to the login at once', async ({ product, context }) => {
  await product.put({ 'box/a.txt': 'a' })
  const page = await openFolder(context, product, '/box')
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  await fetch(new URL('api/logout', product.url), { method: 'POST', headers: { 'X-Auth': token } })
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeVisible()
})

test('a guest sees what changes in a folder, and only there', async ({ product, context }) => {
  await product.put({ 'open/a.txt': 'a', 'closed/a.txt': 'a' })
  await grant(product, 'guest', '/open', ['see', 'download'])
  try {
    const page = await context.newPage()
    const open = () => page.goto(new URL('files/open/', product.url).href)
    await followed(context, '/open', open)
    await callApi(product, 'POST', 'resources/open/told.txt')
    await expect(row(page, 'told.txt')).toBeVisible()
    await callApi(product, 'POST', 'resources/closed/inner/')
    await callApi(product, 'POST', 'resources/open/inner/')
    await expect(row(page, 'inner')).toBeVisible()
    await expect(page.getByRole('treeitem', { name: 'closed' })).toHaveCount(0)
  } finally {
    await endGrants(product)
  }
})

test('a server behind a base URL that was away is listened to again, and what changed meanwhile shows', async ({
  browser,
}) => {
  const { product, stop, halt, startAgain } = await launch('--baseURL', '/some/where')
  try {
    await product.put({ 'box/a.txt': 'a' })
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(new URL('/some/where/login', product.url).href)
    await page.getByRole('textbox', { name: 'Username' }).fill(product.username)
    await page.getByLabel('Password', { exact: true }).fill(product.password)
    await page.getByRole('button', { name: 'Login' }).click()
    await followed(context, '/box', () => row(page, 'box').dblclick())
    const write = (name: string) => writeFile(join(product.root, 'box', name), '')
    await write('told.txt')
    await expect(row(page, 'told.txt')).toBeVisible()
    await halt()
    await write('meanwhile.txt')
    await followed(context, '/box', startAgain)
    await expect(row(page, 'meanwhile.txt')).toBeVisible()
    await write('after.txt')
    await expect(row(page, 'after.txt')).toBeVisible()
    await context.close()
  } finally {
    await stop()
  }
})

test('one of 100,000 entries changes without a listing', async ({ product, context }) => {
  test.slow()
  await product.put({ 'box/': '' })
  await promisify(execFile)('sh', ['-c', 'seq -f %06g.txt 0 99999 | xargs touch'], { cwd: join(product.root, 'box') })
  const page = await context.newPage()
  await product.signIn(page)
  await followed(context, '/box', () => row(page, 'box').dblclick())
  await expect(row(page, '000000.txt')).toBeVisible()
  const listings = listingsOf(page)
  await callApi(product, 'POST', 'resources/box/000000-new.txt')
  await expect(row(page, '000000-new.txt')).toBeVisible()
  await callApi(product, 'DELETE', 'resources/box/000001.txt')
  await expect(row(page, '000001.txt')).toHaveCount(0)
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '100001')
  expect(listings).toEqual([])
})

for (const viewMode of ['list', 'mosaic'])
  test(`what is in view stays where it is when entries come above it (${viewMode})`, async ({ product, context }) => {
    await prefer(product, { viewMode })
    const entries = Array.from({ length: 400 }, (_, index) => [`box/${String(index).padStart(3, '0')}.txt`, ''])
    await product.put(Object.fromEntries(entries))
    const page = await openFolder(context, product, '/box')
    await row(page, '000.txt').click()
    await grid(page).evaluate((element) => element.parentElement?.scrollTo(0, 4000))
    const firstInView = () =>
      grid(page).evaluate((element) => {
        const top = element.parentElement?.getBoundingClientRect().top ?? 0
        const rows = [...element.querySelectorAll('[role=row][data-index]')]
        return rows.find((each) => each.getBoundingClientRect().top > top + 60)?.getAttribute('aria-label') ?? ''
      })
    // The rows there are drawn a moment after the scrolling.
    await expect.poll(async () => (await firstInView()) > '050').toBe(true)
    const seen = await firstInView()
    const before = await row(page, seen).boundingBox()
    // For a list more than a screenful; lines of tiles one tile after the other.
    const count = viewMode === 'list' ? 40 : 9
    for (let index = 0; index < count; index += 1) {
      await writeFile(join(product.root, 'box', `000-new-${index}.txt`), '')
      if (viewMode !== 'list') await expect(page.getByText(`${401 + index} items`)).toHaveCount(1)
    }
    await expect(page.getByText(`${400 + count} items`)).toHaveCount(1)
    await expect.poll(async () => (await row(page, seen).boundingBox())?.y).toBe(before?.y)
    expect(await selected(page)).toEqual(['000.txt'])
  })
