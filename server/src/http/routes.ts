import type { Permission } from '@filestead/contract'
import type { Context } from 'hono'
import { Failure } from '../failure.ts'
import { parseEncodedPath, type VirtualPath } from '../files/path.ts'
import type { Scope } from '../files/scope.ts'
import type { Caller } from '../sessions/sessions.ts'
import type { Visit } from '../shares/open.ts'
import type { Leaving } from '../storage/storage.ts'
import { type Form, formOf } from './body.ts'
import type { Conversation, Reply } from './sockets.ts'

/** What the socket knows of a request beside the request itself. */
export interface Surroundings {
  /** As it came: not decoded, without the base URL and the query. */
  path: string
  address: string
  /** Many people may come from this address; `claimed` is the one a header names, which anybody can write. */
  isShared: boolean
  claimed: string
  isSecure: boolean
  isFromTrustedProxy: boolean
  /** A page of another site made the browser send it. */
  isFromElsewhere: boolean
  /** Tells the socket that bytes still flow, however slowly. */
  keepAwake(): void
  /** From now on, until the answer is there: the one who asked has nothing more to send. */
  stayAwake(): void
  /** Is told how many bytes of a body came in, where somebody counts. */
  received?(bytes: number): void
  /** Turns the connection into a WebSocket; false when the request is none. */
  upgrade(begin: (reply: Reply) => Conversation): boolean
}

/** Tells the log of a refusal or an error. */
export type Report = (
  error: unknown,
  request: Request,
  surroundings: Surroundings,
  when?: { isUnderWay: boolean },
) => void

export interface Asked {
  readonly request: Request
  readonly c: Context<{ Bindings: Surroundings }>
  readonly surroundings: Surroundings
  /** The part of the address that the route's '*' stands for, as a path. */
  path(): VirtualPath
  /** Did that part end with a slash? A folder is meant then. */
  endsWithSlash(): boolean
  query(name: string): string | undefined
  /** The form that was sent. */
  form(): Form
  /** Tells the log of an error that comes when the answer is on its way already. */
  report(error: unknown): void
}

export interface AskedByUser extends Asked {
  readonly caller: Caller
  readonly scope: Scope
  /** The scope as it is now, for what outlives the request. Fails once the session has ended or the right is gone. */
  again(): Promise<Scope>
}

/** Somebody with a link to a share: they see what the share shows, and `path` is that part of the address. */
export interface AskedByVisitor extends Asked {
  readonly visit: Visit
}

type Answer = Response | Promise<Response>

/** Which permissions a route needs: all in the list, or the one that a query value stands for. */
export type Needs = readonly Permission[] | { byQuery: string; permissions: Readonly<Record<string, Permission>> }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

interface Address {
  readonly methods: readonly Method[]
  readonly path: string
}

export interface OpenRoute extends Address {
  readonly access: 'anyone'
  readonly answer: (asked: Asked) => Answer
}

export interface UserRoute extends Address {
  readonly access: Needs
  /** The body is a form, which a page can send without script in between: its field `auth` stands for the header. */
  readonly isForm?: true
  readonly answer: (asked: AskedByUser) => Answer
}

/** The address goes on with the link's hash and a path in what it shares; the router opens the share. */
export interface VisitorRoute extends Address {
  readonly access: 'visitors'
  /** A link to a single file may be followed by any name: whoever passes the link on chooses what it looks like. */
  readonly takesAnyName?: true
  readonly answer: (asked: AskedByVisitor) => Answer
}

/** A route is a value, and it cannot be written without saying who may use it. */
export type Route = OpenRoute | UserRoute | VisitorRoute

export const forAnyone = (methods: Method | Method[], path: string, answer: (asked: Asked) => Answer): OpenRoute => ({
  methods: [methods].flat(),
  path,
  access: 'anyone',
  answer,
})

/** For everybody who has a link, its password if there is one, and whose link's owner may still share. */
export const forVisitors = (
  methods: 'GET' | 'POST',
  path: `${string}/*`,
  answer: (asked: AskedByVisitor) => Answer,
  { takesAnyName }: Pick<VisitorRoute, 'takesAnyName'> = {},
): VisitorRoute => ({ methods: [methods], path, access: 'visitors', answer, ...(takesAnyName && { takesAnyName }) })

/** For everybody who is signed in and has what the route needs; an empty list means that signing in is enough. */
export const forUsers = (
  methods: Method | Method[],
  path: string,
  needs: Needs,
  answer: (asked: AskedByUser) => Answer,
): UserRoute => ({ methods: [methods].flat(), path, access: needs, answer })

/** The same for a form. A cookie would come along with the form of a foreign page, so the token has to be in a field. */
export const forForms = (path: string, needs: Needs, answer: (asked: AskedByUser) => Answer): UserRoute => ({
  ...forUsers('POST', path, needs, answer),
  isForm: true,
})

export function askedOf(c: Context<{ Bindings: Surroundings }>, route: Route, report: Report): Asked {
  const surroundings = c.env
  const rest = surroundings.path.slice(route.path.length - 1)
  let form: Form | undefined
  const asked: Asked = {
    request: c.req.raw,
    c,
    surroundings,
    path: () => parseEncodedPath(rest),
    endsWithSlash: () => surroundings.path.endsWith('/'),
    query: (name) => c.req.query(name),
    form() {
      form ??= formOf(asked)
      return form
    },
    report: (error) => report(error, c.req.raw, surroundings, { isUnderWay: true }),
  }
  return asked
}

/** Who is signed in, in or out, must never be the choice of a foreign page. */
export function requireOwnPage({ surroundings }: Asked): void {
  if (surroundings.isFromElsewhere)
    throw new Failure('forbidden', 'A page of another site asks. If it is this one behind a proxy, see --allowedHosts')
}

/** Asks for the request's signal only when somebody wants to know. */
export const leavingOf = (request: Request): Leaving => ({ throwIfAborted: () => request.signal.throwIfAborted() })
