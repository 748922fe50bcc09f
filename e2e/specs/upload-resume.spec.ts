import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../product.ts'
import {
  bigFile,
  carriesBytes,
  finished,
  holdUploads,
  isPatch,
  sendPiecesOf,
  sha256,
  sha256Of,
  tray,
} from '../uploads.ts'

const piece = 256 * 1024
/** One whole piece and a bit. */
const size = piece + 3000

sendPiecesOf(piece)
test.beforeEach(({ product }) => product.put({ 'letter.txt': 'Dear reader' }))

test('an upload interrupted by a reload goes on at the offset of the server', async ({ page, product }) => {
  const film = bigFile('film.bin', size)
  await product.signIn(page)
  await leaveInTheMiddle(page, [film])

  await expect(tray(page).getByRole('heading', { name: '1 upload was interrupted' })).toBeVisible()
  const offsets = noteOffsets(page)
  await tray(page).getByRole('button', { name: 'Continue' }).click()

  await expect(finished(page)).toBeVisible()
  expect(offsets).toEqual([String(piece)])
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(film.buffer))
  await expectNothingLeft(page)
})

test('an interrupted upload whose file was not kept asks for the file', async ({ page, product }) => {
  const place = await mkdtemp(join(tmpdir(), 'filestead-upload-'))
  const [film, other] = [bigFile('film.bin', size), bigFile('film.bin', size)]
  const path = join(place, 'film.bin')
  await writeFile(path, film.buffer)
  await product.signIn(page)
  await leaveInTheMiddle(page, path)
  await forgetKeptFiles(page)

  await expect(tray(page).getByText(/Choose the file again to go on: .?film\.bin/)).toBeVisible()
  await tray(page).getByTestId('upload-again-input').setInputFiles([other])
  await expect(tray(page).getByRole('button', { name: 'Choose files' })).toBeVisible()
  const offsets = noteOffsets(page)
  await tray(page).getByTestId('upload-again-input').setInputFiles(path)

  await expect(finished(page)).toBeVisible()
  expect(offsets).toEqual([String(piece)])
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(film.buffer))
  await rm(place, { recursive: true })
})

test('a discarded upload leaves nothing in the browser or on the server', async ({ page, product }) => {
  await product.signIn(page)
  await leaveInTheMiddle(page, [bigFile('film.bin', size)])
  const removal = page.waitForResponse((response) => response.request().method() === 'DELETE')

  await tray(page).getByRole('button', { name: 'Discard' }).click()

  expect((await removal).status()).toBe(204)
  await expect(tray(page)).toHaveCount(0)
  expect(await readdir(product.root)).toEqual(['letter.txt'])
  await expectNothingLeft(page)
})

test('uploads of a page that is open are not offered in another one', async ({ page, product, context }) => {
  await product.signIn(page)
  const hold = await holdUploads(page, carriesBytes)
  await page.setInputFiles('#upload-input', [bigFile('film.bin', 1000)])
  await hold.held
  await expect.poll(() => page.evaluate(() => localStorage.getItem('filestead.uploads'))).toBe('1')

  const second = await context.newPage()
  await second.goto(product.url)
  await expect(second.getByRole('button', { name: 'Logout' })).toBeVisible()
  await second.waitForFunction(async () => (await navigator.locks.query()).held?.length === 2)
  await expect(tray(second)).toHaveCount(0)

  await hold.release()
  await expect(finished(page)).toBeVisible()
})

/** Reloads when the first piece has arrived and the second is on its way. */
async function leaveInTheMiddle(page: Page, files: Parameters<Page['setInputFiles']>[1]): Promise<void> {
  const hold = await holdUploads(page, (route) => isPatch(route) && route.request().headers()['upload-offset'] !== '0')
  await page.setInputFiles('#upload-input', files)
  await hold.held
  const warning = page.waitForEvent('dialog')
  const reload = page.reload()
  expect((await warning).type()).toBe('beforeunload')
  await (await warning).accept()
  await reload
  await hold.release()
}

/** As in a browser that keeps no files, or with one that is too big to be copied. */
async function forgetKeptFiles(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('filestead-uploads')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('sources', 'readwrite')
          transaction.objectStore('sources').clear()
          transaction.oncomplete = () => resolve()
        }
      }),
  )
  await page.reload()
}

function noteOffsets(page: Page): string[] {
  const offsets: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '')
  })
  return offsets
}

async function expectNothingLeft(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => localStorage.getItem('filestead.uploads'))).toBeNull()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  await expect(tray(page)).toHaveCount(0)
}
