/**
 * What a script meant that glued `https://host/` and `/api/login` together, or encoded the first slash of a path with the
 * rest of it. Only addresses for programs are looked at: whatever else begins with two slashes must not send anybody
 * anywhere.
 */
export function meantBy(path: string): string {
  if (encodedSlash.test(path)) return path.replace(encodedSlash, '$1/')
  if (!path.startsWith('//') && !path.startsWith('/api//')) return path
  const [, health, call] = glued.exec(path) ?? []
  if (health !== undefined) return '/health'
  return call === undefined ? path : `/api/${call}`
}

/** Only what is there: a way up that is spelt with slashes must come to nothing, and not to another address. */
const glued =
  /^\/+(?:(health)|api\/+((?:command|login|preview|public|raw|renew|resources|search|settings|shares?|signup|subtitle|tus|usage|users)(?:\/.*)?))$/

/** Calls that a path of a file follows, unless the path begins with a way up. */
const encodedSlash =
  /^(\/api\/(?:resources|raw|tus|share|usage|search|subtitle|public\/(?:share|dl)))(?:%2f)+(?!%2f|(?:\.|%2e){2})/i
