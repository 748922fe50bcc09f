import { createHash } from 'node:crypto'
import type { TokenUser, User } from '@filestead/contract'
import { type JWTPayload, jwtVerify, SignJWT } from 'jose'

export interface TokenClaims {
  readonly sessionId: string
  readonly issuedAt: number
  readonly expiresAt: number
  /** Only in tokens of File Browser, which name no session, just the user. */
  readonly userId?: number
}

export interface Tokens {
  sign(user: User, claims: TokenClaims): Promise<string>
  /** The claims of a token with a valid signature. Its expiry and its session are checked by the caller. */
  read(token: string): Promise<TokenClaims | undefined>
}

const algorithm = 'HS256'
const mostVerified = 2048

export async function tokensSignedWith(secret: Uint8Array): Promise<Tokens> {
  const key = await crypto.subtle.importKey('raw', Uint8Array.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  // Cache of verified signatures, which cannot become invalid. Expiry and session are checked with every request.
  const verified = new Map<string, TokenClaims>()

  return {
    sign: (user, { sessionId, issuedAt, expiresAt }) =>
      new SignJWT({ user: tokenUser(user), sid: sessionId })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer('File Browser')
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key),

    async read(token) {
      const known = verified.get(token)
      if (known !== undefined) return known
      // The caller checks the expiry with its own clock, so jose gets a date before any.
      const result = await jwtVerify(token, key, { algorithms: [algorithm], currentDate: new Date(0) }).catch(
        () => null,
      )
      if (result === null) return undefined
      const claims = claimsIn(token, result.payload)
      if (claims === undefined) return undefined
      if (verified.size >= mostVerified) verified.delete(verified.keys().next().value ?? '')
      verified.set(token, claims)
      return claims
    },
  }
}

function claimsIn(token: string, { sid, iat, exp, user }: JWTPayload): TokenClaims | undefined {
  if (iat === undefined || exp === undefined) return undefined
  const times = { issuedAt: iat, expiresAt: exp }
  if (sid !== undefined) return typeof sid === 'string' ? { sessionId: sid, ...times } : undefined
  const userId = (user as { id?: unknown } | undefined)?.id
  // The id is derived from the token, so that it always names the same session.
  return typeof userId === 'number' ? { sessionId: inheritedSession(token), userId, ...times } : undefined
}

const inheritedSession = (token: string): string =>
  `old-${createHash('sha256').update(token).digest('base64url').slice(0, 22)}`

const tokenUser = (user: User): TokenUser => ({
  id: user.id,
  locale: user.locale,
  viewMode: user.viewMode,
  singleClick: user.singleClick,
  redirectAfterCopyMove: user.redirectAfterCopyMove,
  perm: user.perm,
  commands: user.commands,
  lockPassword: user.lockPassword,
  hideDotfiles: user.hideDotfiles,
  dateFormat: user.dateFormat,
  username: user.username,
  aceEditorTheme: user.aceEditorTheme,
  ...(user.theme !== undefined && { theme: user.theme }),
})
