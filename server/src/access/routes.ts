import type { Permission } from '@filestead/contract'
import { RequestContext } from '../http/request.ts'
import type { Answer, Method } from '../http/router.ts'
import { parseEncodedPath, type VirtualPath } from '../storage/path.ts'
import type { Caller } from './caller.ts'
import type { Scope } from './scope.ts'
import type { Visit } from './visit.ts'

/** A request of a signed-in user who has the rights that the route needs. */
export class UserContext extends RequestContext {
  readonly caller: Caller
  readonly scope: Scope
  /** The scope as it is now, for what outlives the request. Fails once the session has ended or the right is gone. */
  readonly again: () => Promise<Scope>
  #path: VirtualPath | undefined

  constructor(context: RequestContext, caller: Caller, scope: Scope, again: () => Promise<Scope>) {
    super(...RequestContext.partsOf(context))
    this.caller = caller
    this.scope = scope
    this.again = again
  }

  /** The part of the address that the route's '*' stands for. */
  get path(): VirtualPath {
    this.#path ??= parseEncodedPath(this.match.rest)
    return this.#path
  }
}

/** A request of a visitor with a link: `visit.path` is the part of the address that lies in the share. */
export class VisitorContext extends RequestContext {
  readonly visit: Visit

  constructor(context: RequestContext, visit: Visit) {
    super(...RequestContext.partsOf(context))
    this.visit = visit
  }
}

/** Which permissions a route needs: all in the list, or the one that a query value stands for. */
export type Needs = readonly Permission[] | { byQuery: string; permissions: Readonly<Record<string, Permission>> }

interface Address {
  readonly methods: readonly Method[]
  readonly path: string
}

export interface OpenRoute extends Address {
  readonly access: 'anyone'
  readonly answer: (context: RequestContext) => Answer
}

export interface UserRoute extends Address {
  readonly access: Needs
  /** The body is a form, which a page can send without script in between: its field `auth` stands for the header. */
  readonly isForm?: true
  readonly answer: (context: UserContext) => Answer
}

/** The address goes on with the link's hash and a path in what it shares; the door opens the share. */
export interface VisitorRoute extends Address {
  readonly access: 'visitors'
  /** A link to a single file may be followed by any name: the person who passes the link on chooses what it looks like. */
  readonly takesAnyName?: true
  readonly answer: (context: VisitorContext) => Answer
}

/** A route is a value, and it cannot be written without saying who may use it. */
export type Route = OpenRoute | UserRoute | VisitorRoute

export const forAnyone = (
  methods: Method | Method[],
  path: string,
  answer: (context: RequestContext) => Answer,
): OpenRoute => ({
  methods: [methods].flat(),
  path,
  access: 'anyone',
  answer,
})

/** For everybody who has a link, its password if there is one, and whose link's owner may still share. */
export const forVisitors = (
  methods: 'GET' | 'POST',
  path: `${string}/*`,
  answer: (context: VisitorContext) => Answer,
  { takesAnyName }: Pick<VisitorRoute, 'takesAnyName'> = {},
): VisitorRoute => ({ methods: [methods], path, access: 'visitors', answer, ...(takesAnyName && { takesAnyName }) })

/** For everybody who is signed in and has what the route needs; an empty list means that signing in is enough. */
export const forUsers = (
  methods: Method | Method[],
  path: string,
  needs: Needs,
  answer: (context: UserContext) => Answer,
): UserRoute => ({ methods: [methods].flat(), path, access: needs, answer })

/** The same for a form. A cookie would come along with the form of a foreign page, so the token has to be in a field. */
export const forForms = (path: string, needs: Needs, answer: (context: UserContext) => Answer): UserRoute => ({
  ...forUsers('POST', path, needs, answer),
  isForm: true,
})
