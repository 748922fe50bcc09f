import { Credentials } from '@filestead/contract'
import { done, json, plain } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import { type Asked, forAnyone, forUsers, leavingOf, type Route } from '../http/routes.ts'
import { setAuthCookie } from '../http/token.ts'
import type { Sessions } from './sessions.ts'

export function sessionRoutes(sessions: Sessions, lifetime: number): Route[] {
  const handOver = ({ surroundings }: Asked, token: string, headers: Record<string, string> = {}): Response =>
    plain(token, {
      'content-type': 'text/plain',
      'set-cookie': setAuthCookie(token, { maxAge: lifetime, isSecure: surroundings.isSecure }),
      ...headers,
    })

  return [
    forAnyone('POST', '/api/login', async (asked) => {
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
    forUsers(['POST', 'GET'], '/api/renew', [], async (asked) =>
      handOver(asked, await sessions.renew(asked.caller), { 'x-renew-token': 'false' }),
    ),
    forUsers('POST', '/api/logout', [], async ({ caller, surroundings }) => {
      await sessions.signOut(caller)
      return done(200, { 'set-cookie': setAuthCookie('', { maxAge: 0, isSecure: surroundings.isSecure }) })
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
