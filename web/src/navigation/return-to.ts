import { goTo, hrefOf, mayLeave, stepBack } from './location.ts'

/**
 * Closes what is in view: goes back where the history came from that address, so that "Back" does not open again what
 * was closed. What was opened by its own address is replaced. Unsaved changes are asked about first.
 */
export async function returnTo(address: string): Promise<void> {
  if (await mayLeave(address)) await goBackTo(address)
}

let returning: Promise<void> | null = null

/** The same without asking the guards, for what is gone already. Resolves when the page is there. */
export function goBackTo(address: string): Promise<void> {
  // The history moves a moment later: a second press must not go back twice.
  if (returning !== null) return returning
  const previous = previousAddress()
  if (previous !== hrefOf(address) && !isResults(previous)) {
    goTo(address, { replace: true })
    return Promise.resolve()
  }
  returning = stepBack().finally(() => {
    returning = null
  })
  return returning
}

/** What was opened from the results of a search leads back to them. */
const isResults = (address: string | null): boolean => address !== null && /\/\?query=/.test(address)

/**
 * The address before this one, if the page was there without being loaded anew: going back to another page would end
 * uploads. Browsers without the Navigation API do not tell it; there the entry is replaced, too.
 */
function previousAddress(): string | null {
  if (!('navigation' in window)) return null
  const { currentEntry } = window.navigation
  const previous = currentEntry === null ? undefined : window.navigation.entries()[currentEntry.index - 1]
  if (previous?.url == null || !previous.sameDocument) return null
  const { pathname, search } = new URL(previous.url)
  return pathname + search
}
