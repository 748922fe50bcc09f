import { filesPathOf } from '../navigation/addresses.ts'
import { currentLocation } from '../navigation/location.ts'
import { isAnsweredEarly } from '../server/client.ts'
import { resourcePath } from '../server/paths.ts'
import { cache } from '../server/queries/cache.ts'
import { resourceQuery } from '../server/queries/resources.ts'
import { sessionStore } from '../state/session-scope.ts'

/** In milliseconds. A server that takes longer is waited for by the page itself, which says so. */
const longestWait = 60

/** In milliseconds. The page may have to wait for the token; what is older is read again. */
const longestUnshown = 10_000

/** The folder that was read before the page was there to show it. */
const unshown = sessionStore<{ path: string; at: number } | null>(null)

/** Reads the folder that the page starts with, if it has arrived with the code: the first picture then has its rows. */
export async function readFirstListing(): Promise<void> {
  const address = currentLocation()
  if (!address.pathname.endsWith('/') || address.search !== '') return
  const path = filesPathOf(address)
  let isLate = false
  const reading = async () => {
    if (!(await isAnsweredEarly(resourcePath(path))) || isLate) return
    unshown.set({ path, at: Date.now() })
    await cache().prefetchQuery(resourceQuery(path))
  }
  await Promise.race([reading(), new Promise((resolve) => setTimeout(resolve, longestWait))])
  isLate = true
}

/** What was read for the first picture is not read again when that is drawn. */
export function isReadForStart(path: string): boolean {
  const read = unshown.get()
  return read?.path === path && Date.now() - read.at < longestUnshown
}

export const startIsShown = (): void => unshown.set(null)
