import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '../product.ts'
import { toast } from '../toast.ts'
import {
  bigFile,
  finished,
  holdUploads,
  isPatch,
  job,
  large,
  medium,
  sendPiecesOf,
  sha256,
  sha256Of,
  textFile,
  tray,
} from '../uploads.ts'

const piece = 512 * 1024

sendPiecesOf(piece)
test.beforeEach(({ product }) => product.put({ 'Photos/old.txt': 'old', 'letter.txt': 'Dear reader' }))

test('a cancelled file is withdrawn, a refused one can be retried, others arrive', async ({ page, product }) => {
  await product.signIn(page)
  await page.route('**/api/tus/refused.txt*', (route) => route.fulfill({ status: 403, body: '403 Forbidden' }))
  const hold = await holdUploads(page, (route) => isPatch(route) && route.request().url().includes('unwanted'))
  await page.setInputFiles('#upload-input', [
    bigFile('unwanted.txt', large),
    bigFile('refused.txt', medium),
    textFile('wanted.txt', 'wanted'),
  ])

  await expect(job(page, 'refused.txt')).toHaveAttribute('data-state', 'failed')
  await expect(job(page, 'refused.txt')).toContainText('Failed to create an upload: 403 Forbidden')
  await expect(job(page, 'wanted.txt')).toHaveAttribute('data-state', 'done')
  await hold.held
  const removal = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await job(page, 'unwanted.txt').getByRole('button', { name: 'Cancel unwanted.txt' }).click()
  await expect(job(page, 'unwanted.txt')).toHaveAttribute('data-state', 'skipped')
  expect((await removal).status()).toBe(204)
  await expect(finished(page)).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: '1 file could not be uploaded' })).toBeVisible()

  await page.unroute('**/api/tus/refused.txt*')
  await job(page, 'refused.txt').getByRole('button', { name: 'Retry refused.txt' }).click()
  await expect(job(page, 'refused.txt')).toHaveAttribute('data-state', 'done')
  expect((await readdir(product.root)).sort()).toEqual(['Photos', 'letter.txt', 'refused.txt', 'wanted.txt'])
})

test('aborting asks first, then withdraws everything that was begun', async ({ page, product }) => {
  await product.signIn(page)
  const hold = await holdUploads(page, isPatch)
  await page.setInputFiles(
    '#upload-input',
    Array.from({ length: 8 }, (_, index) => bigFile(`${index}.txt`, large)),
  )
  await hold.held
  await expect.poll(hold.count).toBe(5)
  await expect(job(page, '7.txt')).toHaveAttribute('data-state', 'queued')
  const question = page.getByRole('alertdialog', { name: 'Abort upload' })
  await tray(page).getByRole('button', { name: 'Abort upload' }).click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(tray(page)).toBeVisible()

  const removals: number[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'DELETE') removals.push(response.status())
  })
  await tray(page).getByRole('button', { name: 'Abort upload' }).click()
  await question.getByRole('button', { name: 'Abort' }).click()
  await expect(tray(page)).toHaveCount(0)
  await expect.poll(() => removals).toEqual([204, 204, 204, 204, 204])
  expect((await readdir(product.root)).sort()).toEqual(['Photos', 'letter.txt'])
})

test('files sent right after an abort are a run of their own', async ({ page, product }) => {
  await product.signIn(page)
  const withdrawal = await holdUploads(page, (route) => route.request().method() === 'DELETE')
  const sending = await holdUploads(page, isPatch)
  await page.setInputFiles('#upload-input', [bigFile('film.bin', large)])
  await sending.held
  await tray(page).getByRole('button', { name: 'Abort upload' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Abort' }).click()
  await withdrawal.held

  await page.setInputFiles('#upload-input', [bigFile('letter 2.bin', large)])
  await expect.poll(() => sending.count()).toBe(2)
  const answered = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await withdrawal.release()
  await answered
  await expect(tray(page)).toHaveAttribute('data-busy', 'true')
  const warning = page.waitForEvent('dialog')
  const reload = page.evaluate(() => location.reload()).catch(() => {})
  expect((await warning).type()).toBe('beforeunload')
  await (await warning).dismiss()
  await reload

  await sending.release()
  await expect(finished(page)).toBeVisible()
  await expect(toast(page, '1 file uploaded')).toBeVisible()
  expect(await readdir(product.root)).toEqual(['Photos', 'letter 2.bin', 'letter.txt'])
})

test('a file sent again right after an abort is not ended by the withdrawal', async ({ page, product }) => {
  const film = bigFile('film.bin', large)
  await product.signIn(page)
  const withdrawal = await holdUploads(page, (route) => route.request().method() === 'DELETE')
  const sending = await holdUploads(page, isPatch)
  await page.setInputFiles('#upload-input', [film])
  await sending.held
  await tray(page).getByRole('button', { name: 'Abort upload' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Abort' }).click()
  await withdrawal.held
  await sending.release()

  const methods: string[] = []
  page.on('request', (request) => request.url().includes('/api/tus/') && methods.push(request.method()))
  await page.setInputFiles('#upload-input', [film])
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'uploading')
  const answered = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await withdrawal.release()
  await answered

  await expect(finished(page)).toBeVisible()
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'done')
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(film.buffer))
  expect(methods).toEqual(['POST', 'PATCH'])
})

test('an upload cut off by the network waits and goes on', async ({ page, product, context }) => {
  const film = bigFile('film.bin', 2 * piece + 1000)
  await product.signIn(page)
  const hold = await holdUploads(page, (route) => route.request().headers()['upload-offset'] === String(piece))
  await page.setInputFiles('#upload-input', [film])
  await hold.held
  await context.setOffline(true)
  await hold.abort()
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'uploading')
  const look = page.waitForRequest((request) => request.method() === 'HEAD')
  await context.setOffline(false)

  await look
  await expect(finished(page)).toBeVisible()
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(film.buffer))
})

test('a failed request is tried again', async ({ page, product }) => {
  const film = bigFile('film.bin', 2 * piece + 1000)
  const answers = [502, 0]
  await product.signIn(page)
  await page.route('**/api/tus/**', (route) => {
    const answer = isPatch(route) ? answers.shift() : undefined
    if (answer === undefined) return route.continue()
    return answer === 0 ? route.abort() : route.fulfill({ status: answer, body: '<html>Bad gateway</html>' })
  })
  await page.setInputFiles('#upload-input', [film])
  await expect(finished(page)).toBeVisible()
  await expect(job(page, 'film.bin')).toHaveAttribute('data-state', 'done')
  expect(answers).toEqual([])
  expect(await sha256Of(join(product.root, 'film.bin'))).toBe(sha256(film.buffer))
})

test('a token renewed during an upload is used from then on', async ({ page, product }) => {
  await product.signIn(page)
  const credentials = { username: product.username, password: product.password }
  const login = await fetch(new URL('api/login', product.url), { method: 'POST', body: JSON.stringify(credentials) })
  const fresh = await login.text()
  const tokens: (string | undefined)[] = []
  await page.route('**/api/renew', (route) => route.fulfill({ body: fresh }))
  await page.route('**/api/tus/**', async (route) => {
    if (!isPatch(route)) return route.continue()
    tokens.push(route.request().headers()['x-auth'])
    if (tokens.length > 1) return route.continue()
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'x-renew-token': 'true' } })
  })
  const hold = await holdUploads(page, (route) => route.request().headers()['upload-offset'] === String(piece))
  await page.setInputFiles('#upload-input', [bigFile('film.bin', 3 * piece)])
  await hold.held
  await expect(tray(page).getByRole('heading', { name: /^Uploading \d+ files$/ })).toHaveText('Uploading 1 file')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('jwt'))).toBe(fresh)
  await hold.release()

  await expect(finished(page)).toBeVisible()
  expect(tokens[0]).not.toBe(fresh)
  expect(tokens.at(-1)).toBe(fresh)
})
