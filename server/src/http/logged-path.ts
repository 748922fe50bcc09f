/**
 * A path with the hashes of shares redacted, for the log. A hash is all that a visitor needs, so only its beginning is
 * logged: enough to find the share in the list, and not enough to open it.
 */
export function loggedPath(method: string, path: string): string {
  const shown = path.slice(0, mostShown)
  for (const address of [publicAddress, pageAddress])
    if (address.test(shown)) return shown.replace(address, (_, before, hash) => before + shortened(hash))
  // An unknown address below /api/public may contain a hash anywhere.
  if (isPublic.test(shown)) return shown.split('/').map(shortened).join('/')
  if (method === 'DELETE') return shown.replace(hashOfOwner, (_, before, hash) => before + shortened(hash))
  return shown
}

/** In characters. */
const mostShown = 2000

/** Anywhere in the path: a proxy may have added a prefix. */
const publicAddress =
  /^((?:\/[^/]+)*?\/api\/+public(?:\/|%2f)+(?:dl|share|subtitle|preview(?:\/|%2f)+\w+)(?:\/|%2f)+)([^/]+)/i

const pageAddress = /^((?!\/api\/)(?:\/[^/]+)*?\/share(?:\/|%2f)+)([^/]+)/i

const isPublic = /\/api\/+public(?:\/|%2f)/i

const hashOfOwner = /^(\/api\/share\/+)([^/]+)\/*$/

/** The beginning of a hash, at most a fifth of it: the shortest hashes have eight characters. */
export const shortened = (text: string): string =>
  text.length < shortest ? text : `${text.slice(0, Math.min(4, Math.floor(text.length / 5)))}…`

const shortest = 8
