import type { Kysely } from 'kysely'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { requireAccount } from '../users/users.ts'
import type { RequestOrigin } from './sessions.ts'
import { inheritedUntil, insertInheritedToken, insertSession, wasInherited } from './store.ts'
import type { TokenClaims } from './tokens.ts'

/**
 * Makes a session of a token that File Browser issued before the takeover, once: from then on it ends like any other.
 * A changed password, "end all others" and deleting the user end the tokens that have not been used by then.
 */
export async function inheritSession(
  db: Kysely<Database>,
  { sessionId, issuedAt, expiresAt }: TokenClaims,
  userId: number,
  now: number,
  from: RequestOrigin | undefined,
): Promise<void> {
  // Read first without a transaction, so that invalid tokens take no lock.
  if (expiresAt <= now || !(await isInherited(db, userId, issuedAt)) || (await wasInherited(db, sessionId))) return
  await durableTransaction(db, 'serializable', async (trx) => {
    if (!(await isInherited(trx, userId, issuedAt))) return
    const session = { id: sessionId, expires_at: expiresAt }
    if (!(await insertInheritedToken(trx, session, now))) return
    const { user } = await requireAccount(trx, userId)
    const { address = '', userAgent = '' } = from?.() ?? {}
    const row = {
      ...session,
      user_id: userId,
      created_at: issuedAt,
      last_used_at: now,
      address,
      user_agent: userAgent.slice(0, 512),
    }
    await insertSession(trx, row, { username: user.username, passwordHash: undefined })
  })
}

async function isInherited(db: Kysely<Database>, userId: number, issuedAt: number): Promise<boolean> {
  const until = await inheritedUntil(db, userId)
  return until !== undefined && issuedAt <= until
}
