import { startSettings } from '../server/start-settings.ts'
import { createStore } from '../state/store.ts'

/** Where the page is, below the base URL. `pathname` stays percent-encoded: a name may hold anything. */
export interface Address {
  pathname: string
  search: string
}

/** Asked before the page goes elsewhere; false keeps it where it is. */
type Guard = (to: string) => boolean | Promise<boolean>

const guards = new Set<Guard>()
const address = createStore(read())
/** How many pages of ours lie behind this one, so that "back" never leaves the product by accident. */
let depth = depthInHistory() ?? 0
let isPopped = false

export const useLocation = address.use

export const currentLocation = address.get

/** Goes to an address below the base URL, such as /files/photos/. Answers whether the page went there. */
export async function navigate(to: string, options: { replace?: boolean } = {}): Promise<boolean> {
  if (!(await mayLeave(to))) return false
  goTo(to, options)
  return true
}

/** Goes there without asking the guards; for callers that have asked already. */
export function goTo(to: string, options: { replace?: boolean; wanted?: string } = {}): void {
  isPopped = false
  const { wanted } = options
  if (options.replace === true) history.replaceState({ depth, wanted }, '', startSettings.BaseURL + to)
  else {
    depth += 1
    history.pushState({ depth }, '', startSettings.BaseURL + to)
  }
  publish()
}

/** How long the browser may take for a step back, in milliseconds. One that another navigation has replaced never comes. */
const longestStep = 1000

/** Goes back without asking the guards; for callers that have asked already. Resolves when the page is there. */
export async function stepBack(): Promise<void> {
  isAllowed = true
  history.back()
  await hasStepped(longestStep)
  isAllowed = false
}

export const canGoBack = (): boolean => depth > 0

/** Not every browser tells; there the way is open and may lead nowhere. */
export const canGoForward = (): boolean => !('navigation' in window) || window.navigation.canGoForward

/** Was the present address reached by "back" or "forward", and so has been seen before? */
export const isRevisiting = (): boolean => isPopped

/**
 * The one guard for unsaved changes. `guard` is asked before the page goes elsewhere, and until it is taken away the
 * browser asks before the tab is closed or loaded anew. Answers how to take it away.
 */
export function guardLeaving(guard: Guard): () => void {
  guards.add(guard)
  addEventListener('beforeunload', warnBeforeUnload)
  return () => {
    guards.delete(guard)
    if (guards.size === 0) removeEventListener('beforeunload', warnBeforeUnload)
  }
}

const warnBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Is there anything on the page that would be lost by leaving it? */
export const isGuarded = (): boolean => guards.size > 0

/** The address that a link shows and a new tab opens. */
export const hrefOf = (to: string): string => startSettings.BaseURL + to

let isAsking = false

/** Asks the guards, one after the other. While they are being asked, a second wish to leave is refused. */
export async function mayLeave(to: string): Promise<boolean> {
  if (isAsking) return false
  isAsking = true
  try {
    for (const guard of guards) if (!(await guard(to))) return false
    return true
  } finally {
    isAsking = false
  }
}

// The first entry gets its depth, too, so that an entry without one is known to be made by the browser.
history.replaceState({ ...history.state, depth }, '')

/** The address that led to the present one instead, also after a reload. */
export const wantedAddress = (): string | undefined => history.state?.wanted

/** Set once the guards have let a step through the history pass, until the browser has made it. */
let isAllowed = false

addEventListener('popstate', () => {
  const target = depthInHistory()
  if (target === undefined) return addOwnEntry()
  if (guards.size === 0 || isAllowed) return follow(target)
  if (target === depth) return
  // The browser has moved already, but the page has not: the history goes back to where the page is.
  const to = read()
  void returnToPage()
  if (!isAsking && !isStepAsked) void askThenStep(to, target)
})

/** The part after # was changed in the address bar: a new entry for the same page. */
function addOwnEntry(): void {
  depth += 1
  history.replaceState({ depth }, '')
}

function follow(target: number): void {
  isAllowed = false
  depth = target
  isPopped = true
  publish()
}

let isStepAsked = false

/** Asks once the history is at rest: a step through it cancels the request for the code of the question. */
async function askThenStep(to: Address, target: number): Promise<void> {
  isStepAsked = true
  try {
    await returnToPage()
    if (!(await mayLeave(to.pathname + to.search))) return
    await returnToPage()
  } finally {
    isStepAsked = false
  }
  isAllowed = true
  history.go(target - depth)
}

/** How long after the last step through the history no other one is expected to be on its way, in milliseconds. */
const stepTime = 150

const mostCorrections = 10

let returning: Promise<void> | null = null

/**
 * Steps through the history are made later and one at a time, and "back" may be pressed again meanwhile. One correction
 * is made at a time, from where the history has come to rest, until it is where the page is.
 */
function returnToPage(): Promise<void> {
  returning ??= correctHistory().finally(() => {
    returning = null
  })
  return returning
}

async function correctHistory(): Promise<void> {
  for (let tries = 0; tries < mostCorrections; tries += 1) {
    const here = depthInHistory()
    if (here === undefined || here === depth) return
    history.go(depth - here)
    while (depthInHistory() !== depth && (await hasStepped()));
  }
}

const hasStepped = (within = stepTime): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isStep: boolean) => {
      removeEventListener('popstate', onStep)
      clearTimeout(timer)
      resolve(isStep)
    }
    const onStep = () => end(true)
    const timer = setTimeout(end, within, false)
    addEventListener('popstate', onStep)
  })

function depthInHistory(): number | undefined {
  return history.state?.depth
}

function read(): Address {
  const base = startSettings.BaseURL
  const { pathname, search } = window.location
  return { pathname: pathname.startsWith(base) ? pathname.slice(base.length) || '/' : pathname, search }
}

const publish = (): void => address.set(read())
