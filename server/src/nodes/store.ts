import type { Kysely } from 'kysely'
import type { Database, NodeRow } from '../database/schema.ts'

/** One beat more. Answers which it is: the first, where the row is new or another node has removed it. */
export async function countBeat(db: Kysely<Database>, row: Omit<NodeRow, 'beats'>): Promise<number> {
  const { beats } = await db
    .insertInto('node')
    .values({ ...row, beats: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((is) => ({ beats: is('node.beats', '+', 1), beaten_at: row.beaten_at })),
    )
    .returning('beats')
    .executeTakeFirstOrThrow()
  return beats
}

export const allNodes = (db: Kysely<Database>): Promise<NodeRow[]> => db.selectFrom('node').selectAll().execute()

export async function deleteNode(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('node').where('id', '=', id).execute()
}
