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

/** Keeps the answer to the first request to an address waiting, which the server gives at once. Later ones pass. */
export async function holdAnswer(page: Page, address: string | RegExp): Promise<Pick<Hold, 'held' | 'letGo'>> {
  let [noteHeld, go] = [() => {}, () => {}]
  const held = new Promise<void>((resolve) => {
    noteHeld = resolve
  })
  const going = new Promise<void>((resolve) => {
    go = resolve
  })
  let isFirst = true
  await page.route(address, async (route) => {
    if (!isFirst) return route.fallback()
    isFirst = false
    const response = await route.fetch()
    noteHeld()
    await going
    // A page that does not want it any more does not take it.
    await route.fulfill({ response }).catch(() => {})
  })
  return { held, letGo: async () => go() }
}
