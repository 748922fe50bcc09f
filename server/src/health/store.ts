import type { Kysely } from 'kysely'
import { connectionsOf } from '../database/open.ts'
import { prepared } from '../database/prepared.ts'
import type { Database } from '../database/schema.ts'

export function readProbe(db: Kysely<Database>): () => Promise<unknown> {
  return prepared(db, db.selectFrom('setting').select('name').where('name', '=', 'settings'))
}

/**
 * Writes one number, each time another: what would change nothing is not written by SQLite, and what is undone never
 * reaches the disk. Waits for nobody.
 */
export function writeProbe(db: Kysely<Database>): () => void {
  const connections = connectionsOf(db)
  const { sql, parameters } = db
    .insertInto('counter')
    .values({ name: 'probe', value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((is) => ({ value: is('counter.value', '+', 1) })))
    .compile()
  return () => connections?.tryToWrite(() => connections.writer.run(sql, parameters))
}
