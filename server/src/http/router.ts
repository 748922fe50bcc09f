import { Failure } from '../failure.ts'
import { answerFailure } from './failures.ts'
import type { Input } from './input.ts'
import { type Connection, type Report, RequestContext, type RouteMatch } from './request.ts'

/** Any method, those of WebDAV included, but for HEAD: every GET route answers it. */
export type Method = Uppercase<string>

export type Answer = Response | Promise<Response>

/** A route whose `answer` includes its door: it authenticates, authorises and answers. */
export interface HttpRoute {
  readonly method: Method
  /** Literal, with `:name` or `:name{pattern}` for a segment, or with '/*' at its end for the rest. */
  readonly path: string
  readonly input: Input<unknown, unknown>
  readonly answer: (context: RequestContext) => Answer
  /** Headers of every answer at this path, errors included. */
  readonly answerHeaders?: ((request: Request) => Readonly<Record<string, string>>) | undefined
}

export type Fetch = (request: Request, connection: Connection) => Answer

/** Answers by the first route that matches; `fallback` answers the addresses outside of the API that none matches. */
export function routerOf(routes: readonly HttpRoute[], fallback: HttpRoute, report: Report): Fetch {
  const find = finderOf(routes)
  const matchers = routes.map(matcherOf)

  function refuse(error: unknown, request: Request, connection: Connection): Response {
    report(error, request, connection)
    return answerFailure(error, request)
  }

  function answer(request: Request, connection: Connection, method: string): Answer {
    const found = find(connection.path, method)
    if (found === undefined) return answerUnmatched(request, connection, method)
    const { route, match } = found
    const answered = safely(route, match, request, connection)
    if (route.answerHeaders === undefined) return answered
    return answered instanceof Promise
      ? answered.then((response) => withHeaders(response, route, request))
      : withHeaders(answered, route, request)
  }

  function safely(route: HttpRoute, match: RouteMatch, request: Request, connection: Connection): Answer {
    try {
      const context = new RequestContext(request, connection, match, route.input, report)
      const answered = route.answer(context)
      return answered instanceof Promise
        ? answered.catch((error: unknown) => refuse(error, request, connection))
        : answered
    } catch (error) {
      return refuse(error, request, connection)
    }
  }

  /** Answers 405, or by the fallback, or 404. */
  function answerUnmatched(request: Request, connection: Connection, method: string): Answer {
    const here = matchers.filter(({ match }) => match(connection.path) !== undefined).map(({ route }) => route)
    if (here.length === 0 && fallback.method === method && !/^\/api(\/|$)/.test(connection.path))
      return safely(fallback, noMatch, request, connection)
    if (here.length === 0)
      return refuse(new Failure('not-found', 'There is nothing at this address'), request, connection)
    const methods = new Set(here.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])))
    const allowed = [...methods].join(', ')
    const failure = new Failure('not-allowed-here', `Only ${allowed} can be used here`)
    const response = refuse(failure, request, connection)
    response.headers.set('allow', allowed)
    for (const route of here) withHeaders(response, route, request)
    return response
  }

  // The runtime sends the headers of an answer to HEAD, with the length of the body, and drops the body.
  return (request, connection) => answer(request, connection, request.method === 'HEAD' ? 'GET' : request.method)
}

function withHeaders(response: Response, route: HttpRoute, request: Request): Response {
  for (const [name, value] of Object.entries(route.answerHeaders?.(request) ?? {})) response.headers.set(name, value)
  return response
}

const noMatch: RouteMatch = { rest: '', params: {} }

interface Found {
  route: HttpRoute
  match: RouteMatch
}

interface Matcher {
  route: HttpRoute
  match(path: string): RouteMatch | undefined
}

interface Candidates {
  /** The first match of every literal path. */
  literal: Map<string, Found>
  others: Matcher[]
}

/** A map of literal paths for each method; the other routes of the method, which are few, are tried in order. */
function finderOf(routes: readonly HttpRoute[]): (path: string, method: string) => Found | undefined {
  const byMethod = new Map<string, Candidates>()
  for (const method of new Set(routes.map((route) => route.method))) {
    const matchers = routes.filter((route) => route.method === method).map(matcherOf)
    const literal = new Map<string, Found>()
    for (const { route } of matchers) {
      const first = isLiteral(route.path) ? firstOf(matchers, route.path) : undefined
      if (first !== undefined) literal.set(route.path, first)
    }
    byMethod.set(method, { literal, others: matchers.filter(({ route }) => !isLiteral(route.path)) })
  }
  return (path, method) => {
    const candidates = byMethod.get(method)
    return candidates && (candidates.literal.get(path) ?? firstOf(candidates.others, path))
  }
}

function firstOf(matchers: readonly Matcher[], path: string): Found | undefined {
  for (const { route, match: fits } of matchers) {
    const match = fits(path)
    if (match !== undefined) return { route, match }
  }
  return undefined
}

const isLiteral = (path: string): boolean => !path.includes(':') && !path.endsWith('/*')

function matcherOf(route: HttpRoute): Matcher {
  const { path } = route
  if (isLiteral(path)) return { route, match: (asked) => (asked === path ? noMatch : undefined) }
  if (!path.endsWith('/*')) return { route, match: parameterMatch(path) }
  const prefix = path.slice(0, -2)
  if (prefix.includes(':')) throw new Error(`${path} has both a parameter and a wildcard`)
  return { route, match: (asked) => wildcardMatch(prefix, asked) }
}

const slash = '/'.charCodeAt(0)

/** '/a/*' matches '/a' with an empty rest, '/a/' and all below. */
function wildcardMatch(prefix: string, path: string): RouteMatch | undefined {
  if (!path.startsWith(prefix)) return undefined
  if (path.length !== prefix.length && path.charCodeAt(prefix.length) !== slash) return undefined
  return { rest: path.slice(prefix.length + 1), params: noMatch.params }
}

function parameterMatch(path: string): Matcher['match'] {
  const literal = path.slice(0, path.indexOf(':'))
  const pattern = new RegExp(
    `^${path.replace(/:(\w+)(?:\{([^}]*)\})?/g, (_, name, inner) => `(?<${name}>${inner ?? '[^/]+'})`)}$`,
  )
  return (asked) => {
    const groups = asked.startsWith(literal) ? pattern.exec(asked)?.groups : undefined
    return groups && { rest: '', params: decodedValues(groups) }
  }
}

/** A value that is no percent-encoded UTF-8 stays as it was sent; it will name nothing that exists. */
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
