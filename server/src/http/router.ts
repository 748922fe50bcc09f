import { segmentsOf } from '@filestead/contract'
import { type Context, Hono } from 'hono'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { Failure } from '../failure.ts'
import { parsePath, type VirtualPath } from '../files/path.ts'
import { type Scope, scopeOf } from '../files/scope.ts'
import type { Caller, Sessions } from '../sessions/sessions.ts'
import type { ReadSettings } from '../settings/settings.ts'
import type { Visit, Visitor } from '../shares/open.ts'
import type { Storage } from '../storage/storage.ts'
import { actorOf, requirePermission } from '../users/actor.ts'
import { answerFailure } from './failures.ts'
import {
  type Asked,
  type AskedByUser,
  type AskedByVisitor,
  askedOf,
  leavingOf,
  type Needs,
  type OpenRoute,
  type Report,
  type Route,
  type Surroundings,
  type UserRoute,
  type VisitorRoute,
} from './routes.ts'
import { tokensIn, tokensInForm } from './token.ts'

export interface RouterDeps {
  sessions: Sessions
  settings: ReadSettings
  storageAt(scope: string): Storage
  openShare(hash: string, path: VirtualPath, visitor: Visitor): Promise<Visit>
  /** Whom a trusted proxy vouches for with this request. */
  vouchedName(asked: Asked): Promise<string | undefined> | undefined
  report: Report
}

/** Turns the list of routes into something that answers requests; `fallback` gets what no route is meant for. */
export function routerOf(routes: readonly Route[], fallback: OpenRoute, deps: RouterDeps) {
  const app = new Hono<{ Bindings: Surroundings }>({ getPath: (_request, options) => pathIn(options) })

  for (const route of routes) {
    // The types already ask for it; a route smuggled past them must not open a door.
    const access: unknown = route.access
    if (access === undefined) throw new Error(`The route ${route.path} does not say who may use it`)
    app.on([...route.methods], route.path, (c) => {
      const asked = askedOf(c, route, deps.report)
      if (route.access === 'anyone') return route.answer(asked)
      return route.access === 'visitors' ? answerVisitor(asked, route) : answerUser(asked, route)
    })
  }
  const methodsAt = methodFinder(routes)
  app.notFound((c) => {
    const methods = methodsAt(c.env)
    if (methods.length === 0 && isMeantFor(fallback, c)) return fallback.answer(askedOf(c, fallback, deps.report))
    if (methods.length === 0) throw new Failure('not-found', 'There is nothing at this address')
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    const response = refuse(new Failure('not-allowed-here', `Only ${allowed} can be used here`), c.req.raw, c.env)
    response.headers.set('allow', allowed)
    return response
  })
  app.onError((error, c) => refuse(error, c.req.raw, c.env))
  return app

  function refuse(error: unknown, request: Request, surroundings: Surroundings): Response {
    deps.report(error, request, surroundings)
    return answerFailure(error, request)
  }

  async function answerUser(asked: Asked, route: UserRoute): Promise<Response> {
    const { caller, again } = await identify(asked, route)
    const response = await answerCaller(asked, caller, route, again).catch((error) =>
      refuse(error, asked.request, asked.surroundings),
    )
    if (caller.shouldRenew && !response.headers.has('x-renew-token')) response.headers.set('x-renew-token', 'true')
    return response
  }

  async function answerCaller(
    asked: Asked,
    caller: Caller,
    { access, answer }: UserRoute,
    identifyAgain: () => Promise<Caller>,
  ): Promise<Response> {
    const authorised = async (by: Caller) => {
      const scope = await scopeFor(by)
      requireNeeds(asked, scope, access)
      return scope
    }
    const again = async () => authorised(await identifyAgain())
    return answer({ ...asked, caller, scope: await authorised(caller), again } satisfies AskedByUser)
  }

  async function answerVisitor(asked: Asked, route: VisitorRoute): Promise<Response> {
    const [hash = '', ...below] = segmentsOf(asked.path())
    const { address, isShared, claimed } = asked.surroundings
    const visit = await deps.openShare(hash, parsePath(below.join('/')), {
      address,
      isShared,
      claimed,
      password: asked.request.headers.get('x-share-password') ?? '',
      grant: asked.query('token') ?? '',
      leaving: leavingOf(asked.request),
      takesAnyName: route.takesAnyName === true,
    })
    const response = await route.answer({ ...asked, visit } satisfies AskedByVisitor)
    // The address may carry a token; no page it leads to must learn of it.
    response.headers.set('referrer-policy', 'no-referrer')
    return response
  }

  /** `again` looks the same token up anew. It reads nothing of the request, which may be over by then. */
  async function identify(asked: Asked, { isForm }: UserRoute): Promise<Identified> {
    const tokens = tokensIn(asked.request)
    let found: Identified | undefined
    for (const token of isForm && tokens.length === 0 ? await tokensInForm(asked.form()) : tokens) {
      const vouchedFor = await deps.vouchedName(asked)
      const caller = await deps.sessions.callerOf(token, vouchedFor, () => ({
        address: asked.surroundings.address,
        userAgent: asked.request.headers.get('user-agent') ?? '',
      }))
      if (caller === undefined) continue
      // Of two users' cookies one was set by another host of the domain. Which, nobody can tell.
      if (found !== undefined && caller.user.id !== found.caller.user.id)
        throw new Failure('unauthenticated', 'The request comes with cookies of several users')
      const again = async () => {
        const now = await deps.sessions.callerOf(token, vouchedFor)
        if (now === undefined) throw signInFirst()
        return now
      }
      found ??= { caller, again }
    }
    if (found === undefined) throw signInFirst()
    return found
  }

  async function scopeFor({ user }: Caller): Promise<Scope> {
    const { rules } = await deps.settings()
    return scopeOf(actorOf(user, rules), deps.storageAt(user.scope))
  }
}

interface Identified {
  caller: Caller
  again(): Promise<Caller>
}

const signInFirst = () => new Failure('unauthenticated', 'Sign in first')

/** Hono would decode and cut the address itself; ours is cut once, before any route sees it. */
const pathIn = (options: { env?: Surroundings } | undefined): string => options?.env?.path ?? '/'

function requireNeeds(asked: Asked, { actor }: Scope, needs: Needs): void {
  if (!('byQuery' in needs)) {
    for (const permission of needs) requirePermission(actor, permission)
    return
  }
  const value = asked.query(needs.byQuery) ?? ''
  const permission = Object.hasOwn(needs.permissions, value) ? needs.permissions[value] : undefined
  if (permission === undefined)
    throw new Failure('invalid', `unsupported ${needs.byQuery} ${value}: invalid request params`)
  requirePermission(actor, permission)
}

const isMeantFor = ({ methods }: Route, { req, env }: Context<{ Bindings: Surroundings }>): boolean =>
  (methods as readonly string[]).includes(req.method === 'HEAD' ? 'GET' : req.method) && !/^\/api(\/|$)/.test(env.path)

/** Which methods an address knows. Asked only for those that did not match, so that the others stay fast. */
function methodFinder(routes: readonly Route[]): (surroundings: Surroundings) => string[] {
  const router = new RegExpRouter<readonly string[]>()
  for (const { path, methods } of routes) router.add('ANY', path, methods)
  return ({ path }) => [...new Set(router.match('ANY', path)[0].flatMap(([methods]) => methods))]
}
