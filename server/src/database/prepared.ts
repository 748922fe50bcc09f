import type { Compilable, Kysely } from 'kysely'
import { refused, sqliteOf } from './open.ts'
import type { Database } from './schema.ts'

/**
 * A query that is asked with every request: compiled once, and put to SQLite directly where that is the database.
 * Building a query anew and queueing for a connection cost several times what the answer costs.
 */
export function prepared<Row>(
  db: Kysely<Database>,
  built: Compilable<Row>,
): (...parameters: string[]) => Promise<Row | undefined> {
  const compiled = built.compile()
  const sqlite = sqliteOf(db)
  if (sqlite === undefined)
    return async (...parameters) => (await db.executeQuery<Row>({ ...compiled, parameters })).rows[0]
  const statement = sqlite.query<Row, string[]>(compiled.sql)
  return async (...parameters) => statement.get(...parameters) ?? undefined
}

/**
 * The same for what writes. There is one connection: while somebody's transaction is open on it, a change waits for its
 * turn, or it would be undone together with theirs.
 */
export function preparedChange(
  db: Kysely<Database>,
  built: Compilable,
): (parameters: readonly (string | number | null)[]) => Promise<void> {
  const compiled = built.compile()
  const sqlite = sqliteOf(db)
  const statement = sqlite?.query<unknown, (string | number | null)[]>(compiled.sql)
  return async (parameters) => {
    if (sqlite?.inTransaction === false) refused(() => statement?.run(...parameters))
    else await db.executeQuery({ ...compiled, parameters })
  }
}
