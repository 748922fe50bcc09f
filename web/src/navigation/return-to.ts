import { hrefOf, navigate } from './location.ts'

let isReturning = false

/**
 * Closes what is in view: goes back where the history came from that address, so that "Back" does not open again what
 * was closed. What was opened by its own address is replaced.
 */
export function returnTo(address: string): void {
  // The history moves a moment later: a second press must not go back twice.
  if (isReturning) return
  if (previousAddress() !== hrefOf(address)) return void navigate(address, { replace: true })
  isReturning = true
  addEventListener(
    'popstate',
    () => {
      isReturning = false
    },
    { once: true },
  )
  history.back()
}

/** Browsers without the Navigation API do not tell it; there the entry is replaced, too. */
function previousAddress(): string | null {
  if (!('navigation' in window)) return null
  const { currentEntry } = window.navigation
  const url = currentEntry === null ? null : window.navigation.entries()[currentEntry.index - 1]?.url
  if (url == null) return null
  const { pathname, search } = new URL(url)
  return pathname + search
}
