import type { Permission, Right } from '@filestead/contract'
import type { z } from 'zod'
import { Failure, isFailure } from '../failure.ts'
import type { BodyKind, BodyOf, BytesBody, QueryOf } from '../http/input.ts'
import { RequestContext } from '../http/request.ts'
import type { Returns } from '../http/returns.ts'
import type { Answer, Method } from '../http/router.ts'
import { parseEncodedPath, type VirtualPath } from '../storage/path.ts'
import type { Caller } from './caller.ts'
import type { Scope } from './scope.ts'
import type { Visit } from './visit.ts'

/** A request of a user, or of a guest at a route that takes guests, who has the rights that the route needs. */
export class UserContext<Query = unknown, Body = unknown> extends RequestContext<Query, Body> {
  /** The account and its session; undefined for a guest. */
  readonly caller: Caller | undefined
  readonly scope: Scope
  /** The scope as it is now, for what outlives the request. Fails once the session has ended or the right is gone. */
  readonly again: Again
  #path: VirtualPath | undefined
  #latest: { readonly scope: Scope; readonly at: number }

  constructor(context: RequestContext<Query, Body>, caller: Caller | undefined, scope: Scope, again: Again) {
    super(...RequestContext.partsOf(context))
    this.continueFrom(context)
    this.caller = caller
    this.scope = scope
    this.again = again
    this.#latest = { scope, at: performance.now() }
  }

  /** The same, give or take a second, for what takes long within the request. */
  async latest(): Promise<Scope> {
    if (performance.now() - this.#latest.at < longestKnown) return this.#latest.scope
    const scope = await this.again({ mayHaveExpired: true }).catch((error) => {
      if (!isFailure(error, 'unavailable')) throw error
      // A database that cannot be read for a moment takes no rights away.
      return this.#latest.scope
    })
    this.#latest = { scope, at: performance.now() }
    return scope
  }

  override async requireStill(): Promise<void> {
    requireNothingLost(this.scope, await this.latest(), this.path, ['see', 'download'])
  }

  /** The part of the address that the route's '*' stands for. */
  get path(): VirtualPath {
    this.#path ??= parseEncodedPath(this.match.rest)
    return this.#path
  }
}

/** In milliseconds: so old may be what is known of the rights of a sender. */
const longestKnown = 1000

/** What was allowed at a path when the request came is allowed, and the path still means the same. */
export function requireNothingLost(before: Scope, now: Scope, path: VirtualPath, rights: readonly Right[]): void {
  const isSamePlace = now.tree.locate(path) === before.tree.locate(path)
  if (!isSamePlace || rights.some((right) => before.may(right, path) && !now.may(right, path)))
    throw new Failure('forbidden', 'The rights to this were taken away')
}

/** `mayHaveExpired`: the token was good when the request came; only that its session was ended counts. */
type Again = (options?: { readonly mayHaveExpired: boolean }) => Promise<Scope>

/** A request at a route that takes no guests: there is an account. */
export type AccountContext<Query = unknown, Body = unknown> = UserContext<Query, Body> & { readonly caller: Caller }

/** A request of a visitor with a link: `visit.path` is the part of the address that lies in the share. */
export class VisitorContext<Query = unknown, Body = unknown> extends RequestContext<Query, Body> {
  readonly visit: Visit
  readonly #stillOpen: () => Promise<void>

  constructor(context: RequestContext<Query, Body>, visit: Visit, stillOpen: () => Promise<void>) {
    super(...RequestContext.partsOf(context))
    this.continueFrom(context)
    this.visit = visit
    this.#stillOpen = stillOpen
  }

  override requireStill(): Promise<void> {
    return this.#stillOpen()
  }
}

/**
 * Which permissions a route needs: all in the list, or the one that a query value stands for. An empty list means that
 * signing in is enough.
 */
export type Needs = readonly Permission[] | { byQuery: string; permissions: Readonly<Record<string, Permission>> }

/** Anyone; visitors with a link, its password if it has one, and an owner who may still share; or users with permissions. */
export type Access = 'anyone' | 'visitors' | Needs

/** What samples name. The permission test makes these things, and the page about the API shows made-up ones. */
export interface SampleFixture {
  /** The user who sends the sample, with another session that is open. */
  readonly userId: number
  readonly sessionId: string
  readonly username: string
  readonly password: string
  /** The hash of a link of that user to the folder /box, which holds in.txt, picture.gif, words.vtt and packed.zip. */
  readonly link: string
  /** A group, a grant and a mount that are there for their own routes alone: with several mounts other paths change. */
  readonly groupId: number
  readonly grantId: number
  readonly mountId: number
  /** A job of that user, which is paused. */
  readonly jobId: string
  /** A folder of the server that can become a mount. */
  readonly folder: string
}

/** A request that does what the route is for, in a scope with /kept.txt, /box and an upload /begun.txt of eight bytes. */
export interface SampleRequest<Query, Body> {
  /** What stands for the '*' of the path. */
  readonly at?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: Body
  readonly headers?: Readonly<Record<string, string>>
}

type Sample<Query, Body> = SampleRequest<Query, Body> | ((fixture: SampleFixture) => SampleRequest<Query, Body>)

type QueryShape = z.ZodType | undefined
type SentQuery<Shape> = Shape extends z.ZodType ? z.input<Shape> : never
type SentBody<Kind> = Kind extends z.ZodType ? z.input<Kind> : Kind extends BytesBody ? string : Record<string, string>

interface RouteParts<Shape extends QueryShape, Kind extends BodyKind | undefined> {
  readonly method: Method
  /** Literal, with `:name` or `:name{pattern}` for a segment, or with '/*' at its end for all that follows. */
  readonly path: string
  /** One sentence: what the route is for. */
  readonly summary: string
  readonly details?: string
  /** The only reader of the query; its fields carry their descriptions. */
  readonly query?: Shape
  /** The only reader of the body: JSON of a shape, bytes, or a form. */
  readonly body?: Kind
  /** In bytes; one MiB if it is not given, and less where anyone may send it. */
  readonly largestJson?: number
  readonly returns: Returns
  readonly sample: Sample<SentQuery<Shape>, SentBody<Kind>>
  /** Headers of every answer at this path, refusals included. */
  readonly answerHeaders?: (request: Request) => Readonly<Record<string, string>>
}

type ContextOf<Allowed extends Access, Open, Query, Body> = Allowed extends 'anyone'
  ? RequestContext<Query, Body>
  : Allowed extends 'visitors'
    ? VisitorContext<Query, Body>
    : Open extends true
      ? UserContext<Query, Body>
      : AccountContext<Query, Body>

interface RouteSpec<
  Allowed extends Access,
  Open extends true | undefined,
  Shape extends QueryShape,
  Kind extends BodyKind | undefined,
> extends RouteParts<Shape, Kind> {
  readonly access: Allowed
  /** For users: guests may use it, too, as far as grants for them allow. Closed to guests without it. */
  readonly guests?: Allowed extends 'anyone' | 'visitors' ? never : Open
  /** For users: it only reads, and with the query `past` it reads that: its scope is one of the past. */
  readonly past?: Allowed extends 'anyone' | 'visitors' ? never : true
  /** For visitors: a link to a single file may be followed by any name, which the sender of the link chooses. */
  readonly takesAnyName?: Allowed extends 'visitors' ? boolean : never
  answer(context: ContextOf<Allowed, Open, QueryOf<Shape>, BodyOf<Kind>>): Answer
}

interface AnyParts extends Omit<RouteParts<QueryShape, BodyKind | undefined>, 'sample'> {
  readonly sample: Sample<Record<string, unknown>, unknown>
}

export interface OpenRoute extends AnyParts {
  readonly access: 'anyone'
  answer(context: RequestContext): Answer
}

export interface UserRoute extends AnyParts {
  readonly access: Needs
  readonly guests?: true
  readonly past?: true
  answer(context: UserContext): Answer
}

/** The address goes on with the link's hash and a path in what it shares; the door opens the share. */
export interface VisitorRoute extends AnyParts {
  readonly access: 'visitors'
  readonly takesAnyName?: boolean
  answer(context: VisitorContext): Answer
}

export type Route = OpenRoute | UserRoute | VisitorRoute

type RouteOf<Allowed extends Access> = Allowed extends 'anyone'
  ? OpenRoute
  : Allowed extends 'visitors'
    ? VisitorRoute
    : UserRoute

/**
 * A route is a value that carries everything about it. It cannot be written without saying who may use it, and its answer
 * reads query and body through their schemas only. The API description and the permission test are made from it.
 */
export const route = <
  const Allowed extends Access,
  const Open extends true | undefined = undefined,
  Shape extends QueryShape = undefined,
  Kind extends BodyKind | undefined = undefined,
>(
  spec: RouteSpec<Allowed, Open, Shape, Kind>,
): RouteOf<Allowed> => spec as unknown as RouteOf<Allowed>

/** The sample of a route for a fixture. */
export const sampleOf = ({ sample }: Route, fixture: SampleFixture): SampleRequest<Record<string, unknown>, unknown> =>
  typeof sample === 'function' ? sample(fixture) : sample

/** The address of a sample. Fails where the sample leaves a part of the route's path open. */
export function sampleAddress(
  route: Pick<Route, 'path'>,
  { at, params = {}, query = {} }: SampleRequest<Record<string, unknown>, unknown>,
): string {
  const lacks = (part: string): never => {
    throw new Error(`The sample of ${route.path} does not say what stands for ${part}`)
  }
  const path = route.path
    .replace(/:(\w+)(?:\{[^}]*\})?/g, (part, name: string) => encodeURIComponent(params[name] ?? lacks(part)))
    .replace(/\*$/, () => at ?? lacks('*'))
  const values = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return values.size === 0 ? path : `${path}?${values}`
}
