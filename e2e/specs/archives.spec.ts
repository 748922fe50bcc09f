import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { findBarriersInBothThemes } from '../barriers.ts'
import { choose } from '../changing.ts'
import { listenForComplaints } from '../complaints.ts'
import { row } from '../listing.ts'
import { addUser, signInAs } from '../people.ts'
import { expect, test } from '../product.ts'
import { phone } from '../sizes.ts'
import { toast } from '../toast.ts'
import { open, show } from '../viewer.ts'
import { zipOf } from '../zip.ts'

const trip = {
  'docs/': '',
  'docs/deep/plan.txt': 'the plan',
  'docs/notes.txt': 'notes',
  'b.txt': 'second, and longer',
  'a.txt': 'first',
}

const contents = (page: Page) => page.getByRole('grid', { name: 'Contents of the archive' })
const member = (page: Page, name: string) => contents(page).getByRole('row', { name, exact: true })
const names = (page: Page) =>
  contents(page)
    .locator('[role=row][aria-selected]')
    .evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-label') ?? ''))
const crumbs = (page: Page) => page.getByRole('navigation', { name: 'Breadcrumbs' })

test.describe('looking inside', () => {
  test('an archive opens like a folder, with an address for each of its folders', async ({ page, product }) => {
    await product.put({ 'Box/trip.zip': zipOf(trip) })
    await show(page, product, 'Box/trip.zip')
    await expect.poll(() => names(page)).toEqual(['docs', 'a.txt', 'b.txt'])
    await expect(page.getByRole('button', { name: 'Delete' })).toBeVisible()

    await member(page, 'docs').dblclick()
    await expect(page).toHaveURL(/trip\.zip\?inside=\/docs$/)
    await expect.poll(() => names(page)).toEqual(['deep', 'notes.txt'])
    await member(page, 'deep').dblclick()
    await expect.poll(() => names(page)).toEqual(['plan.txt'])
    await page.reload()
    await expect.poll(() => names(page)).toEqual(['plan.txt'])
    await expect(crumbs(page).getByRole('link')).toHaveText(['trip.zip', 'docs', 'deep'])
    await expect(crumbs(page).getByRole('link', { name: 'deep' })).toHaveAttribute('aria-current', 'page')

    await page.goBack()
    await expect.poll(() => names(page)).toEqual(['deep', 'notes.txt'])
    await crumbs(page).getByRole('link', { name: 'trip.zip' }).click()
    await expect.poll(() => names(page)).toEqual(['docs', 'a.txt', 'b.txt'])
  })

  test('the keyboard leads in, through and out again', async ({ page, product }) => {
    await product.put({ 'Box/trip.zip': zipOf(trip) })
    await show(page, product, 'Box/trip.zip')
    await expect(member(page, 'docs')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(member(page, 'deep')).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('document', { name: 'notes.txt' })).toHaveText('notes')
    await expect(page).toHaveURL(/inside=\/docs&file=notes\.txt$/)
    await page.keyboard.press('Escape')
    await expect(member(page, 'notes.txt')).toBeFocused()
    await page.keyboard.press('Backspace')
    await expect(member(page, 'docs')).toBeFocused()
    await expect(member(page, 'docs')).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('Escape')
    await expect(member(page, 'docs')).toHaveAttribute('aria-selected', 'false')
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/\/files\/Box\/$/)
    await expect(page.getByRole('row', { name: 'trip.zip' })).toHaveAttribute('aria-selected', 'true')
  })

  test('entries are filtered by name, and ordered by a column', async ({ page, product }) => {
    await product.put({ 'trip.zip': zipOf(trip) })
    await show(page, product, 'trip.zip')
    await page.getByRole('button', { name: 'Sort by size' }).click()
    await expect.poll(() => names(page)).toEqual(['docs', 'a.txt', 'b.txt'])
    await page.getByRole('button', { name: 'Sort by size' }).click()
    await expect.poll(() => names(page)).toEqual(['docs', 'b.txt', 'a.txt'])
    await page.getByRole('searchbox', { name: 'Filter names' }).fill('B.')
    await expect.poll(() => names(page)).toEqual(['b.txt'])
    await page.getByRole('searchbox', { name: 'Filter names' }).fill('zzz')
    await expect(page.getByRole('heading', { name: 'No name contains' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect.poll(() => names(page)).toEqual(['docs', 'b.txt', 'a.txt'])
  })

  test('a single file is downloaded out of its archive', async ({ page, product }) => {
    await product.put({ 'trip.zip': zipOf(trip) })
    await show(page, product, 'trip.zip')
    await member(page, 'a.txt').click()
    const tools = page.getByRole('toolbar', { name: 'Archive actions' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      tools.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('a.txt')
    expect(await readFile(await download.path(), 'utf8')).toBe('first')
    // A folder of an archive is extracted instead.
    await member(page, 'docs').click()
    await expect(tools.getByRole('button', { name: 'Download' })).toHaveCount(0)
  })

  test('what the tools of the system pack opens', async ({ page, product }) => {
    const formats = [
      ['plain.tar', '--format=pax'],
      ['zipped.tar.gz', '-z'],
      ['short.tgz', '-z'],
    ] as const
    await product.put({ 'Box/': '' })
    await withFolder(trip, async (folder) => {
      for (const [name, flag] of formats)
        await run('tar', ['-c', flag, '-f', join(product.root, 'Box', name), '-C', folder, '.'])
    })
    await product.signIn(page)
    for (const [name] of formats) {
      await open(page, product, `Box/${name}`)
      await expect.poll(() => names(page)).toEqual(['docs', 'a.txt', 'b.txt'])
      await member(page, 'b.txt').dblclick()
      await expect(page.getByRole('document', { name: 'b.txt' })).toHaveText('second, and longer')
    }
  })

  test('letters that were guessed wrong are put right by another encoding', async ({ page, product }) => {
    // "Приве" as IBM 866 writes it.
    const encodeName = () => Uint8Array.from([0x8f, 0xe0, 0xa8, 0xa2, 0xa5, 0x2e, 0x74, 0x78, 0x74])
    await product.put({ 'old.zip': zipOf({ name: 'x' }, { encodeName }) })
    await show(page, product, 'old.zip')
    const menu = page.getByRole('combobox', { name: 'Encoding of names' })
    await menu.selectOption('ibm866')
    await expect.poll(() => names(page)).toEqual(['Приве.txt'])
    await expect(page).toHaveURL(/encoding=ibm866$/)
    await member(page, 'Приве.txt').dblclick()
    await expect(page.getByRole('document', { name: 'Приве.txt' })).toHaveText('x')
    await page.goBack()
    await menu.selectOption('windows-1252')
    await expect.poll(() => names(page)).not.toEqual(['Приве.txt'])
  })

  test('what cannot be shown says why, and can be downloaded', async ({ page, product }) => {
    const whole = zipOf(trip)
    await product.put({
      'empty.zip': zipOf({}),
      'broken.zip': whole.subarray(0, whole.length - 40),
      'none.tar.gz': 'this is no archive',
      'secret.zip': zipOf({ 'secret.txt': 'xxxxxxxxxxxxxxxxxx' }, { encrypted: ['secret.txt'] }),
    })
    await show(page, product, 'empty.zip')
    await expect(page.getByRole('heading', { name: 'This archive is empty' })).toBeVisible()
    for (const name of ['broken.zip', 'none.tar.gz']) {
      await open(page, product, name)
      await expect(page.getByRole('alert').filter({ hasText: 'Preview is not available' })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Download' })).toBeVisible()
    }
    await open(page, product, 'secret.zip')
    await member(page, 'secret.txt').dblclick()
    await expect(page.getByRole('alert')).toContainText('protected by a password')
    await page.goto(new URL('files/secret.zip?inside=/not/there', product.url).href)
    await expect(page.getByRole('alert')).toContainText('This folder is not in the archive')
  })

  test('pages and drawings in an archive do not run', async ({ page, product }) => {
    const script = "parent.hacked = true; window.hacked = true; document.title = 'hacked'"
    await product.put({
      'bad.zip': zipOf({
        'drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${script}"><script>${script}</script></svg>`,
        'page.html': `<script>${script}</script><img src=x onerror="${script}">`,
        '<img src=x onerror=alert(1)>.txt': 'x',
      }),
    })
    const complaints = await listenForComplaints(page)
    await show(page, product, 'bad.zip')
    for (const name of ['drawing.svg', 'page.html']) {
      await member(page, name).dblclick()
      await expect(crumbs(page).getByRole('link', { name })).toHaveAttribute('aria-current', 'page')
      await expect(page.getByRole('document').or(page.getByRole('img', { name })).first()).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(contents(page)).toBeVisible()
    }
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(await page.title()).not.toContain('hacked')
    expect(complaints).toEqual([])
    // Asked for by its own address, a page is saved, or has no origin.
    const address = new URL('api/archive-file/bad.zip?inside=/page.html&inline=true', product.url)
    const answer = await fetch(address, { headers: { 'X-Auth': await product.token() } })
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
    await answer.body?.cancel()
  })

  test('axe finds nothing, at a desk and on a phone', async ({ page, product }) => {
    await product.put({ 'trip.zip': zipOf(trip) })
    await show(page, product, 'trip.zip')
    await member(page, 'a.txt').click()
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await page.setViewportSize(phone)
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await member(page, 'a.txt').dblclick()
    await expect(page.getByRole('document', { name: 'a.txt' })).toBeVisible()
    expect(await findBarriersInBothThemes(page)).toEqual([])
  })
})

test.describe('extracting', () => {
  test('"Extract here" fills a new folder beside the archive, which has its name', async ({ page, product }) => {
    await product.put({ 'Box/trip.zip': zipOf(trip), 'Box/trip/old.txt': 'mine' })
    await product.signIn(page, 'files/Box/')
    await fromMenu(page, 'trip.zip', 'Extract here')
    await expect(row(page, 'trip(1)')).toHaveAttribute('aria-selected', 'true')
    await expect(toast(page, 'Extracted to trip(1)')).toBeVisible()
    expect(await readFile(join(product.root, 'Box/trip(1)/docs/deep/plan.txt'), 'utf8')).toBe('the plan')
    expect(await readFile(join(product.root, 'Box/trip/old.txt'), 'utf8')).toBe('mine')
    await toast(page, 'Extracted to').getByRole('button', { name: 'Open' }).click()
    await expect(page).toHaveURL(/\/Box\/trip\(1\)\/$/)
    await expect(row(page, 'b.txt')).toBeVisible()
  })

  test('"Extract to…" asks for a folder, and puts what is inside right into it where that is wanted', async ({
    page,
    product,
  }) => {
    await product.put({ 'trip.tar.gz': await packed(trip), 'Target/mine.txt': 'mine' })
    await product.signIn(page)
    await fromMenu(page, 'trip.tar.gz', 'Extract to…')
    const dialog = page.getByRole('dialog', { name: 'Extract' })
    await dialog.getByRole('option', { name: 'Target' }).click()
    await expect(dialog.getByTestId('destination')).toHaveText('Destination: /Target/trip')
    await dialog.getByRole('checkbox', { name: 'Into a new folder: trip' }).uncheck()
    await expect(dialog.getByTestId('destination')).toHaveText('Destination: /Target')
    await dialog.getByRole('button', { name: 'Extract' }).click()
    await expect(toast(page, 'Extracted to Target')).toBeVisible()
    expect((await readdir(join(product.root, 'Target'))).toSorted()).toEqual(['a.txt', 'b.txt', 'docs', 'mine.txt'])
    expect(await readFile(join(product.root, 'Target/b.txt'), 'utf8')).toBe('second, and longer')
  })

  test('only what is selected is taken out', async ({ page, product }) => {
    await product.put({ 'Box/trip.zip': zipOf(trip) })
    await product.signIn(page, 'files/Box/trip.zip?inside=/docs')
    await member(page, 'deep').click()
    await page.getByRole('button', { name: 'Extract selected…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Extract' })
    await expect(dialog).toContainText('1 item of trip.zip')
    await dialog.getByRole('button', { name: 'Extract' }).click()
    await expect(toast(page, 'Extracted to Box')).toBeVisible()
    expect((await readdir(join(product.root, 'Box'))).toSorted()).toEqual(['deep', 'trip.zip'])
    expect(await readFile(join(product.root, 'Box/deep/plan.txt'), 'utf8')).toBe('the plan')
  })

  test('an archive that is broken leaves nothing but a sentence', async ({ page, product }) => {
    const whole = zipOf(trip)
    // The checksum of the last file is another one.
    const changed = Buffer.from(whole)
    changed.writeUInt8(0x78, whole.indexOf('second'))
    await product.put({ 'cut.zip': whole.subarray(0, whole.length - 40), 'changed.zip': changed })
    await product.signIn(page)
    await fromMenu(page, 'cut.zip', 'Extract here')
    await expect(page.getByRole('alert').filter({ hasText: 'cut.zip is no archive' })).toBeVisible()
    await fromMenu(page, 'changed.zip', 'Extract here')
    await expect(page.getByRole('alert').filter({ hasText: /changed.zip is damaged|b\.txt/ })).toBeVisible()
    expect((await readdir(product.root)).filter((name) => name.startsWith('cut')).toSorted()).toEqual(['cut.zip'])
  })

  test('on a phone the sheet of an archive extracts it', async ({ browser, product }) => {
    await product.put({ 'trip.zip': zipOf(trip) })
    const context = await browser.newContext({ viewport: phone, hasTouch: true, isMobile: true })
    const page = await context.newPage()
    await product.signIn(page)
    await row(page, 'trip.zip').getByRole('button', { name: 'Actions for trip.zip' }).click()
    await page.getByRole('menuitem', { name: 'Extract here' }).click()
    await expect(row(page, 'trip')).toBeVisible()
    await context.close()
  })
})

test.describe('making files', () => {
  test('"Compress…" packs what is selected in the format that is chosen', async ({ page, product }) => {
    await product.put({ 'Box/trip/docs/plan.txt': 'the plan', 'Box/b.txt': 'second', 'Box/Box.zip': 'taken' })
    await product.signIn(page, 'files/Box/')
    await choose(page, 'trip', 'b.txt')
    await fromMenu(page, 'b.txt', 'Compress…')
    const dialog = page.getByRole('dialog', { name: 'Compress' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await expect(name).toHaveValue('Box(1)')
    await expect(dialog.getByRole('radio', { name: 'zip' })).toBeChecked()
    await name.fill('Box')
    await expect(dialog.getByRole('alert')).toHaveText('This name is already taken.')
    await name.fill('all')
    expect(await findBarriersInBothThemes(page, '[role=dialog]')).toEqual([])
    await dialog.getByRole('button', { name: 'Compress' }).click()
    await expect(toast(page, 'Created all.zip')).toBeVisible()
    await expect(row(page, 'all.zip')).toHaveAttribute('aria-selected', 'true')
    await row(page, 'all.zip').dblclick()
    await expect.poll(() => names(page)).toEqual(['trip', 'b.txt'])
    await page.keyboard.press('Escape')

    await choose(page, 'trip')
    await fromMenu(page, 'trip', 'Compress…')
    await dialog.getByRole('radio', { name: 'tar.gz' }).check()
    await expect(dialog.getByRole('status')).toHaveText('Creates /Box/trip.tar.gz')
    await page.keyboard.press('Enter')
    await expect(toast(page, 'Created trip.tar.gz')).toBeVisible()
    const { stdout } = await run('tar', ['-tzf', join(product.root, 'Box/trip.tar.gz')])
    expect(stdout).toContain('trip/docs/plan.txt')
  })

  test('"Checksums…" writes a list that the tools of the system check', async ({ page, product }) => {
    await product.put({ 'trip/docs/plan.txt': 'the plan', 'trip/b.txt': 'second' })
    await product.signIn(page)
    await fromMenu(page, 'trip', 'Checksums…')
    const dialog = page.getByRole('dialog', { name: 'Checksums' })
    await expect(dialog.getByRole('radio', { name: 'sha256' })).toBeChecked()
    await dialog.getByRole('button', { name: 'Create file' }).click()
    await expect(toast(page, 'Created trip.sha256')).toBeVisible()
    await run('sha256sum', ['-c', '--strict', 'trip.sha256'], { cwd: product.root })
  })

  test('the palette finds the commands', async ({ page, product }) => {
    await product.put({ 'trip.zip': zipOf(trip), 'Box/a.txt': 'a' })
    await product.signIn(page)
    for (const [name, commands] of [
      ['Box', ['Compress…', 'Checksums…']],
      ['trip.zip', ['Extract to…']],
    ] as const) {
      await row(page, name).click()
      for (const command of commands) {
        await page.keyboard.press('ControlOrMeta+k')
        await page.getByRole('combobox', { name: 'Search' }).fill(command.slice(0, -1))
        await expect(page.getByRole('option', { name: command })).toBeVisible()
        await page.keyboard.press('Escape')
        await expect(page.getByRole('combobox', { name: 'Search' })).toHaveCount(0)
      }
    }
  })

  test('what is not allowed is not offered', async ({ page, product }) => {
    await product.put({ 'trip.zip': zipOf(trip), 'Box/a.txt': 'a' })
    const perm = { create: false, rename: false, modify: false, delete: false, share: false, download: true }
    await addUser(product, 'reader', 'only here to look', { perm })
    await signInAs(page, product, 'reader', 'only here to look')
    await page.goto(new URL('files/', product.url).href)
    for (const name of ['trip.zip', 'Box']) {
      await row(page, name).click({ button: 'right' })
      await expect(page.getByRole('menuitem', { name: 'Download' })).toBeVisible()
      for (const command of ['Extract here', 'Extract to…', 'Compress…', 'Checksums…'])
        await expect(page.getByRole('menuitem', { name: command })).toHaveCount(0)
      await page.keyboard.press('Escape')
    }
    await open(page, product, 'trip.zip')
    await member(page, 'a.txt').click()
    await expect(page.getByRole('button', { name: 'Download' }).first()).toBeVisible()
    await expect(page.getByRole('button', { name: /^Extract/ })).toHaveCount(0)
  })
})

/** By the right mouse button on an entry. */
async function fromMenu(page: Page, name: string, command: string): Promise<void> {
  await row(page, name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: command, exact: true }).click()
}

async function packed(files: Record<string, string>): Promise<Buffer> {
  let bytes = Buffer.alloc(0)
  await withFolder(files, async (folder) => {
    await run('tar', ['-czf', `${folder}.tgz`, '-C', folder, '.'])
    bytes = await readFile(`${folder}.tgz`)
    await rm(`${folder}.tgz`)
  })
  return bytes
}

const run = promisify(execFile)

/** A folder for the tools of the system, which goes afterwards. */
async function withFolder(files: Record<string, string>, use: (folder: string) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'filestead-e2e-pack-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name)
      await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true })
      if (!name.endsWith('/')) await writeFile(path, content)
    }
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
