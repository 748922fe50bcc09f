import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findBarriers } from '../barriers.ts'
import { signInAs } from '../people.ts'
import { expect, launch, test } from '../product.ts'

const sample = resolve(import.meta.dirname, '../../server/test/samples/filebrowser.db')

test('after the takeover an administrator is told what changed, until one has read it', async ({ page }) => {
  const home = await mkdtemp(join(tmpdir(), 'filestead-moved-'))
  await copyFile(sample, join(home, 'filebrowser.db'))
  const { product, stop } = await launch('-d', join(home, 'filebrowser.db'))
  try {
    await signInAs(page, product, 'reader', 'Reader-pass-12')
    await expect(page.locator('main[aria-busy=false]')).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.getByRole('button', { name: 'Logout' }).click()

    await signInAs(page, product, 'admin', 'Adm1n-password-xyz')
    const notice = page.getByRole('dialog', { name: 'What changed' })
    await expect(notice).toContainText('3 users')
    await expect(notice.getByRole('list', { name: 'What changed' }).getByRole('listitem').first()).toBeVisible()
    expect(await findBarriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(notice).toBeHidden()

    await page.reload()
    await notice.getByRole('link', { name: 'Look after it' }).first().click()
    await expect(page).toHaveURL(/\/settings\//)
    await expect(notice).toBeHidden()

    await page.reload()
    const marked = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await notice.getByRole('button', { name: 'OK' }).click()
    expect((await marked).status()).toBe(204)
    const asked = page.waitForResponse(/api\/takeover$/)
    await page.reload()
    expect((await asked).status()).toBe(204)
    await expect(page.locator('main[aria-busy=false]')).toBeVisible()
    await expect(notice).toBeHidden()
  } finally {
    await stop()
    await rm(home, { recursive: true, force: true })
  }
})
