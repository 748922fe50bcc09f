import { Credentials } from '@filestead/contract'
import { done, json, plain } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import { type Asked, forAnyone, forUsers, leavingOf, type Route, requireOwnPage } from '../http/routes.ts'
import { setAuthCookies } from '../http/token.ts'
import type { Sessions } from './sessions.ts'

export function sessionRoutes(sessions: Sessions, lifetime: number): Route[] {
  const handOver = ({ request, surroundings }: Asked, token: string, headers: Record<string, string> = {}): Response =>
    setAuthCookies(plain(token, { 'content-type': 'text/plain', ...headers }), token, {
      request,
      maxAge: lifetime,
      isSecure: surroundings.isSecure,
    })

  return [
    forAnyone('POST', '/api/login', async (asked) => {
      requireOwnPage(asked)
      const { headers } = asked.request
      const { address, isShared, claimed, isFromTrustedProxy } = asked.surroundings
      const attempt = {
        credentials: () => jsonOf(asked, Credentials),
        headers,
        isFromTrustedProxy,
        address,
        isShared,
        claimed,
        userAgent: headers.get('user-agent') ?? '',
        leaving: leavingOf(asked.request),
      }
      return handOver(asked, await sessions.signIn(attempt))
    }),
    forUsers(['POST', 'GET'], '/api/renew', [], async (asked) => {
      requireOwnPage(asked)
      return handOver(asked, await sessions.renew(asked.caller), { 'x-renew-token': 'false' })
    }),
    forUsers('POST', '/api/logout', [], async (asked) => {
      requireOwnPage(asked)
      await sessions.signOut(asked.caller)
      const { request, surroundings } = asked
      return setAuthCookies(done(), '', { request, maxAge: 0, isSecure: surroundings.isSecure })
    }),
    forUsers('GET', '/api/sessions', [], async ({ caller, request }) => json(await sessions.list(caller), request)),
    forUsers('DELETE', '/api/sessions', [], async ({ caller }) => {
      await sessions.endOthers(caller)
      return done()
    }),
    forUsers('DELETE', '/api/sessions/:id', [], async ({ caller, c }) => {
      await sessions.end(caller, c.req.param('id') ?? '')
      return done()
    }),
  ]
}
