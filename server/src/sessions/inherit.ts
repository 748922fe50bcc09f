import type { Kysely } from 'kysely'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { requireAccount } from '../users/users.ts'
import type { Whereabouts } from './sessions.ts'
import { inheritedUntil, insertInheritedToken, insertSession, wasInherited } from './store.ts'
import type { TokenClaims } from './tokens.ts'

/**
 * Takes a token that File Browser issued before the move into a session, once: from then on it lives and ends like any
 * other. A changed password, "end all others" and deleting the user keep tokens out that nobody has shown by then.
 */
export async function inheritSession(
  db: Kysely<Database>,
  { sessionId, issuedAt, expiresAt }: TokenClaims,
  userId: number,
  now: number,
  from: Whereabouts | undefined,
): Promise<void> {
  // Asked first without a lock: a token that means nothing must not cost more than that.
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
