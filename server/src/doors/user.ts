import { actorOf, requirePermission } from '../access/actor.ts'
import type { Caller } from '../access/caller.ts'
import { type Needs, UserContext, type UserRoute } from '../access/routes.ts'
import { type Scope, scopeOf } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { answerFailure } from '../http/failures.ts'
import type { LogFacts, Report, RequestContext } from '../http/request.ts'
import type { HttpRoute } from '../http/router.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { ReadSettings } from '../settings/settings.ts'
import type { Storage } from '../storage/port.ts'
import type { Audit } from './audit.ts'
import { tokensIn, tokensInForm } from './tokens.ts'

export interface UserDoorDeps {
  sessions: Sessions
  settings: ReadSettings
  storageAt(scope: string): Storage
  /** The name that a trusted proxy vouches for with this request. */
  vouchedName(context: RequestContext): Promise<string | undefined> | undefined
  report: Report
  audit: Audit
}

/** Finds out who sends a request, and refuses those who lack a right that the route needs. */
export function userDoor(deps: UserDoorDeps) {
  return (route: UserRoute): HttpRoute['answer'] =>
    async (context) => {
      const { caller, again } = await identify(context, route)
      context.connection.facts = factsOf(caller)
      const response = await answer(context, caller, route, again).catch((error: unknown) => {
        deps.report(error, context.request, context.connection)
        return answerFailure(error, context.request)
      })
      if (caller.shouldRenew && !response.headers.has('x-renew-token')) response.headers.set('x-renew-token', 'true')
      deps.audit.succeeded(context, response, 'web')
      return response
    }

  async function answer(
    context: RequestContext,
    caller: Caller,
    route: UserRoute,
    identifyAgain: () => Promise<Caller>,
  ): Promise<Response> {
    const authorised = async (by: Caller) => {
      const scope = await scopeFor(by)
      requireNeeds(context, scope, route.access)
      return scope
    }
    const again = async () => authorised(await identifyAgain())
    return route.answer(new UserContext(context, caller, await authorised(caller), again))
  }

  /** `again` looks the same token up anew. It reads nothing of the request, which may be over by then. */
  async function identify(context: RequestContext, { isForm }: UserRoute): Promise<Identified> {
    const tokens = tokensIn(context.request)
    let found: Identified | undefined
    for (const token of isForm && tokens.length === 0 ? await tokensInForm(context.form) : tokens) {
      const vouchedFor = await deps.vouchedName(context)
      const caller = await deps.sessions.callerOf(token, vouchedFor, () => ({
        address: context.connection.address,
        userAgent: context.request.headers.get('user-agent') ?? '',
      }))
      if (caller === undefined) continue
      // Of two users' cookies one was set by another host of the domain, and nothing tells which.
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

const factsOf = ({ user: { id, username, scope } }: Caller): LogFacts =>
  scope === '/' ? { user: username, userId: id } : { user: username, userId: id, scope }

interface Identified {
  caller: Caller
  again(): Promise<Caller>
}

const signInFirst = () => new Failure('unauthenticated', 'Sign in first')

function requireNeeds(context: RequestContext, { actor }: Scope, needs: Needs): void {
  if (!('byQuery' in needs)) {
    for (const permission of needs) requirePermission(actor, permission)
    return
  }
  const value = context.query.get(needs.byQuery) ?? ''
  const permission = Object.hasOwn(needs.permissions, value) ? needs.permissions[value] : undefined
  if (permission === undefined)
    throw new Failure('invalid', `unsupported ${needs.byQuery} ${value}: invalid request params`)
  requirePermission(actor, permission)
}
