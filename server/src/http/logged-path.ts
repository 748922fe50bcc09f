/**
 * The path of an address as the log may tell it. A link's hash is all that a visitor needs, so only its beginning is
 * told: enough to find the link in the list of shares, and never enough to use it.
 */
export function loggedPath(method: string, path: string): string {
  const shown = path.slice(0, mostShown)
  for (const address of [publicAddress, pageAddress])
    if (address.test(shown)) return shown.replace(address, (_, before, hash) => before + shortened(hash))
  // What else lies below the public door is no address of ours; a hash may stand anywhere in it.
  if (isPublic.test(shown)) return shown.split('/').map(shortened).join('/')
  if (method === 'DELETE') return shown.replace(hashOfOwner, (_, before, hash) => before + shortened(hash))
  return shown
}

const mostShown = 2000

/** Below the base URL or, where a proxy has cut that off or put something before it, anywhere. */
const publicAddress =
  /^((?:\/[^/]+)*?\/api\/+public(?:\/|%2f)+(?:dl|share|subtitle|preview(?:\/|%2f)+\w+)(?:\/|%2f)+)([^/]+)/i

const pageAddress = /^((?!\/api\/)(?:\/[^/]+)*?\/share(?:\/|%2f)+)([^/]+)/i

const isPublic = /\/api\/+public(?:\/|%2f)/i

const hashOfOwner = /^(\/api\/share\/+)([^/]+)$/

/** The beginning of a link's hash. A fifth of it at most: old links have eight characters. */
export const shortened = (text: string): string =>
  text.length < shortest ? text : `${text.slice(0, Math.min(4, Math.floor(text.length / 5)))}…`

const shortest = 8
