import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { act, choose } from '../changing.ts'
import { holdJobs } from '../jobs.ts'
import { row } from '../listing.ts'
import { addUser, signInAs } from '../people.ts'
import { expect, test } from '../product.ts'
import { hold } from '../slow-line.ts'
import { bigFile, finished, holdUploads, isPatch, large, textFile, tray } from '../uploads.ts'

const password = 'a seat by the fire'
const names = Array.from({ length: 12 }, (_, index) => `note ${String(index).padStart(2, '0')}.txt`)

test.beforeEach(async ({ product }) => {
  const own = names.map((name) => [name, 'mine'])
  const guests = names.map((name) => [`guests/${name}`, 'theirs'])
  await product.put(Object.fromEntries([['diary.txt', 'private'], ['archive/', ''], ...own, ...guests]))
  await addUser(product, 'visitor', password, { scope: '/guests' })
})

test('nothing that one person was shown flashes up for the next one', async ({ page, product }) => {
  await product.signIn(page)
  await expect(page.getByText('diary').first()).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()

  const line = await hold(page, '**/api/resources/**')
  await signInHere(page, 'visitor')
  await expect(page.locator('main[aria-busy=true]')).toBeVisible()
  await expect(page.getByText('diary')).toHaveCount(0)
  await line.letGo()
  await expect(row(page, 'note 00.txt')).toBeVisible()
})

for (const work of ['deletes', 'moves'] as const) {
  test(`a batch of ${work} ends with its session and touches nothing of the next person`, async ({ page, product }) => {
    await product.signIn(page)
    const changes = noteChanges(page)
    const line = await holdJobs(page)
    await beginBatch(page, work)
    await expect.poll(() => changes.length).toBeGreaterThan(0)
    const begun = changes.length
    await page.getByRole('button', { name: 'Continue in background' }).click()

    await page.getByRole('button', { name: 'Logout' }).click()
    const question = page.getByRole('alertdialog', { name: 'Logout' })
    await expect(question.getByRole('listitem')).toHaveText([/12 items · 0 of 12/])
    await question.getByRole('button', { name: 'Logout' }).click()
    await signInHere(page, 'visitor')
    await line.letGo()
    await expect(row(page, 'note 11.txt')).toBeVisible()
    // A change of one's own shows that everything before it had its chance.
    await choose(page, 'note 11.txt')
    await act(page, 'Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect(row(page, 'note 11.txt')).toHaveCount(0)

    expect(changes.slice(begun)).toEqual(['POST /api/jobs'])
    expect(readdirSync(join(product.root, 'guests'))).toEqual(names.slice(0, -1))
    await expect(page.getByRole('alert')).toHaveCount(0)
  })
}

test('a batch stops when another tab signs another user in', async ({ page, product, context }) => {
  await product.signIn(page)
  const changes = noteChanges(page)
  const line = await holdJobs(page)
  await beginBatch(page, 'deletes')
  await expect.poll(() => changes.length).toBeGreaterThan(0)
  const begun = changes.length

  const other = await context.newPage()
  await other.goto(product.url)
  await other.getByRole('button', { name: 'Logout' }).click()
  await other.getByRole('alertdialog').getByRole('button', { name: 'Logout' }).click()
  await signInHere(other, 'visitor')
  await expect(page.getByRole('link', { name: 'visitor' })).toBeVisible()
  await line.letGo()
  await expect(row(page, 'note 11.txt')).toBeVisible()

  expect(changes.length).toBe(begun)
  expect(readdirSync(join(product.root, 'guests'))).toEqual(names)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('signing out asks about what is under way in another tab', async ({ page, product, context }) => {
  await product.signIn(page)
  const line = await holdJobs(page)
  await beginBatch(page, 'deletes')
  await expect(page.getByRole('dialog', { name: 'Deleting 12 items' })).toBeVisible()

  const other = await context.newPage()
  await other.goto(product.url)
  await other.getByRole('button', { name: 'Logout' }).click()
  const question = other.getByRole('alertdialog', { name: 'Logout' })
  await expect(question.getByRole('listitem')).toHaveText(['Deleting 12 items · 0 of 12'])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await line.letGo()
  // While the dialog is there, it hides the rows from the roles.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(row(page, 'note 00.txt')).toHaveCount(0)
  await other.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
})

test('what one person did is gone for the next one in the same tab', async ({ page, product }) => {
  await product.signIn(page)
  await page.setInputFiles('#upload-input', [textFile('secret plan.txt', 'of mine')])
  await expect(finished(page)).toBeVisible()
  await move(page, 'diary.txt', 'archive')
  await expect(page.getByRole('button', { name: 'Undo' }).first()).toBeVisible()
  await choose(page, 'note 03.txt')
  await page.keyboard.press('ControlOrMeta+x')
  await expect(page.getByText('will move where you paste it')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()

  for (const name of ['secret plan', 'diary', 'note 03', 'archive']) expect(await keptTexts(page)).not.toContain(name)
  await signInHere(page, 'visitor')
  await expect(row(page, 'note 03.txt')).toBeVisible()
  await expect(tray(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  await expect(page.locator('[data-toast]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Actions for note 03.txt' }).click()
  await expect(page.getByRole('menuitem', { name: 'Paste' })).toBeDisabled()
})

test('a session that was ended elsewhere leaves no dialog, no address and no offer to the next person', async ({
  page,
  product,
}) => {
  await product.signIn(page, 'files/archive/')
  await page.getByRole('button', { name: 'New folder' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('secret')
  await page.evaluate(() => {
    localStorage.removeItem('jwt')
    dispatchEvent(new StorageEvent('storage', { key: 'jwt', newValue: null }))
  })
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await signInHere(page, 'visitor')
  await expect(row(page, 'note 00.txt')).toBeVisible()
  await expect(page).toHaveURL(new URL('files/', product.url).href)
})

test('files kept for an interrupted upload are removed by signing out, after a question', async ({ page, product }) => {
  await product.signIn(page)
  await interruptUpload(page)
  await expect(tray(page).getByRole('button', { name: 'Continue' })).toBeVisible()
  expect(await keptFiles(page)).toBe(2)

  await page.getByRole('button', { name: 'Logout' }).click()
  const question = page.getByRole('alertdialog', { name: 'Logout' })
  await expect(question.getByRole('listitem')).toHaveText(['1 upload was interrupted'])
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await keptFiles(page)).toBe(2)
  await page.getByRole('button', { name: 'Logout' }).click()
  await question.getByRole('button', { name: 'Logout' }).click()

  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expect.poll(() => keptFiles(page)).toBe(0)
})

test('a session that runs out keeps them for the same person alone', async ({ page, product }) => {
  await addUser(product, 'writer', password)
  await signInAs(page, product, 'writer', password)
  await interruptUpload(page)
  await runOut(page)
  expect(await keptFiles(page)).toBe(2)
  await signInHere(page, 'writer')
  await expect(tray(page).getByRole('button', { name: 'Continue' })).toBeVisible()

  await runOut(page)
  await signInHere(page, 'visitor')
  await expect.poll(() => keptFiles(page)).toBe(0)
  await expect(tray(page)).toHaveCount(0)
})

test('an upload under way is asked about, goes on after "Cancel", and is never sent on in another session', async ({
  page,
  product,
}) => {
  await product.signIn(page)
  const tokens = new Set<string | undefined>()
  page.on('request', (request) => request.url().includes('/api/tus/') && tokens.add(request.headers()['x-auth']))
  const line = await holdUploads(page, isPatch)
  await page.setInputFiles('#upload-input', [bigFile('film.bin', large), bigFile('film 2.bin', large)])
  await line.held

  await page.getByRole('button', { name: 'Logout' }).click()
  const question = page.getByRole('alertdialog', { name: 'Logout' })
  await expect(question.getByRole('listitem')).toHaveText(['Uploading 2 files'])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(tray(page).getByRole('heading', { name: 'Uploading 2 files' })).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()
  await question.getByRole('button', { name: 'Logout' }).click()
  await signInHere(page, 'visitor')
  await line.release()
  await expect(row(page, 'note 00.txt')).toBeVisible()
  await expect(tray(page)).toHaveCount(0)
  expect(tokens.size).toBe(1)
  expect(existsSync(join(product.root, 'guests/film.bin'))).toBe(false)
  await expect.poll(() => keptFiles(page)).toBe(0)
})

/** Within the page: a reload would forget everything anyway. */
async function signInHere(page: Page, username: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Username' }).fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
  await expect(page.getByRole('link', { name: username })).toBeVisible()
}

async function beginBatch(page: Page, work: 'deletes' | 'moves'): Promise<void> {
  await row(page, 'note 00.txt').click()
  await row(page, 'note 11.txt').click({ modifiers: ['Shift'] })
  if (work === 'moves') return moveChosen(page, 'archive')
  await act(page, 'Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
}

async function move(page: Page, name: string, to: string): Promise<void> {
  await choose(page, name)
  await moveChosen(page, to)
}

async function moveChosen(page: Page, to: string): Promise<void> {
  await act(page, 'Move file')
  const dialog = page.getByRole('dialog', { name: 'Move' })
  await dialog.getByRole('option', { name: to }).click()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
}

/** Everything that changes files, as it leaves the page. */
function noteChanges(page: Page): string[] {
  const changes: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && pathname === '/api/jobs') changes.push(`POST ${pathname}`)
  })
  return changes
}

/** Reloads while the bytes are on their way. */
async function interruptUpload(page: Page): Promise<void> {
  const line = await holdUploads(page, isPatch)
  await page.setInputFiles('#upload-input', [bigFile('film.bin', large)])
  await line.held
  await expect.poll(() => keptFiles(page)).toBe(2)
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await line.release()
}

/** As when a token is no longer taken: the page is told so with its next request. */
async function runOut(page: Page): Promise<void> {
  await page.route('**/api/renew', (route) => route.fulfill({ status: 401, body: '401 Unauthorized' }))
  await page.reload()
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await page.unroute('**/api/renew')
}

/** Records of uploads under way, and the files beside them. */
const keptFiles = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('filestead-uploads')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const database = opening.result
          if (database.objectStoreNames.length === 0) return resolve(0)
          const transaction = database.transaction(['records', 'sources'])
          const counts = ['records', 'sources'].map((name) => transaction.objectStore(name).count())
          transaction.oncomplete = () => {
            database.close()
            resolve(counts.reduce((sum, { result }) => sum + result, 0))
          }
        }
      }),
  )

const keptTexts = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
