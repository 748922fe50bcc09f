import type { Page } from '@playwright/test'

interface Size {
  width: number
  height: number
}

export const desk: Size = { width: 1440, height: 900 }

export const phone: Size = { width: 390, height: 844 }

/** Gives the page another size, and waits until it is laid out for it. */
export async function resize(page: Page, size: Size): Promise<void> {
  await page.setViewportSize(size)
  // One frame for the page to notice its new width, one more to be laid out.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}
