import { startSettings } from '../api/start-settings.ts'
import { watched } from '../state/watched.ts'

/** Where the page is, below the base URL. `pathname` stays percent-encoded: a name may hold anything. */
export interface Address {
  pathname: string
  search: string
}

/** Asked before the page goes elsewhere; false keeps it where it is. */
type Guard = (to: string) => boolean | Promise<boolean>

const guards = new Set<Guard>()
const address = watched(read())
/** How many pages of ours lie behind this one, so that "back" never leaves the product by accident. */
let depth = Number(history.state?.depth ?? 0)
let isPopped = false

export const useLocation = address.use

export const currentLocation = address.get

/** Goes to an address below the base URL, such as /files/photos/. Answers whether the page went there. */
export async function navigate(to: string, options: { replace?: boolean } = {}): Promise<boolean> {
  if (!(await mayLeave(to))) return false
  goTo(to, options)
  return true
}

/** Goes there without asking anybody; for whoever has asked already. */
export function goTo(to: string, options: { replace?: boolean } = {}): void {
  isPopped = false
  if (options.replace === true) history.replaceState({ depth }, '', startSettings.BaseURL + to)
  else {
    depth += 1
    history.pushState({ depth }, '', startSettings.BaseURL + to)
  }
  publish()
}

export const canGoBack = (): boolean => depth > 0

/** Not every browser tells; there the way is open and may lead nowhere. */
export const canGoForward = (): boolean => !('navigation' in window) || window.navigation.canGoForward

/** Did the person come here by "back" or "forward", and so to something they have seen before? */
export const isRevisiting = (): boolean => isPopped

/** Lets `guard` decide whether the page may be left. Answers how to take it away. */
export function guardLeaving(guard: Guard): () => void {
  guards.add(guard)
  return () => guards.delete(guard)
}

/** Is there anything on the page that would be lost by leaving it? */
export const isGuarded = (): boolean => guards.size > 0

/** The address that a link shows and a new tab opens. */
export const hrefOf = (to: string): string => startSettings.BaseURL + to

export async function mayLeave(to: string): Promise<boolean> {
  for (const guard of guards) if (!(await guard(to))) return false
  return true
}

/** What the next popstate is: our own step back to ask first, or the step that was then allowed. */
let own: 'returning' | 'following' | null = null

addEventListener('popstate', () => {
  if (own === 'returning') {
    own = null
    return
  }
  const next = Number(history.state?.depth ?? 0)
  if (own === 'following' || guards.size === 0) {
    own = null
    depth = next
    isPopped = true
    publish()
    return
  }
  void askFirst(read(), next - depth)
})

/** The browser has moved already: return to where the person still is, ask, and only then follow. */
async function askFirst(to: Address, step: number): Promise<void> {
  if (step === 0) return publish()
  own = 'returning'
  history.go(-step)
  if (!(await mayLeave(to.pathname + to.search))) return
  own = 'following'
  history.go(step)
}

function read(): Address {
  const base = startSettings.BaseURL
  const { pathname, search } = window.location
  return { pathname: pathname.startsWith(base) ? pathname.slice(base.length) || '/' : pathname, search }
}

const publish = (): void => address.set(read())
