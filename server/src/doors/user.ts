import { type AccessReader, scopeIn } from '../access/access.ts'
import { actorOf, requirePermission } from '../access/actor.ts'
import type { Caller } from '../access/caller.ts'
import { type Needs, UserContext, type UserRoute } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { answerFailure } from '../http/failures.ts'
import { isForm } from '../http/input.ts'
import type { LogFacts, Report, RequestContext } from '../http/request.ts'
import type { HttpRoute } from '../http/router.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Audit } from './audit.ts'
import { type GuestDoorDeps, guestDoor, guestFacts } from './guest.ts'
import { tokensIn, tokensInForm } from './tokens.ts'

export interface UserDoorDeps extends GuestDoorDeps {
  sessions: Sessions
  access: AccessReader
  /** The user name in a header of a trusted proxy. */
  vouchedName(context: RequestContext): Promise<string | undefined> | undefined
  /** The same scope in the past that a request names. */
  inPast(scope: Scope, past: string): Promise<Scope>
  report: Report
  audit: Audit
}

/** Authenticates the user, or lets a guest in where the route does, and refuses those without the permissions it needs. */
export function userDoor(deps: UserDoorDeps) {
  const guests = guestDoor(deps)

  return (route: UserRoute): HttpRoute['answer'] =>
    async (context) => {
      const sender = await identify(context, route)
      const caller = sender?.caller
      context.connection.facts = caller === undefined ? guestFacts : factsOf(caller)
      let response: Response
      try {
        const past = pastIn(context, route)
        const scope = await authorised(context, route, caller, past)
        response = await route.answer(
          new UserContext(context, caller, scope, (options) => again(context, route, sender, past, options)),
        )
      } catch (error) {
        deps.report(error, context.request, context.connection)
        response = answerFailure(error, context.request)
      }
      if (caller?.shouldRenew && !response.headers.has('x-renew-token')) response.headers.set('x-renew-token', 'true')
      deps.audit.succeeded(context, response, 'web')
      return response
    }

  async function authorised(
    context: RequestContext,
    { access }: UserRoute,
    caller: Caller | undefined,
    past: string | undefined,
  ): Promise<Scope> {
    const scope = caller === undefined ? await guests.scope(context) : await scopeOf(caller)
    requireNeeds(context, scope, access)
    return past === undefined ? scope : deps.inPast(scope, past)
  }

  async function scopeOf({ user, versions }: Caller): Promise<Scope> {
    const { rules } = await deps.settingsAt(versions.settings)
    return scopeIn(await deps.access.ofUser(user, versions.access), actorOf(user, rules))
  }

  /** Authenticates the same token again. Reads nothing of the request, which may have ended by then. */
  async function again(
    context: RequestContext,
    route: UserRoute,
    sender: Sender | undefined,
    past: string | undefined,
    { mayHaveExpired } = { mayHaveExpired: false },
  ): Promise<Scope> {
    if (sender === undefined) return authorised(context, route, undefined, past)
    const vouchedFor = mayHaveExpired ? sender.caller.user.username : sender.vouchedFor
    const caller = await deps.sessions.callerOf(sender.token, vouchedFor)
    if (caller === undefined) throw signInFirst()
    return authorised(context, route, caller, past)
  }

  /** Undefined for a guest. */
  async function identify(
    context: RequestContext,
    { body, guests: takesGuests }: UserRoute,
  ): Promise<Sender | undefined> {
    const tokens = tokensIn(context.request)
    // A form that the browser submits can set no header, so that a field holds the token.
    const inForm = tokens.length === 0 && isForm(body) ? await tokensInForm(context.form) : []
    let found: Sender | undefined
    for (const token of [...tokens, ...inForm]) {
      const vouchedFor = await deps.vouchedName(context)
      const caller = await deps.sessions.callerOf(token, vouchedFor, () => ({
        address: context.connection.address,
        userAgent: context.request.headers.get('user-agent') ?? '',
      }))
      if (caller === undefined) continue
      // One of two users' cookies was set by another host of the domain; which one is unknown.
      if (found !== undefined && caller.user.id !== found.caller.user.id)
        throw new Failure('unauthenticated', 'The request comes with cookies of several users')
      found ??= { caller, token, vouchedFor }
    }
    const isGuest = found === undefined && takesGuests === true && inForm.length === 0 && (await guests.admits(context))
    if (found === undefined && !isGuest) throw signInFirst()
    return found
  }
}

/** What the query `past` says, at a route that reads. One that changes something would change the present. */
function pastIn({ rawQuery, request }: RequestContext, route: UserRoute): string | undefined {
  const past = rawQuery.get('past')
  if (past === undefined || route.past) return past
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new Failure('invalid', 'this cannot be done in the past')
  return undefined
}

const factsOf = ({ user: { id, username, scope } }: Caller): LogFacts =>
  scope === '/' ? { user: username, userId: id } : { user: username, userId: id, scope }

interface Sender {
  caller: Caller
  token: string
  /** The user name in a header of a trusted proxy. */
  vouchedFor: string | undefined
}

const signInFirst = () => new Failure('unauthenticated', 'Sign in first')

function requireNeeds(context: RequestContext, { actor }: Scope, needs: Needs): void {
  if (!('byQuery' in needs)) {
    for (const permission of needs) requirePermission(actor, permission)
    return
  }
  const value = context.rawQuery.get(needs.byQuery) ?? ''
  const permission = Object.hasOwn(needs.permissions, value) ? needs.permissions[value] : undefined
  if (permission === undefined)
    throw new Failure('invalid', `unsupported ${needs.byQuery} ${value}: invalid request params`)
  requirePermission(actor, permission)
}
