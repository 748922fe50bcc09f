/** How many segments of a target are compared with what was sent; of a deeper one only these are. */
const comparedDepth = 24

/** The segments of a target, decoded, as the router of the runtime matched them. */
type Segments = Readonly<Record<string, string>>

type RoutedRequest = Request & { readonly params?: Segments }

/**
 * `request.url` is a normalised target: the runtime has replaced `\` by `/` and resolved `..`. A proxy that decides by
 * path has seen the target before that, so that a request could pass its rules as one path and be served as another.
 * Only the router of the runtime is given the target as it was sent. So there is a pattern for every depth, and the
 * handler is told whether the parameters of its pattern differ from the normalised path.
 */
export function targetPatterns<Handler>(handler: (isAsSent: (request: RoutedRequest) => boolean) => Handler): {
  [pattern: string]: Handler
} {
  const patterns: { [pattern: string]: Handler } = {
    '/': handler(() => true),
    '//*': handler(hasEmptySegment),
  }
  let pattern = ''
  for (let depth = 1; depth <= comparedDepth; depth += 1) {
    pattern += `/:p${depth}`
    patterns[pattern] = handler(isAsSent)
    patterns[`${pattern}/`] = handler(isAsSent)
    // Behind an empty segment there are no parameters. A `..` there cannot have removed the empty segment if it is left.
    patterns[`${pattern}//*`] = handler(hasEmptySegment)
  }
  patterns[`${pattern}/*`] = handler(beginsAsSent)
  return patterns
}

/** No segment was resolved or split. An encoded backslash is a character of a name, and is still there. */
function isAsSent(request: RoutedRequest): boolean {
  const { params = {} } = request
  let isPlain = true
  for (const name in params) isPlain &&= !isNormalised(params[name] ?? '')
  return isPlain || beginsAsSent(request)
}

const isNormalised = (segment: string): boolean => segment.includes('\\') || segment === '..'

/** A segment of a single dot is removed by normalisation, and changes nothing. */
function beginsAsSent(request: RoutedRequest): boolean {
  const segments = segmentsOf(request)
  const sent = Object.values(request.params ?? {}).filter((segment) => segment !== '.')
  return sent.every((segment, at) => decoded(segments[at]) === segment)
}

/** The same, and the empty segment that follows is still there. */
function hasEmptySegment(request: RoutedRequest): boolean {
  const before = Object.values(request.params ?? {}).filter((segment) => segment !== '.')
  return segmentsOf(request)[before.length] === '' && beginsAsSent(request)
}

const segmentsOf = ({ url }: Request): string[] => (pathBelow('', url) ?? '').slice(1).split('/')

function decoded(segment: string | undefined): string | undefined {
  try {
    return segment && decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The path of a URL below the base URL, not decoded; undefined outside of it. */
export function pathBelow(baseURL: string, url: string): string | undefined {
  // Without a valid Host header the runtime's `url` is the bare path.
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  const path = url.slice(start, end === -1 ? undefined : end)
  if (start === -1 || !path.startsWith('/')) return undefined
  if (baseURL === '') return path
  if (path === baseURL) return ''
  return path.startsWith(`${baseURL}/`) ? path.slice(baseURL.length) : undefined
}

/**
 * Repairs the slashes of a path: scripts join `https://host/` and `/api/login`, or encode the first slash of a file's
 * path with the rest of it. Only addresses of the API are repaired, and only into addresses of the API: a redirect to
 * `//host` would lead to another server.
 */
export function withRepairedSlashes(path: string): string {
  if (encodedSlash.test(path)) return path.replace(encodedSlash, '$1/')
  if (!path.startsWith('//') && !path.startsWith('/api//')) return path
  const [, health, call] = joined.exec(path) ?? []
  if (health !== undefined) return '/health'
  return call === undefined ? path : `/api/${call}`
}

/** Known addresses alone, so that `/api//..//x` leads to no other one. */
const joined =
  /^\/+(?:(health)|api\/+((?:command|login|preview|public|raw|renew|resources|search|settings|shares?|signup|subtitle|tus|usage|users)(?:\/.*)?))$/

/** Addresses that end with the path of a file, unless that path begins with `..`. */
const encodedSlash =
  /^(\/api\/(?:resources|raw|tus|share|usage|search|subtitle|public\/(?:share|dl)))(?:%2f)+(?!%2f|(?:\.|%2e){2})/i
