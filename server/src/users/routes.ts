import { SignupRequest, User, UserRemoval, UserRequest } from '@filestead/contract'
import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import { Failure, isFailure } from '../failure.ts'
import { done, json } from '../http/answers.ts'
import { networkOf } from '../http/networks.ts'
import type { RequestContext } from '../http/request.ts'
import { returnsJson, returnsStatusLine } from '../http/returns.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { addUser, type ChangeDeps, dropUser, editUser, showUser } from './change.ts'
import { allUsers } from './store.ts'
import { signUp } from './users.ts'

const oneUser = '/api/users/:id{[0-9]+}'

export const userRoutes = (deps: ChangeDeps, settings: ReadSettings): Route[] => [
  route({
    method: 'GET',
    path: '/api/users',
    access: ['admin'],
    summary: 'All users.',
    returns: returnsJson(z.array(User), 'A list of users without passwords'),
    sample: {},
    answer: async (context) => json(await allUsers(deps.db), context),
  }),
  route({
    method: 'POST',
    path: '/api/users',
    access: ['admin'],
    summary: 'Create a user.',
    details: 'Needs the current password of the caller.',
    body: UserRequest,
    returns: returnsStatusLine('; the address of the user in Location', 201),
    sample: ({ password }) => ({
      body: { what: 'user', which: [], current_password: password, data: { username: 'made', password } },
    }),
    async answer(context) {
      const user = await addUser(deps, await settings(), context.caller, await context.body())
      return done(201, { location: `/settings/users/${user.id}` })
    },
  }),
  route({
    method: 'GET',
    path: oneUser,
    access: [],
    summary: 'One user.',
    details: 'Oneself, or any for administrators.',
    returns: returnsJson(User, 'A user'),
    sample: ({ userId }) => ({ params: { id: String(userId) } }),
    answer: async (context) => json(await showUser(deps, context.caller, idIn(context)), context),
  }),
  route({
    method: 'PUT',
    path: oneUser,
    access: [],
    summary: 'Change a user.',
    details: '`which` names the fields; empty or "all" replaces the record and is for administrators.',
    body: UserRequest,
    returns: returnsStatusLine(),
    sample: ({ userId }) => ({
      params: { id: String(userId) },
      body: { what: 'user', which: ['locale'], data: { id: userId, locale: 'de' } },
    }),
    async answer(context) {
      await editUser(deps, await settings(), context.caller, idIn(context), () => context.body())
      return done()
    },
  }),
  route({
    method: 'DELETE',
    path: oneUser,
    access: [],
    summary: 'Remove a user.',
    details: 'Oneself, or any for administrators. Needs the current password of the caller.',
    body: UserRemoval,
    returns: returnsStatusLine(),
    sample: ({ userId, password }) => ({ params: { id: String(userId) }, body: { current_password: password } }),
    async answer(context) {
      await dropUser(deps, await settings(), context.caller, idIn(context), () => context.body())
      // Clients renew their token before they read the answer, and this user has none any more.
      return idIn(context) === context.caller.user.id ? done(200, { 'x-renew-token': 'false' }) : done()
    },
  }),
  route({
    method: 'POST',
    path: '/api/signup',
    access: 'anyone',
    summary: 'Make an account, where that is switched on.',
    body: SignupRequest,
    returns: returnsStatusLine(),
    sample: ({ password }) => ({ body: { username: 'newcomer', password } }),
    async answer(context) {
      context.requireSameSite()
      const current = await settings()
      if (!current.signup) throw new Failure('not-allowed-here', 'Signing up is switched off')
      const newcomer = await context.body()
      context.note({ user: newcomer.username.slice(0, 100) })
      // The answer for a taken name reveals an account, so trying names is throttled. A free name in between does not
      // reset the throttle.
      const { address, isShared } = context.connection
      const network = networkOf(address)
      await deps.throttle.guardOne(`sign up ${network}`, () => signUp(deps, current, { ...newcomer, network }), {
        counts: (error) => isFailure(error, 'already-exists'),
        isShared,
      })
      return done()
    },
  }),
]

function idIn({ match }: RequestContext): number {
  const id = Number(match.params.id)
  if (!Number.isSafeInteger(id)) throw new Failure('not-found', 'There is no such user')
  return id
}
