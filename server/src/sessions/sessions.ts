import { randomBytes } from 'node:crypto'
import type { SessionInfo, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Limits } from '../users/limits.ts'
import { inheritSession } from './inherit.ts'
import type { Method, SignInAttempt } from './methods/method.ts'
import {
  accountFinder,
  deleteExpiredSessions,
  deleteSession,
  deleteSessionOf,
  deleteSessionsOf,
  extendSession,
  insertSession,
  sessionsOf,
  touchSession,
} from './store.ts'
import type { Tokens } from './tokens.ts'

/** Who sent a request. */
export interface Caller {
  readonly user: User
  readonly sessionId: string
  /** The token runs out soon or carries outdated preferences: the client should fetch a new one. */
  readonly shouldRenew: boolean
}

/** Where a request comes from, for the list of sessions. */
export type Whereabouts = () => Pick<SignInAttempt, 'address' | 'userAgent'>

export interface Sessions {
  signIn(attempt: SignInAttempt): Promise<string>
  /** A new token for the same session; the old one lives until its own time is up. */
  renew(caller: Caller): Promise<string>
  signOut(caller: Caller): Promise<void>
  list(caller: Caller): Promise<SessionInfo[]>
  end(caller: Caller, id: string): Promise<void>
  endOthers(caller: Caller): Promise<void>
  /**
   * Read afresh every time: what was taken away is gone with the next request. A token whose time is up counts only
   * while a trusted proxy vouches, with this request, for the same user.
   */
  callerOf(token: string, vouchedFor?: string, from?: Whereabouts): Promise<Caller | undefined>
}

const renewWithin = 3600
const touchEvery = 60
/** An expired session is still known for a while, so that one that was ended can be told from one that ran out. */
const keepExpired = 30 * 86_400

export interface SessionDeps {
  db: Kysely<Database>
  clock: Clock
  tokens: Tokens
  /** The way to sign in that is set now. */
  method(): Promise<Method>
  limits: Limits
}

export function sessionsIn({ db, clock, tokens, method, limits }: SessionDeps, lifetime: number): Sessions {
  const findAccount = accountFinder(db)

  return {
    async signIn(attempt) {
      const user = limits(await (await method())(attempt))
      const now = clock.unixSeconds()
      const id = randomBytes(16).toString('base64url')
      await deleteExpiredSessions(db, now - keepExpired)
      await insertSession(db, {
        id,
        user_id: user.id,
        created_at: now,
        last_used_at: now,
        expires_at: now + lifetime,
        address: attempt.address,
        user_agent: attempt.userAgent.slice(0, 512),
      })
      return tokens.sign(user, { sessionId: id, issuedAt: now, expiresAt: now + lifetime })
    },

    async renew({ user, sessionId }) {
      const now = clock.unixSeconds()
      await extendSession(db, sessionId, now + lifetime)
      return tokens.sign(user, { sessionId, issuedAt: now, expiresAt: now + lifetime })
    },

    signOut: ({ sessionId }) => deleteSession(db, sessionId),

    async list({ user, sessionId }) {
      const rows = await sessionsOf(db, user.id, clock.unixSeconds())
      return rows.map((row) => ({
        id: row.id,
        created: row.created_at,
        lastUsed: row.last_used_at,
        address: row.address,
        userAgent: row.user_agent,
        current: row.id === sessionId,
      }))
    },

    async end({ user }, id) {
      if (!(await deleteSessionOf(db, user.id, id))) throw new Failure('not-found', 'There is no such session')
    },

    endOthers: ({ user, sessionId }) => deleteSessionsOf(db, user.id, { except: sessionId }),

    async callerOf(token, vouchedFor, from) {
      const claims = await tokens.read(token)
      if (claims === undefined) return undefined
      const now = clock.unixSeconds()
      let account = await findAccount(claims.sessionId)
      if (account === undefined && claims.userId !== undefined) {
        await inheritSession(db, claims, claims.userId, now, from)
        account = await findAccount(claims.sessionId)
      }
      if (account === undefined) return undefined
      const isOver = claims.expiresAt <= now || account.expiresAt <= now
      if (isOver && (vouchedFor === undefined || account.user.username !== vouchedFor)) return undefined
      if (account.lastUsedAt < now - touchEvery) await touchSession(db, claims.sessionId, now)
      return {
        user: limits(account.user),
        sessionId: claims.sessionId,
        shouldRenew: claims.expiresAt - now < renewWithin || account.changedAt > claims.issuedAt,
      }
    },
  }
}
