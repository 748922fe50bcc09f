import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { findBarriers } from '../barriers.ts'
import { act, choose } from '../changing.ts'
import { holdJobs } from '../jobs.ts'
import { row } from '../listing.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { hold } from '../slow-line.ts'

test.beforeEach(async ({ page, product }) => {
  await product.put({ 'Photos/lake.jpg': 'no picture', 'b, c.txt': 'comma', 'letter.txt': 'Dear reader' })
  await product.signIn(page)
})

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Download files' })
const contentOf = async (download: Download) => (await readFile(await download.path())).toString('latin1')

test('a single file is downloaded as it is', async ({ page }) => {
  await choose(page, 'letter.txt')
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('ControlOrMeta+s')])
  expect(download.suggestedFilename()).toBe('letter.txt')
  expect(await contentOf(download)).toBe('Dear reader')
})

test('several entries are downloaded as an archive, a comma in a name included', async ({ page }) => {
  await choose(page, 'Photos', 'b, c.txt')
  await act(page, 'Download')
  await expect(dialog(page).getByRole('button', { name: 'zip' })).toBeFocused()
  for (const name of ['tar', 'tar.gz', 'tar.bz2', 'tar.xz', 'tar.lz4', 'tar.sz', 'tar.br', 'tar.zst'])
    await expect(dialog(page).getByRole('button', { name, exact: true })).toBeVisible()
  expect(await findBarriers(page)).toEqual([])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog(page).getByRole('button', { name: 'tar', exact: true }).click(),
  ])
  await expect(dialog(page)).toBeHidden()
  expect(download.suggestedFilename()).toMatch(/\.tar$/)
  const tar = await contentOf(download)
  expect(tar).toContain('b, c.txt')
  expect(tar).toContain('Photos/lake.jpg')
  expect(tar).not.toContain('letter.txt')

  // The format that was taken is the nearest one next time.
  await row(page, 'Photos').click()
  await act(page, 'Download')
  await expect(dialog(page).getByRole('button', { name: 'tar', exact: true })).toBeFocused()
})

test('with nothing selected the folder in view is downloaded', async ({ page, product }) => {
  await page.goto(new URL('files/Photos/', product.url).href)
  await expect(row(page, 'lake.jpg')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+s')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog(page).getByRole('button', { name: 'zip' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Photos.zip')
  expect(await contentOf(download)).toContain('lake.jpg')
})

test('the only folder of a folder is downloaded by itself', async ({ page, product }) => {
  await product.put({ 'Outer/Inner/leaf.txt': 'leaf' })
  await page.goto(new URL('files/Outer/', product.url).href)
  await choose(page, 'Inner')
  await act(page, 'Download')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog(page).getByRole('button', { name: 'zip' }).click(),
  ])
  expect(new URL(download.url()).pathname).toBe('/api/raw/Outer/Inner')
  expect(download.suggestedFilename()).toBe('Inner.zip')
})

test('more names than fit into an address are sent by a form', async ({ page, product }) => {
  const names = Array.from({ length: 150 }, (_, index) => `${'much too long for, '.repeat(4)}${index}.txt`)
  await product.put({ 'left out.txt': '', ...Object.fromEntries(names.map((name) => [name, name])) })
  await page.reload()
  await expect(row(page, 'left out.txt')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+a')
  await row(page, 'left out.txt').click({ modifiers: ['ControlOrMeta'] })
  await act(page, 'Download')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog(page).getByRole('button', { name: 'tar', exact: true }).click(),
  ])
  const tar = await contentOf(download)
  for (const name of names) expect(tar).toContain(name)
  expect(tar).not.toContain('left out')

  // A refusal is said; the page stays.
  await page.route('**/api/raw/', (route) => route.fulfill({ status: 500, body: '500 Internal Server Error' }))
  await act(page, 'Download')
  await dialog(page).getByRole('button', { name: 'tar', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'could not do this' })).toBeVisible()
  await expect(row(page, 'left out.txt')).toBeVisible()
})

test('axe finds nothing in the format dialog on a phone in the dark', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(phone)
  await choose(page, 'Photos')
  await act(page, 'Download')
  await expect(dialog(page)).toBeVisible()
  expect(await findBarriers(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog(page)).toBeHidden()
})

test('the number of what is selected lies over no letter of Download, however long it is', async ({
  page,
  product,
}) => {
  await product.put(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${at}.txt`, ''])))
  await page.reload()
  await choose(page, '0.txt')
  await page.keyboard.press('Control+a')
  const button = page.getByRole('toolbar').getByRole('button', { name: 'Download', exact: true })
  await expect(button).toHaveAttribute('data-badge', '999+')
  const overlap = () =>
    button.evaluate((element) => {
      const word = document.createRange()
      word.selectNodeContents(element.querySelector('span:last-of-type') as Element)
      const distance = Number.parseFloat(getComputedStyle(element, '::after').right)
      return element.getBoundingClientRect().right - distance - word.getBoundingClientRect().left
    })
  for (const width of [1440, 1100]) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(overlap, `${width} px`).toBeLessThanOrEqual(2)
  }
})

test('Download shows the number of selected entries, and a tick once it has begun', async ({ page }) => {
  const button = page.getByRole('toolbar').getByRole('button', { name: 'Download', exact: true })
  const progress = await watchProgress(page)
  await expect(button).not.toHaveAttribute('data-badge')
  await choose(page, 'Photos', 'letter.txt')
  await expect(button).toHaveAttribute('data-badge', '2')
  await expect(button).toHaveAccessibleDescription('2 selected')
  await page.setViewportSize(phone)
  await expect(button).toHaveAttribute('data-badge', '2')
  await expect(button).toHaveAccessibleDescription('2 selected')

  await button.click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog(page)).toBeHidden()
  await choose(page, 'letter.txt')
  expect(await progress()).toEqual([])
  await Promise.all([page.waitForEvent('download'), button.click()])
  await expect.poll(progress).toEqual(['Download done'])
})

test('a command at work shows a spinner on its button, and a tick when it is done', async ({ page }) => {
  const progress = await watchProgress(page)
  const held = await holdJobs(page)
  await choose(page, 'letter.txt')
  await act(page, 'Copy file')
  const copying = page.getByRole('dialog', { name: 'Copy' })
  await copying.getByRole('option', { name: 'Photos' }).dblclick()
  await copying.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Continue in background' }).click()
  const button = page.getByRole('toolbar').getByRole('button', { name: 'Copy file' })
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await held.letGo()
  await expect.poll(progress).toEqual(['Copy file running', 'Copy file done'])
  await expect(button).not.toHaveAttribute('data-progress')

  const uploading = await hold(page, '**/api/tus/**')
  await page.setInputFiles('#upload-input', { name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('new') })
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toHaveAttribute('aria-busy', 'true')
  await uploading.letGo()
  await expect.poll(progress).toContain('Upload done')
})

/** Notes what buttons show of the work they have started, however short. Answers how to read the notes. */
async function watchProgress(page: Page): Promise<() => Promise<string[]>> {
  const seen = await page.evaluateHandle(() => {
    const notes = new Set<string>()
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const { ariaLabel, textContent, dataset } = target as HTMLElement
        if (dataset.progress !== undefined) notes.add(`${ariaLabel ?? textContent} ${dataset.progress}`)
      }
    }).observe(document.body, { subtree: true, attributeFilter: ['data-progress'] })
    return notes
  })
  return () => seen.evaluate((notes) => [...notes])
}
