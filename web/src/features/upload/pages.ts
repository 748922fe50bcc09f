import { ownPage } from './kept.ts'

/** Which pages are still open? One that is sends its own uploads; nobody else offers to go on with them. */

const previousKey = 'filestead.upload-page'
const previous = sessionStorage.getItem(previousKey)

let isKnownAlive = false

/** Says that this page is alive, for as long as it is. */
export function liveHere(): void {
  if (isKnownAlive) return
  isKnownAlive = true
  sessionStorage.setItem(previousKey, ownPage)
  // Never let go: the browser does that when the page ends.
  void navigator.locks?.request(lockOf(ownPage), () => new Promise(() => {}))
}

/** The page that is being reloaded may take a moment to end. */
const patience = 1000

export async function hasEnded(page: string): Promise<boolean> {
  if (page === ownPage) return true
  // Without locks, as on a page without encryption, only what this very tab has left is known to be over.
  if (navigator.locks === undefined) return page === previous
  return navigator.locks.request(lockOf(page), { signal: AbortSignal.timeout(patience) }, () => true).catch(() => false)
}

const lockOf = (page: string): string => `filestead-upload-${page}`
