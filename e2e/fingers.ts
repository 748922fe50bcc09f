import type { Locator, Page } from '@playwright/test'

interface Point {
  x: number
  y: number
}

/** Fingers on the screen, as the system tells of them: what browsers make of them is theirs. */
export async function fingersOn(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints })

  return {
    /** Stays until `release`. */
    async hold(target: Locator): Promise<void> {
      const box = await target.boundingBox()
      if (box === null) throw new Error('There is nothing to put a finger on')
      await send('touchStart', [{ x: box.x + Math.min(120, box.width / 2), y: box.y + box.height / 2 }])
    },
    release: () => send('touchEnd', []),

    /** One finger, or several at once, from each first point to the second. */
    async draw(...ways: [from: Point, to: Point][]): Promise<void> {
      const at = (part: number) =>
        ways.map(([from, to]) => ({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }))
      await send('touchStart', at(0))
      for (const part of [0.25, 0.5, 0.75, 1]) await send('touchMove', at(part))
      await send('touchEnd', [])
    },
  }
}
