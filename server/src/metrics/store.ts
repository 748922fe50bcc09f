import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'

/** Counts open uploads and sessions. */
export async function countRows(db: Kysely<Database>, now: number): Promise<{ uploads: number; sessions: number }> {
  const uploads = await db
    .selectFrom('upload')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  const sessions = await db
    .selectFrom('session')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return { uploads: uploads.count, sessions: sessions.count }
}
