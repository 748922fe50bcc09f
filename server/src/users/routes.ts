import { SignupRequest, UserRemoval, UserRequest } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { done, json } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import { type Asked, forAnyone, forUsers, type Route, requireOwnPage } from '../http/routes.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { addUser, type ChangeDeps, dropUser, editUser, showUser } from './change.ts'
import { networkOf } from './networks.ts'
import { allUsers } from './store.ts'
import { signUp } from './users.ts'

const oneUser = '/api/users/:id{[0-9]+}'

export const userRoutes = (deps: ChangeDeps, settings: ReadSettings): Route[] => [
  forUsers('GET', '/api/users', ['admin'], async ({ request }) => json(await allUsers(deps.db), request)),
  forUsers('POST', '/api/users', ['admin'], async (asked) => {
    const user = await addUser(deps, await settings(), asked.caller, await jsonOf(asked, UserRequest))
    return done(201, { location: `/settings/users/${user.id}` })
  }),
  forUsers('GET', oneUser, [], async (asked) => json(await showUser(deps, asked.caller, idIn(asked)), asked.request)),
  forUsers('PUT', oneUser, [], async (asked) => {
    await editUser(deps, await settings(), asked.caller, idIn(asked), await jsonOf(asked, UserRequest))
    return done()
  }),
  forUsers('DELETE', oneUser, [], async (asked) => {
    const { current_password } = await jsonOf(asked, UserRemoval)
    await dropUser(deps, await settings(), asked.caller, idIn(asked), current_password)
    // Clients that are told to renew do it before they look at the answer, and nobody is left to renew for.
    return idIn(asked) === asked.caller.user.id ? done(200, { 'x-renew-token': 'false' }) : done()
  }),
  forAnyone('POST', '/api/signup', async (asked) => {
    requireOwnPage(asked)
    const current = await settings()
    if (!current.signup) throw new Failure('not-allowed-here', 'Signing up is switched off')
    const newcomer = await jsonOf(asked, SignupRequest)
    // A name that is taken tells that somebody has it: not to be asked for one name after the other.
    // Names that were free in between must not make up for those that were not.
    const { address, isShared } = asked.surroundings
    const network = networkOf(address)
    await deps.throttle.guardOne(`sign up ${network}`, () => signUp(deps, current, { ...newcomer, network }), {
      counts: (error) => isFailure(error, 'already-exists'),
      isShared,
    })
    return done()
  }),
]

function idIn({ c }: Asked): number {
  const id = Number(c.req.param('id'))
  if (!Number.isSafeInteger(id)) throw new Failure('not-found', 'There is no such user')
  return id
}
