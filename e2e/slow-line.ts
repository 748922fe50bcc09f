import type { Page, Route } from '@playwright/test'

/** Keeps every request to an address waiting, until they are let go, or broken off. */
export function hold(page: Page, address: string): { letGo(): Promise<void>; breakOff(): Promise<void> } {
  const waiting: Route[] = []
  const isHeld = page.route(address, (route) => void waiting.push(route))
  async function endWith(end: (route: Route) => Promise<void>): Promise<void> {
    await isHeld
    await page.unroute(address)
    // Whoever has left does not want the answer any more.
    await Promise.all(waiting.map((route) => end(route).catch(() => {})))
  }
  return { letGo: () => endWith((route) => route.continue()), breakOff: () => endWith((route) => route.abort()) }
}
