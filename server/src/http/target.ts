/** How many folders of an address are compared with what was sent; below them only the beginning is. */
const seen = 24

/** The parts of a target between its slashes, decoded, as the runtime's own matcher found them. */
type Parts = Readonly<Record<string, string>>

type RawRequest = Request & { readonly params?: Parts }

/**
 * `request.url` is what the runtime made of the target: `\` has become `/`, and `..` is resolved. A proxy in front that
 * decides by the path has seen another one. Only the matcher of the runtime is given the target as it was sent, so every
 * depth has a pattern of its own, whose parameters tell what stood between the slashes.
 */
export function patternsFor<Handler>(handler: (isPlain: (request: RawRequest) => boolean) => Handler): {
  [pattern: string]: Handler
} {
  const patterns: { [pattern: string]: Handler } = {
    '/': handler(() => true),
    '//*': handler(isEmptyAsSent),
  }
  let pattern = ''
  for (let depth = 1; depth <= seen; depth += 1) {
    pattern += `/:p${depth}`
    patterns[pattern] = handler(isAsSent)
    patterns[`${pattern}/`] = handler(isAsSent)
    // What follows an empty part has no parameter. It cannot have led up beyond the empty part, which is still there.
    patterns[`${pattern}//*`] = handler(isEmptyAsSent)
  }
  patterns[`${pattern}/*`] = handler(beginsAsSent)
  return patterns
}

/** No part was taken for a way up or for several parts. An encoded backslash is a letter, and is still there. */
function isAsSent(request: RawRequest): boolean {
  const { params = {} } = request
  let isPlain = true
  for (const name in params) isPlain &&= !isChanged(params[name] ?? '')
  return isPlain || beginsAsSent(request)
}

const isChanged = (part: string): boolean => part.includes('\\') || part === '..'

/** A part that is just a dot means nothing, and is gone. */
function beginsAsSent(request: RawRequest): boolean {
  const segments = segmentsOf(request)
  const parts = Object.values(request.params ?? {}).filter((part) => part !== '.')
  return parts.every((part, at) => decoded(segments[at]) === part)
}

/** The same, and the empty part that comes then. */
function isEmptyAsSent(request: RawRequest): boolean {
  const before = Object.values(request.params ?? {}).filter((part) => part !== '.')
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

/** The path of an address, not decoded, below the base URL; undefined outside of it. */
export function pathBelow(baseURL: string, url: string): string | undefined {
  // Without a usable Host header the runtime hands over the bare path instead of a full address.
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  const path = url.slice(start, end === -1 ? undefined : end)
  if (start === -1 || !path.startsWith('/')) return undefined
  if (baseURL === '') return path
  if (path === baseURL) return ''
  return path.startsWith(`${baseURL}/`) ? path.slice(baseURL.length) : undefined
}
