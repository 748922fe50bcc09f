import { Credentials, LastSignIn, SessionInfo, type User } from '@filestead/contract'
import { z } from 'zod'
import { type AccountContext, type Route, route } from '../access/routes.ts'
import { done, json, plain } from '../http/answers.ts'
import type { RequestContext } from '../http/request.ts'
import { returnsJson, returnsStatusLine, returnsText } from '../http/returns.ts'
import { setAuthCookies } from './cookies.ts'
import type { Sessions } from './sessions.ts'

const returnsToken = returnsText('The token as plain text; the auth cookie is set as well')

export function sessionRoutes(sessions: Sessions, lifetime: number): Route[] {
  const handOver = (
    { request, connection }: RequestContext,
    token: string,
    headers: Record<string, string> = {},
  ): Response =>
    setAuthCookies(plain(token, { 'content-type': 'text/plain', ...headers }), token, {
      request,
      maxAge: lifetime,
      isSecure: connection.isSecure,
    })

  async function answerRenew(context: AccountContext): Promise<Response> {
    context.requireSameSite()
    return handOver(context, await sessions.renew(context.caller), { 'x-renew-token': 'false' })
  }

  return [
    route({
      method: 'POST',
      path: '/api/login',
      access: 'anyone',
      summary: 'Sign in.',
      body: Credentials,
      returns: returnsToken,
      sample: ({ username, password }) => ({ body: { username, password } }),
      async answer(context) {
        context.requireSameSite()
        const { headers } = context.request
        const { address, isShared, claimed, isFromTrustedProxy } = context.connection
        const attempt = {
          credentials: async () => {
            const credentials = await context.body()
            context.note({ user: credentials.username.slice(0, 100) })
            return credentials
          },
          recognised: (user: User) => context.note({ user: user.username, userId: user.id }),
          headers,
          isFromTrustedProxy,
          address,
          isShared,
          claimed,
          userAgent: headers.get('user-agent') ?? '',
          cancellation: context.cancellation,
        }
        return handOver(context, await sessions.signIn(attempt))
      },
    }),
    route({
      method: 'POST',
      path: '/api/renew',
      access: [],
      summary: 'A new token for the same session.',
      returns: returnsToken,
      sample: {},
      answer: answerRenew,
    }),
    route({
      method: 'GET',
      path: '/api/renew',
      access: [],
      summary: 'A new token for the same session, by cookie.',
      returns: returnsToken,
      sample: {},
      answer: answerRenew,
    }),
    route({
      method: 'POST',
      path: '/api/logout',
      access: [],
      summary: 'End the session of this token.',
      returns: returnsStatusLine(),
      sample: {},
      async answer(context) {
        context.requireSameSite()
        await sessions.signOut(context.caller)
        const { request, connection } = context
        return setAuthCookies(done(), '', { request, maxAge: 0, isSecure: connection.isSecure })
      },
    }),
    route({
      method: 'GET',
      path: '/api/sessions',
      access: [],
      summary: 'Where the caller is signed in.',
      returns: returnsJson(z.array(SessionInfo), 'A list of sessions'),
      sample: {},
      answer: async (context) => json(await sessions.list(context.caller), context),
    }),
    route({
      method: 'DELETE',
      path: '/api/sessions',
      access: [],
      summary: 'End all other sessions of the caller.',
      returns: returnsStatusLine(),
      sample: {},
      async answer({ caller }) {
        await sessions.endOthers(caller)
        return done()
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/sessions/:id',
      access: [],
      summary: 'End one session of the caller.',
      returns: returnsStatusLine(),
      sample: ({ sessionId }) => ({ params: { id: sessionId } }),
      async answer({ caller, match }) {
        await sessions.end(caller, match.params.id ?? '')
        return done()
      },
    }),
    route({
      method: 'GET',
      path: '/api/sign-ins',
      access: ['admin'],
      summary: 'When each user signed in last.',
      details: 'Unknown to File Browser. Users that never signed in are left out.',
      returns: returnsJson(z.array(LastSignIn), 'A list of users and times'),
      sample: {},
      answer: async (context) => json(await sessions.lastSignIns(), context),
    }),
  ]
}
