import { randomBytes } from 'node:crypto'
import type { LastSignIn, SessionInfo } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Caller } from '../access/caller.ts'
import type { RestrictUser } from '../access/read-only.ts'
import type { Clock } from '../clock.ts'
import { bestEffort, isUnwritable } from '../database/port.ts'
import type { Database, SessionRow } from '../database/schema.ts'
import { versionReader } from '../database/versions.ts'
import { Failure } from '../failure.ts'
import { noSiblings, type Siblings } from '../nodes/siblings.ts'
import { accountWithId } from '../users/store.ts'
import { heldSessions } from './held.ts'
import { inheritSession } from './inherit.ts'
import type { Method, Recognised, SignInAttempt } from './methods/method.ts'
import {
  accountFinder,
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOf,
  extendSession,
  insertSession,
  lastSignIns,
  lastUseRecorder,
  recordSignIn,
  sessionsOf,
} from './store.ts'
import type { TokenClaims, Tokens } from './tokens.ts'

/** The address and client of a request, shown in the list of sessions. */
export type RequestOrigin = () => Pick<SignInAttempt, 'address' | 'userAgent'>

export interface Sessions {
  signIn(attempt: SignInAttempt): Promise<string>
  /** A new token for the same session; the old one stays valid until it expires. */
  renew(caller: Caller): Promise<string>
  signOut(caller: Caller): Promise<void>
  list(caller: Caller): Promise<SessionInfo[]>
  end(caller: Caller, id: string): Promise<void>
  endOthers(caller: Caller): Promise<void>
  /** Of all users. */
  lastSignIns(): Promise<LastSignIn[]>
  /**
   * Reads the account each time, so that revoked permissions end with the next request. An expired token is accepted
   * only while a trusted proxy vouches, with this request, for the same user.
   */
  callerOf(token: string, vouchedFor?: string, from?: RequestOrigin): Promise<Caller | undefined>
}

const renewWithin = 3600
const touchEvery = 60
const mostTouched = 10_000
/** In seconds. Rows of expired sessions are kept to tell an expired token from one whose session was ended. */
const keepExpired = 30 * 86_400
const clearExpiredEvery = 3600

export interface SessionDeps {
  db: Kysely<Database>
  clock: Clock
  /** Other processes of this server; none, if nothing is said. */
  siblings?: Siblings
  /** May a session that cannot be written be kept in memory? Not where requests go to other nodes, too. */
  mayHold?: () => boolean
  tokens: Tokens
  /** The current sign-in method. */
  method(): Promise<Method>
  restrict: RestrictUser
}

export function sessionsIn(
  { db, clock, siblings = noSiblings, mayHold = () => true, tokens, method, restrict }: SessionDeps,
  lifetime: number,
): Sessions {
  const findAccount = accountFinder(db)
  const readVersions = versionReader(db)
  const held = heldSessions(db, siblings)
  const touch = lastUseRecorder(db)
  /** When the last use of a session was recorded, or tried to be recorded, in seconds. */
  const touched = new Map<string, number>()

  function noteUse(id: string, now: number): void {
    if ((touched.get(id) ?? 0) >= now - touchEvery) return
    if (touched.size >= mostTouched) touched.clear()
    touched.set(id, now)
    touch(id, now)
  }

  let clearedAt = Number.NEGATIVE_INFINITY
  function clearExpired(now: number): void {
    if (Math.abs(now - clearedAt) < clearExpiredEvery) return
    clearedAt = now
    bestEffort(deleteExpiredSessions(db, now - keepExpired))
  }

  async function store(session: SessionRow, { user, passwordHash }: Recognised): Promise<void> {
    try {
      const isStored = await insertSession(db, session, { username: user.username, passwordHash })
      if (!isStored) throw new Failure('wrong-credentials', 'The user has been changed meanwhile')
    } catch (error) {
      if (!isUnwritable(error) || !mayHold()) throw error
      // Deleting files to make room on a full disk takes a session.
      const account = await accountWithId(db, user.id)
      const isChanged =
        account?.user.username !== user.username || account.passwordHash !== (passwordHash ?? account.passwordHash)
      if (account === undefined || isChanged)
        throw new Failure('wrong-credentials', 'The user has been changed meanwhile')
      held.hold(session, { username: user.username, passwordHash: account.passwordHash })
    }
  }

  /** Where the rows cannot be deleted, the sessions end in memory, and the failure tells that a restart brings them back. */
  async function ending(ids: readonly string[], end: () => Promise<void>): Promise<void> {
    try {
      await end()
    } catch (error) {
      for (const id of ids) await held.end(id)
      throw error
    }
  }

  async function inherited(claims: TokenClaims, now: number, from: RequestOrigin | undefined) {
    const { userId } = claims
    if (userId === undefined) return undefined
    try {
      await inheritSession(db, claims, userId, now, from)
    } catch (error) {
      if (!isUnwritable(error)) throw error
      // Stored with a later request that can be written; until then each request verifies the token anew.
      const account = await accountWithId(db, userId)
      return account && { ...account, lastUsedAt: now, expiresAt: claims.expiresAt }
    }
    return findAccount(claims.sessionId)
  }

  return {
    async signIn(attempt) {
      const recognised = await (await method())(attempt)
      attempt.recognised?.(recognised.user)
      const user = restrict(recognised.user)
      const now = clock.unixSeconds()
      const id = randomBytes(16).toString('base64url')
      clearExpired(now)
      const session = {
        id,
        user_id: user.id,
        created_at: now,
        last_used_at: now,
        expires_at: now + lifetime,
        address: attempt.address,
        user_agent: attempt.userAgent.slice(0, 512),
      }
      await store(session, recognised)
      bestEffort(recordSignIn(db, user.id, now))
      return tokens.sign(user, { sessionId: id, issuedAt: now, expiresAt: now + lifetime })
    },

    async renew({ user, sessionId }) {
      const now = clock.unixSeconds()
      try {
        if (held.isHeld(sessionId)) await held.extend(sessionId, now + lifetime)
        else await extendSession(db, sessionId, now + lifetime)
      } catch (error) {
        if (!isUnwritable(error)) throw error
        await held.extend(sessionId, now + lifetime)
      }
      return tokens.sign(user, { sessionId, issuedAt: now, expiresAt: now + lifetime })
    },

    async signOut({ sessionId }) {
      if (!(await held.drop(sessionId))) await ending([sessionId], () => deleteSession(db, sessionId))
    },

    async list({ user, sessionId }) {
      const rows = [...(await held.of(user.id)), ...(await sessionsOf(db, user.id, clock.unixSeconds()))].filter(
        ({ id }) => !held.isEnded(id),
      )
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
      const ofUser = [...(await held.of(user.id)), ...(await sessionsOf(db, user.id, 0))]
      if (!ofUser.some((session) => session.id === id)) throw new Failure('not-found', 'There is no such session')
      if (!(await held.drop(id))) await ending([id], () => deleteSession(db, id))
    },

    async endOthers({ user, sessionId }) {
      const others = (rows: SessionRow[]) => rows.map(({ id }) => id).filter((id) => id !== sessionId)
      for (const id of others(await held.of(user.id))) await held.drop(id)
      const ids = others(await sessionsOf(db, user.id, 0))
      await ending(ids, () => deleteSessionsOf(db, user.id, { except: sessionId }))
    },

    async lastSignIns() {
      return (await lastSignIns(db)).map(({ user_id, at }) => ({ userId: user_id, at }))
    },

    async callerOf(token, vouchedFor, from) {
      const claims = await tokens.read(token)
      if (claims === undefined) return undefined
      const now = clock.unixSeconds()
      held.flush(now)
      if (held.isEnded(claims.sessionId)) return undefined
      const found = await findAccount(claims.sessionId)
      const account = found ?? (await held.accountOf(claims.sessionId)) ?? (await inherited(claims, now, from))
      if (account === undefined) return undefined
      const expiresAt = Math.max(account.expiresAt, held.extendedTo(claims.sessionId))
      const isExpired = claims.expiresAt <= now || expiresAt <= now
      if (isExpired && (vouchedFor === undefined || account.user.username !== vouchedFor)) return undefined
      if (account.lastUsedAt < now - touchEvery) noteUse(claims.sessionId, now)
      return {
        user: restrict(account.user),
        sessionId: claims.sessionId,
        shouldRenew: claims.expiresAt - now < renewWithin || account.changedAt > claims.issuedAt,
        versions: found?.versions ?? (await readVersions()),
      }
    },
  }
}
