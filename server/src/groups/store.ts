import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'

/** The ids of the groups that a user is in. */
export async function groupIdsOf(db: Kysely<Database>, userId: number): Promise<number[]> {
  const rows = await db.selectFrom('member').select('circle_id').where('user_id', '=', userId).execute()
  return rows.map(({ circle_id }) => circle_id)
}
