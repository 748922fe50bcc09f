import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listenForComplaints } from '../complaints.ts'
import { expect, test } from '../product.ts'
import { bigFile, finished, holdUploads, isPatch, job, sha256, sha256Of, textFile, tray } from '../uploads.ts'

test.beforeEach(({ product }) => product.put({ 'Photos/': '', 'letter.txt': 'Dear reader' }))

test('chosen files arrive with their bytes and their time', async ({ page, product }) => {
  const complaints = await listenForComplaints(page)
  const big = bigFile('film.bin', 11 * 1024 * 1024)
  await product.signIn(page)
  const hold = await holdUploads(page, isPatch)
  await page.setInputFiles('#upload-input', [big, textFile('a.txt', 'one'), textFile('empty.txt', '')])

  await hold.held
  await expect(tray(page).getByRole('heading', { name: /Uploading \d+ files/ })).toBeVisible()
  await expect(page.getByRole('progressbar', { name: 'Uploading' })).toBeAttached()
  await expect(tray(page).getByRole('progressbar', { name: 'Upload progress' })).toBeVisible()
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'uploading')
  await expect(job(page, 'film.bin').getByRole('progressbar', { name: 'film.bin' })).toBeVisible()
  await expect(tray(page).getByTestId('upload-fraction')).toHaveText(/^[\d.]+ MB \/ 11\.53 MB$/)
  await expect(tray(page).getByTestId('upload-percentage')).toHaveText(/^\d+\.\d\d%$/)
  await expect(tray(page).getByTestId('upload-eta')).toHaveText(/^(--:--:--|\d\d:\d\d:\d\d)$/)
  await expect(tray(page).getByTestId('upload-speed')).toHaveText(/^[\d.]+ [KM]B\/s$/)
  await hold.release()

  await expect(finished(page)).toBeVisible()
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'done')
  await expect(page.getByRole('progressbar', { name: 'Uploading' })).toHaveCount(0)
  await expect(page.getByRole('status').filter({ hasText: '3 files uploaded' })).toBeVisible()
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(big.buffer))
  expect(await readFile(join(product.root, 'a.txt'), 'utf8')).toBe('one')
  expect((await stat(join(product.root, 'empty.txt'))).size).toBe(0)
  await tray(page).getByRole('button', { name: 'Close uploads' }).click()
  await expect(tray(page)).toHaveCount(0)
  expect(complaints).toEqual([])
})
