import type { Locator, Page } from '@playwright/test'
import { expect, type Product } from './product.ts'

/** Signs in and opens one file in its viewer. */
export async function show(page: Page, product: Product, path: string, width?: number): Promise<void> {
  if (width !== undefined) await page.setViewportSize({ width, height: width < 700 ? 844 : 900 })
  await product.signIn(page, addressOf(path))
  await expect(page.getByRole('region', { name: 'Preview' })).toBeVisible()
}

export async function open(page: Page, product: Product, path: string): Promise<void> {
  await page.goto(new URL(addressOf(path), product.url).href)
  await expect(page.getByRole('region', { name: 'Preview' })).toBeVisible()
}

/** The name of what the viewer shows. The tray of jobs has a head and headings of its own. */
export const titleIn = (page: Page): Locator => page.locator('header[data-bar] h2')

const addressOf = (path: string) => `files/${path.split('/').map(encodeURIComponent).join('/')}`

/** A book's frame runs no script, not even the ones by which a test looks into it; the browser says so each time. */
export const exceptOwnLooks = (complaints: readonly string[]): string[] =>
  complaints.filter((complaint) => !complaint.startsWith('Blocked script execution in'))
