import type { Page, Route } from '@playwright/test'

type End = (route: Route) => Promise<void>

/** Keeps every request to an address waiting, from now on until they are let go, or broken off. */
export async function hold(
  page: Page,
  address: string | RegExp,
): Promise<{ letGo(): Promise<void>; breakOff(): Promise<void> }> {
  const waiting: Route[] = []
  let end: End | null = null
  await page.route(address, (route) => (end === null ? void waiting.push(route) : end(route)))
  async function endWith(next: End): Promise<void> {
    end = next
    // A page that was left does not take the answer any more.
    await Promise.all(waiting.map((route) => next(route).catch(() => {})))
    // Only now: requests that still wait when the route is removed are sent by the browser.
    await page.unroute(address)
  }
  return { letGo: () => endWith((route) => route.continue()), breakOff: () => endWith((route) => route.abort()) }
}
