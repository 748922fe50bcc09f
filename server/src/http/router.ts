import { Failure } from '../failure.ts'
import { answerFailure } from './failures.ts'
import { type Connection, type Report, RequestContext, type RouteMatch } from './request.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export type Answer = Response | Promise<Response>

/** A route once it has a door: whoever reaches `answer` has been let in. */
export interface HttpRoute {
  readonly methods: readonly Method[]
  /** Literal, with `:name` or `:name{pattern}` for a segment, or with '/*' at its end for all that follows. */
  readonly path: string
  readonly answer: (context: RequestContext) => Answer
}

export type Fetch = (request: Request, connection: Connection) => Answer

/** Answers requests by the first route that fits; `fallback` gets the addresses outside of the API that none fits. */
export function routerOf(routes: readonly HttpRoute[], fallback: HttpRoute, report: Report): Fetch {
  const find = finderOf(routes)

  function refuse(error: unknown, request: Request, connection: Connection): Response {
    report(error, request, connection)
    return answerFailure(error, request)
  }

  function answer(request: Request, connection: Connection, method: string): Answer {
    const { path } = connection
    const found = find(path, method)
    if (found !== undefined) return found.route.answer(new RequestContext(request, connection, found.match, report))
    const methods = [...new Set(routes.filter((route) => matchOf(route, path)).flatMap((route) => route.methods))]
    if (methods.length === 0 && isMeantFor(fallback, path, method))
      return fallback.answer(new RequestContext(request, connection, noMatch, report))
    if (methods.length === 0) throw new Failure('not-found', 'There is nothing at this address')
    const allowed = methods.flatMap((known) => (known === 'GET' ? ['GET', 'HEAD'] : [known])).join(', ')
    const response = refuse(new Failure('not-allowed-here', `Only ${allowed} can be used here`), request, connection)
    response.headers.set('allow', allowed)
    return response
  }

  function safely(request: Request, connection: Connection, method: string): Answer {
    try {
      const answered = answer(request, connection, method)
      return answered instanceof Promise
        ? answered.catch((error: unknown) => refuse(error, request, connection))
        : answered
    } catch (error) {
      return refuse(error, request, connection)
    }
  }

  return (request, connection) => {
    if (request.method !== 'HEAD') return safely(request, connection, request.method)
    const answered = safely(request, connection, 'GET')
    return answered instanceof Promise ? answered.then(headOf) : headOf(answered)
  }
}

const headOf = (response: Response): Response => new Response(null, response)

const noMatch: RouteMatch = { rest: '', params: {} }

const isMeantFor = ({ methods }: HttpRoute, path: string, method: string): boolean =>
  (methods as readonly string[]).includes(method) && !/^\/api(\/|$)/.test(path)

interface Found {
  route: HttpRoute
  match: RouteMatch
}

/** Routes by method, literal paths in a map: most addresses of a busy server have few candidates. */
function finderOf(routes: readonly HttpRoute[]): (path: string, method: string) => Found | undefined {
  const byMethod = new Map<string, HttpRoute[]>()
  for (const route of routes)
    for (const method of route.methods) byMethod.set(method, [...(byMethod.get(method) ?? []), route])
  return (path, method) => {
    for (const route of byMethod.get(method) ?? []) {
      const match = matchOf(route, path)
      if (match !== undefined) return { route, match }
    }
    return undefined
  }
}

function matchOf({ path: pattern }: HttpRoute, path: string): RouteMatch | undefined {
  if (pattern.endsWith('/*')) {
    // The slash of '/*' begins the rest; without one the rest is empty.
    const length = pattern.length - 2
    if (!path.startsWith(pattern.slice(0, length))) return undefined
    if (path.length !== length && path.charCodeAt(length) !== slash) return undefined
    return { rest: path.slice(length + 1), params: noMatch.params }
  }
  if (!pattern.includes(':')) return pattern === path ? noMatch : undefined
  const groups = patternOf(pattern).exec(path)?.groups
  return groups && { rest: '', params: decodedValues(groups) }
}

const slash = '/'.charCodeAt(0)

const patterns = new Map<string, RegExp>()

function patternOf(path: string): RegExp {
  let pattern = patterns.get(path)
  if (pattern === undefined) {
    pattern = new RegExp(
      `^${path.replace(/:(\w+)(?:\{([^}]*)\})?/g, (_, name, inner) => `(?<${name}>${inner ?? '[^/]+'})`)}$`,
    )
    patterns.set(path, pattern)
  }
  return pattern
}

function decodedValues(groups: Record<string, string>): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(groups)) {
    try {
      values[name] = decodeURIComponent(value)
    } catch {
      values[name] = value
    }
  }
  return values
}
