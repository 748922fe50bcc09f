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

/** Lays a keyboard over the page, as phones do, so that only this height of it is seen still. */
export async function seeAboveKeyboard(page: Page, height: number): Promise<void> {
  await page.evaluate((height) => {
    const view = window.visualViewport as VisualViewport
    Object.defineProperty(view, 'height', { value: height, configurable: true })
    view.dispatchEvent(new Event('resize'))
  }, height)
}
