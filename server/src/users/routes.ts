import { SignupRequest, UserRemoval, UserRequest } from '@filestead/contract'
import { forAnyone, forUsers, type Route } from '../access/routes.ts'
import { Failure, isFailure } from '../failure.ts'
import { done, json } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import { networkOf } from '../http/networks.ts'
import type { RequestContext } from '../http/request.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { addUser, type ChangeDeps, dropUser, editUser, showUser } from './change.ts'
import { allUsers } from './store.ts'
import { signUp } from './users.ts'

const oneUser = '/api/users/:id{[0-9]+}'

export const userRoutes = (deps: ChangeDeps, settings: ReadSettings): Route[] => [
  forUsers('GET', '/api/users', ['admin'], async ({ request }) => json(await allUsers(deps.db), request)),
  forUsers('POST', '/api/users', ['admin'], async (context) => {
    const user = await addUser(deps, await settings(), context.caller, await jsonOf(context, UserRequest))
    return done(201, { location: `/settings/users/${user.id}` })
  }),
  forUsers('GET', oneUser, [], async (context) =>
    json(await showUser(deps, context.caller, idIn(context)), context.request),
  ),
  forUsers('PUT', oneUser, [], async (context) => {
    await editUser(deps, await settings(), context.caller, idIn(context), await jsonOf(context, UserRequest))
    return done()
  }),
  forUsers('DELETE', oneUser, [], async (context) => {
    const { current_password } = await jsonOf(context, UserRemoval)
    await dropUser(deps, await settings(), context.caller, idIn(context), current_password)
    // Clients that are told to renew do it before they look at the answer, and nobody is left to renew for.
    return idIn(context) === context.caller.user.id ? done(200, { 'x-renew-token': 'false' }) : done()
  }),
  forAnyone('POST', '/api/signup', async (context) => {
    context.requireOwnPage()
    const current = await settings()
    if (!current.signup) throw new Failure('not-allowed-here', 'Signing up is switched off')
    const newcomer = await jsonOf(context, SignupRequest)
    context.note({ user: newcomer.username.slice(0, 100) })
    // A name that is taken tells that somebody has it: not to be context for one name after the other.
    // Names that were free in between must not make up for those that were not.
    const { address, isShared } = context.connection
    const network = networkOf(address)
    await deps.throttle.guardOne(`sign up ${network}`, () => signUp(deps, current, { ...newcomer, network }), {
      counts: (error) => isFailure(error, 'already-exists'),
      isShared,
    })
    return done()
  }),
]

function idIn({ match }: RequestContext): number {
  const id = Number(match.params.id)
  if (!Number.isSafeInteger(id)) throw new Failure('not-found', 'There is no such user')
  return id
}
