import { Credentials, type User } from '@filestead/contract'
import { forAnyone, forUsers, type Route } from '../access/routes.ts'
import { done, json, plain } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import type { RequestContext } from '../http/request.ts'
import { setAuthCookies } from './cookies.ts'
import type { Sessions } from './sessions.ts'

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

  return [
    forAnyone('POST', '/api/login', async (context) => {
      context.requireOwnPage()
      const { headers } = context.request
      const { address, isShared, claimed, isFromTrustedProxy } = context.connection
      const attempt = {
        credentials: async () => {
          const credentials = await jsonOf(context, Credentials)
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
    }),
    forUsers(['POST', 'GET'], '/api/renew', [], async (context) => {
      context.requireOwnPage()
      return handOver(context, await sessions.renew(context.caller), { 'x-renew-token': 'false' })
    }),
    forUsers('POST', '/api/logout', [], async (context) => {
      context.requireOwnPage()
      await sessions.signOut(context.caller)
      const { request, connection } = context
      return setAuthCookies(done(), '', { request, maxAge: 0, isSecure: connection.isSecure })
    }),
    forUsers('GET', '/api/sessions', [], async ({ caller, request }) => json(await sessions.list(caller), request)),
    forUsers('DELETE', '/api/sessions', [], async ({ caller }) => {
      await sessions.endOthers(caller)
      return done()
    }),
    forUsers('DELETE', '/api/sessions/:id', [], async ({ caller, match }) => {
      await sessions.end(caller, match.params.id ?? '')
      return done()
    }),
  ]
}
