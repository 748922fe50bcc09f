import type { Page, Route } from '@playwright/test'

interface Hold {
  /** The first request has come. */
  held: Promise<void>
  letGo(): Promise<void>
  breakOff(): Promise<void>
}

/**
 * Keeps every request to an address waiting, or those of one method, from now on until they are let go, or broken off.
 * Later ones pass.
 */
export async function hold(page: Page, address: string | RegExp, method?: string): Promise<Hold> {
  const waiting: Route[] = []
  let isOver = false
  let noteFirst = () => {}
  const held = new Promise<void>((resolve) => {
    noteFirst = resolve
  })
  // The route stays: a request that is on its way to it while it is removed may wait for ever.
  await page.route(address, async (route) => {
    if (isOver || (method !== undefined && route.request().method() !== method)) return route.fallback()
    waiting.push(route)
    noteFirst()
  })
  async function endWith(end: (route: Route) => Promise<void>): Promise<void> {
    // What the page shows while it waits may be there before the request has come here.
    await held
    isOver = true
    // A page that was left does not take the answer any more.
    await Promise.all(waiting.map((route) => end(route).catch(() => {})))
  }
  return { held, letGo: () => endWith((route) => route.continue()), breakOff: () => endWith((route) => route.abort()) }
}
