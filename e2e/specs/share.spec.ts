import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { expect, type Product, test } from '../product.ts'
import { book } from '../samples/book.ts'
import { film } from '../samples/film.ts'
import { picture } from '../samples/picture.ts'
import { hold } from '../slow-line.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })

/** A link made as a program would make it. */
async function linkTo(product: Product, path: string, terms: object = {}): Promise<string> {
  const signIn = await fetch(new URL('api/login', product.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: product.username, password: product.password }),
  })
  const response = await fetch(new URL(`api/share${path}`, product.url), {
    method: 'POST',
    headers: { 'X-Auth': await signIn.text(), 'Content-Type': 'application/json' },
    body: JSON.stringify(terms),
  })
  const { hash } = (await response.json()) as { hash: string }
  return hash
}

const open = (page: Page, product: Product, hash: string) => page.goto(new URL(`share/${hash}`, product.url).href)

test('a link is made, copied, listed and taken back', async ({ page, product }) => {
  await product.put({ 'Box/inside.txt': 'hello' })
  await product.signIn(page)
  await row(page, 'Box').click()
  const known = await hold(page, '**/api/share/Box')
  await page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await expect(dialog.getByRole('status')).toHaveText('Loading')
  await expect(dialog.getByLabel('Optional password')).toHaveCount(0)
  await known.letGo()

  // The dialog itself has the focus, and the usual durations are in view; their fields unfold when they are used.
  await expect(dialog.getByText('Anyone with this link can view Box.')).toBeVisible()
  expect(await dialog.locator(':focus').evaluate(({ tagName }) => tagName)).toBe('DIV')
  await dialog.getByRole('button', { name: '7 days' }).click()
  await expect(dialog.getByText(/^Anyone with this link can view Box until \w{3} \d{1,2}(, \d{4})?\.$/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Custom…' }).click()
  await expect(dialog.getByRole('spinbutton', { name: 'Share Duration' })).toBeFocused()
  await dialog.getByRole('spinbutton', { name: 'Share Duration' }).fill('2')
  await dialog.getByRole('combobox', { name: 'Time Unit' }).selectOption('Days')
  await dialog.getByLabel('Optional password').fill('open sesame')
  await expect(dialog.getByText(/, with the password ••••••••\.$/)).toBeVisible()
  await dialog.getByLabel('Label').fill('for the family')
  const made = await hold(page, '**/api/share/Box?*')
  await dialog.getByRole('button', { name: 'Share' }).dblclick()
  await dialog.getByLabel('Optional password').press('Enter')
  await made.letGo()

  await expect(page.getByRole('status').filter({ hasText: 'Link copied!' })).toBeVisible()
  const links = dialog.getByRole('table', { name: 'Share links' })
  await expect(links.getByRole('row').filter({ hasText: 'Expires in 2 days' })).toContainText(
    /for the family\s*Created \w{3} \d{1,2}/,
  )
  await expect(links.getByRole('button', { name: 'Copy download link to clipboard' })).toBeDisabled()
  await links.getByRole('button', { name: 'Copy to clipboard', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Link copied!' })).toHaveCount(1)
  const address = await page.evaluate(() => navigator.clipboard.readText())
  expect(address).toContain(`${product.url}share/`)

  await dialog.getByRole('button', { name: 'New' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete share' })
  await links.getByRole('button', { name: 'Delete' }).dblclick()
  await expect(question).toContainText('The link to /Box stops working at once.')
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(question).toBeHidden()
  expect((await fetch(address.replace('/share/', '/api/public/share/'))).status).toBe(401)
  await links.getByRole('button', { name: 'Delete' }).click()
  const deleted = await hold(page, '**/api/share/*')
  await question.getByRole('button', { name: 'Delete' }).click()
  await deleted.letGo()
  await expect(page.getByRole('status').filter({ hasText: 'Share deleted!' })).toBeVisible()
  await expect(dialog.getByRole('spinbutton', { name: 'Share Duration' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect((await fetch(address.replace('/share/', '/api/public/share/'))).status).toBe(404)
})

test('a generated password can be read, and copied with its link, until the dialog is closed', async ({
  page,
  product,
}) => {
  await product.put({ 'Box/inside.txt': 'hello' })
  await product.signIn(page)
  await row(page, 'Box').click()
  await page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await dialog.getByRole('button', { name: 'Generate' }).click()
  const field = dialog.getByLabel('Optional password')
  await expect(field).toHaveAttribute('type', 'text')
  await expect(dialog.getByRole('button', { name: 'Show password' })).toHaveAttribute('aria-pressed', 'true')
  const password = await field.inputValue()
  expect(password).toMatch(/^\w{16}$/)
  await expect(dialog.getByText(`Anyone with this link can view Box, with the password ${password}.`)).toBeVisible()
  await dialog.getByRole('button', { name: 'Share' }).click()

  await expect(dialog.getByText('Link and password copied')).toBeVisible()
  await expect(dialog.getByText(password, { exact: true })).toBeVisible()
  const address = (await dialog.getByText(`${product.url}share/`).textContent()) ?? ''
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${address}\nPassword: ${password}`)
  await page.evaluate(() => navigator.clipboard.writeText('something else'))
  // Also after a look at the form for another one.
  await dialog.getByRole('button', { name: 'New' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByRole('button', { name: 'Copy link and password' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Link and password copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${address}\nPassword: ${password}`)
  expect(await findBarriersInBothThemes(page)).toEqual([])
  const opened = await fetch(address.replace('/share/', '/api/public/share/'), {
    headers: { 'X-SHARE-PASSWORD': password },
  })
  expect(opened.status).toBe(200)

  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('toolbar', { name: 'Selection actions' }).getByRole('button', { name: 'Share' }).click()
  await expect(dialog.getByRole('table', { name: 'Share links' })).toBeVisible()
  await expect(dialog.getByText(password)).toHaveCount(0)
})

test('a visitor sees a file and downloads it', async ({ page, product }) => {
  await product.put({ 'letter.txt': 'Dear reader' })
  const hash = await linkTo(product, '/letter.txt')
  await open(page, product, hash)

  await expect(page).toHaveTitle('letter.txt - Share - File Browser')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('letter.txt')
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Dear reader')
  await expect(page.getByRole('definition').filter({ hasText: '11 B' })).toBeVisible()
  // For programs that read it; it is drawn when it is asked for.
  await expect(page.getByRole('img', { name: 'QR code' })).toHaveAttribute('data-value', /\/api\/public\/dl\//)
  await page.getByRole('button', { name: 'Show QR code' }).click()
  await expect(page.getByRole('img', { name: 'QR code' }).locator('svg')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('img', { name: 'QR code' }).locator('svg')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Open file' })).toHaveAttribute('href', /inline=true/)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('letter.txt')
})

test('a password opens a protected link, a wrong one does not', async ({ page, product }) => {
  await product.put({ 'Safe/gold.txt': 'gold', 'Safe/Deeper/silver.txt': 'silver' })
  const hash = await linkTo(product, '/Safe', { password: 'open sesame' })
  await open(page, product, hash)
  const door = page.getByRole('dialog', { name: 'Password' })

  await page.getByLabel('Password').fill('open barley')
  await door.getByRole('button', { name: 'Submit' }).click()
  await expect(door.getByRole('alert')).toHaveText('Wrong credentials')
  await door.getByLabel('Password', { exact: true }).fill('open sesame')
  await door.getByRole('button', { name: 'Submit' }).click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Safe')
  await row(page, 'Deeper').dblclick()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Deeper')
  await row(page, 'silver.txt').dblclick()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('silver')
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Safe')
})

test('a grant is renewed while the page is open, and a film in view goes on', async ({ page, product }) => {
  await product.put({ 'Safe/film.webm': film })
  await page.clock.install()
  await open(page, product, await linkTo(product, '/Safe/film.webm', { password: 'open sesame' }))
  await page.getByLabel('Password').fill('open sesame')
  await page.getByRole('button', { name: 'Submit' }).click()
  const link = page.getByRole('link', { name: 'Download' })
  const video = page.getByRole('region', { name: 'Preview' }).locator('video')
  const [address, source] = [await link.getAttribute('href'), await video.getAttribute('src')]

  // A grant says when it ends in whole seconds, and those of the server's clock pass by themselves.
  await expect(async () => {
    await page.clock.fastForward('00:31:00')
    await expect(link).not.toHaveAttribute('href', address ?? '', { timeout: 500 })
  }).toPass()
  await expect(video).toHaveAttribute('src', source ?? '')

  await video.evaluate((player: HTMLVideoElement) => {
    player.currentTime = 0.5
    player.dispatchEvent(new Event('error'))
  })
  await expect(video).not.toHaveAttribute('src', source ?? '')
  await expect.poll(() => video.evaluate((player: HTMLVideoElement) => player.currentTime)).toBe(0.5)
  expect(await video.evaluate((player: HTMLVideoElement) => player.paused)).toBe(true)

  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/public/share/')) asked += 1
  })
  await page.evaluate(async () => {
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    await fetch('/health')
  })
  expect(asked).toBe(0)

  await page.route('**/api/public/share/**', (route) => route.fulfill({ status: 503 }))
  const answer = page.waitForResponse('**/api/public/share/**')
  await page.clock.fastForward('00:31:00')
  await (await answer).finished()
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  await expect(link).toBeVisible()

  await page.unroute('**/api/public/share/**')
  await page.route('**/api/public/share/**', (route) => route.abort())
  await page.clock.fastForward('00:31:00')
  await expect(link).toBeVisible()
})

test('a visitor steps through a shared folder, with the viewers that users have', async ({ page, product }) => {
  await product.put({
    'Box/a first.png': picture(1200, 800),
    'Box/b list.tsv': 'name\tcity\nAda\tLondon\nGrace\tNew York\n',
    'Box/c walk.webm': film,
    'Box/d last.png': picture(40, 60),
    'Box/e story.epub': book('A story', [{ title: 'The house', body: '<h1>The house</h1><p>It stands.</p>' }]),
    'Box/f data.bin': new Uint8Array([0, 1, 2, 255]),
  })
  const hash = await linkTo(product, '/Box')
  const title = page.getByRole('heading', { level: 1 })
  const region = page.getByRole('region', { name: 'Preview' })
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/public/share/')) asked.push(pathname.slice(`/api/public/share/${hash}`.length))
  })
  await open(page, product, hash)
  await row(page, 'a first.png').dblclick()
  const image = region.getByRole('img', { name: 'a first.png' })
  await expect(image).toHaveAttribute('data-shown', 'true')
  await page.keyboard.press('+')
  await expect(image).toHaveAttribute('data-zoom', '1.25')
  await expect(page.getByText('1 / 6', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Previous' })).toHaveCount(0)
  await region.evaluate((element) => element.setAttribute('data-same', 'yes'))

  await page.getByRole('button', { name: 'Next' }).click()
  await expect(title).toHaveText('b list.tsv')
  await expect(region.getByRole('table', { name: 'b list.tsv' }).getByRole('columnheader')).toHaveText([
    'Row',
    'name',
    'city',
  ])
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(title).toHaveText('c walk.webm')
  await expect(region.locator('video')).toHaveAttribute('aria-label', 'c walk.webm')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Next' })).toBeFocused()
  await expect(title).toHaveText('d last.png')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('ArrowRight')
  await expect(title).toHaveText('e story.epub')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expect(title).toHaveText('f data.bin')
  await expect(region).toContainText('Preview is not available for this file')
  await expect(page.getByRole('link', { name: 'Download' })).toHaveCount(1)
  await expect(region).toHaveAttribute('data-same', 'yes')
  // The listing has told everything.
  expect(asked).toEqual(['/'])

  await page.getByRole('button', { name: 'Close' }).click()
  await row(page, 'e story.epub').dblclick()
  await expect(page.frameLocator('iframe').last().getByRole('heading', { name: 'The house' })).toBeVisible()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

test('some of a folder, or all of it, is downloaded as an archive', async ({ page, product }) => {
  await product.put({ 'Box/a.txt': 'a', 'Box/b, c.txt': 'b', 'Box/d.txt': 'd' })
  await open(page, product, await linkTo(product, '/Box'))
  const link = page.getByRole('link', { name: 'Download', exact: true })
  await expect(link).toContainText('Download all (3)')
  await page.getByRole('button', { name: 'Select multiple' }).click()
  await row(page, 'a.txt').click()
  await row(page, 'b, c.txt').click()
  // One button, which knows what is chosen.
  await expect(link).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Download', exact: true })).toContainText('Download 2 items')
  await page.getByRole('toolbar', { name: 'File actions' }).getByRole('button', { name: 'Download' }).click()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog', { name: 'Download files' }).getByRole('button', { name: 'tar', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/\.tar$/)
  const names = (await streamText(await download.createReadStream())).match(/[a-d][^\0]*?\.txt/g)
  expect(new Set(names)).toEqual(new Set(['a.txt', 'b, c.txt']))

  await page.keyboard.press('Escape')
  await expect(row(page, 'a.txt')).toHaveAttribute('aria-selected', 'false')
  const [whole] = await Promise.all([page.waitForEvent('download'), link.click()])
  expect(whole.suggestedFilename()).toBe('Box.zip')
})

test('one folder of a folder is downloaded under its own name', async ({ page, product }) => {
  await product.put({ 'Box/Inner/a.txt': 'a', 'Box/b.txt': 'b' })
  await open(page, product, await linkTo(product, '/Box'))
  await row(page, 'Inner').click()
  await expect(page.getByRole('button', { name: 'Download', exact: true })).toContainText('Download 1 item')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog', { name: 'Download files' }).getByRole('button', { name: 'zip' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Inner.zip')
})

test('a selected file of a folder is previewed, and its link copied', async ({ page, product }) => {
  await product.put({ 'Box/a.txt': 'just a text', 'Box/inner/': '', 'Box/שלום.txt': '' })
  await open(page, product, await linkTo(product, '/Box'))
  await expect(page.getByRole('checkbox', { name: 'Select שלום.txt', exact: true })).toBeAttached()
  await row(page, 'a.txt').click()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('just a text')
  await page.getByRole('button', { name: 'Copy download link to clipboard' }).click()
  const address = await page.evaluate(() => navigator.clipboard.readText())
  expect(await (await fetch(address)).text()).toBe('just a text')

  await row(page, 'inner').click()
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('inner')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: 'Preview' })).toBeHidden()
})

test('selecting moves no row, so that a double click opens the entry it began on', async ({ page, product }) => {
  const pictures = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`Box/${10 + index}.png`, picture(9, 6)]),
  )
  await product.put(pictures)
  const hash = await linkTo(product, '/Box')
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    await open(page, product, hash)
    await row(page, '10.png').click()
    await expect(page.getByRole('region', { name: 'Preview' })).toBeVisible()
    await page.keyboard.press('Escape')
    await row(page, '19.png').dblclick()
    await expect(page).toHaveURL(/19\.png$/)
  }
})

test('a long folder shows a hundred entries at a time', async ({ page, product }) => {
  await product.put(Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`Box/${1000 + index}.txt`, ''])))
  await open(page, product, await linkTo(product, '/Box'))
  await expect(row(page, '1099.txt')).toBeAttached()
  await expect(row(page, '1100.txt')).not.toBeAttached()
  await page.getByRole('button', { name: 'Show 30 more' }).click()
  await expect(row(page, '1129.txt')).toBeAttached()
  await page.keyboard.press('ControlOrMeta+a')
  await expect(page.getByRole('status').filter({ hasText: '130 selected' })).toBeVisible()
})

test('a link that is gone says so, and offers nothing to press', async ({ page, product }) => {
  await open(page, product, 'no-such-link')
  await expect(page.locator('main[data-view="error"][data-status="404"]')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link has expired or was removed')
  await expect(page.getByRole('alert')).toContainText('Ask the person who sent it to you for a new one.')
  await expect(page.getByRole('button')).toHaveCount(0)
})

test('axe finds nothing in the share pages, on a desktop and on a phone', async ({ page, product }) => {
  await product.put({ 'Box/a.txt': 'a', 'Box/Inner/': '' })
  const look = async () => {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 844 })
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      expect(await findBarriersInBothThemes(page)).toEqual([])
    }
  }
  const preview = page.getByRole('region', { name: 'Preview' })
  await open(page, product, await linkTo(product, '/Box'))
  await row(page, 'a.txt').click()
  await expect(preview).toBeVisible()
  await look()
  await open(page, product, await linkTo(product, '/Box/a.txt'))
  await expect(preview).toContainText('a')
  await look()
  await open(page, product, await linkTo(product, '/Box', { password: 'open sesame' }))
  await expect(page.getByRole('dialog', { name: 'Password' })).toBeVisible()
  await look()
})

async function streamText(stream: NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString('latin1')
}
