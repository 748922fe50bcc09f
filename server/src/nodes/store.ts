import { type Kysely, sql } from 'kysely'
import { nextNumbers } from '../database/counters.ts'
import { transaction } from '../database/port.ts'
import type { Database, MessageRow, NodeRow } from '../database/schema.ts'

/** Later than all that are there, also where the clock of one of them is ahead: who began first is not told by clocks. */
const laterThanAll = (now: number) =>
  sql<number>`(select case when max(started_at) >= ${now} then max(started_at) + 1 else ${now} end from node)`

/** One beat more. Answers which it is: the first, where the row is new or another node has removed it. */
export async function countBeat(db: Kysely<Database>, row: Omit<NodeRow, 'beats' | 'started_at'>): Promise<number> {
  const { beats } = await db
    .insertInto('node')
    .values({ ...row, beats: 1, started_at: laterThanAll(row.beaten_at) })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((is) => ({ beats: is('node.beats', '+', 1), beaten_at: row.beaten_at })),
    )
    .returning('beats')
    .executeTakeFirstOrThrow()
  return beats
}

export async function startAnew(db: Kysely<Database>, id: string, now: number): Promise<void> {
  await db
    .updateTable('node')
    .set({ started_at: laterThanAll(now) })
    .where('id', '=', id)
    .execute()
}

export const allNodes = (db: Kysely<Database>): Promise<NodeRow[]> => db.selectFrom('node').selectAll().execute()

export async function deleteNode(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('node').where('id', '=', id).execute()
}

/** Committed in the order of their ids: the row of the counter is locked until then. */
export const insertMessages = (db: Kysely<Database>, messages: readonly Omit<MessageRow, 'id'>[]): Promise<void> =>
  transaction(db, 'read committed', async (trx) => {
    const first = await nextNumbers(trx, 'message', messages.length)
    await trx
      .insertInto('message')
      .values(messages.map((message, index) => ({ ...message, id: first + index })))
      .execute()
  })

/** With the body of those alone that are for this node; of the others the ids show that none is missing. */
export const messagesAfter = (db: Kysely<Database>, last: number, node: string, most: number) =>
  db
    .selectFrom('message')
    .select(['id', 'sender', 'topic', 'answers'])
    .select((is) =>
      is
        .case()
        .when(is.and([is('sender', '!=', node), is.or([is('receiver', 'is', null), is('receiver', '=', node)])]))
        .then(is.ref('body'))
        .end()
        .as('body'),
    )
    .where('id', '>', last)
    .orderBy('id')
    .limit(most)
    .execute()

export async function deleteMessagesTo(db: Kysely<Database>, last: number): Promise<void> {
  await db.deleteFrom('message').where('id', '<=', last).execute()
}
