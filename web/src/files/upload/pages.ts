import { note } from '../../state/personal-storage.ts'

/** Unlike that of any other page, here or in another tab. */
export const ownPage = Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join('')

const previousKey = 'filestead.upload-page'
const previous = sessionStorage.getItem(previousKey)

let isMarked = false

/** Marks this page as open for as long as it is: the uploads of an open page are offered nowhere else. */
export function markPageOpen(): void {
  if (isMarked) return
  isMarked = true
  note(sessionStorage, previousKey, ownPage)
  // Never released: the browser does that when the page ends.
  void navigator.locks?.request(lockOf(ownPage), () => new Promise(() => {}))
}

/** A page that is being reloaded may take a moment to end. */
const longestEnd = 1000

export async function hasEnded(page: string): Promise<boolean> {
  if (page === ownPage) return true
  // Without locks, as on a page without encryption, only what this very tab has left is known to be over.
  if (navigator.locks === undefined) return page === previous
  const signal = AbortSignal.timeout(longestEnd)
  return navigator.locks.request(lockOf(page), { signal }, () => true).catch(() => false)
}

const lockOf = (page: string): string => `filestead-upload-${page}`
