import type { Compilable, Kysely } from 'kysely'
import { connectionsOf } from './open.ts'
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
  const connections = connectionsOf(db)
  const queued = async (parameters: string[]) => (await db.executeQuery<Row>({ ...compiled, parameters })).rows[0]
  if (connections === undefined) return (...parameters) => queued(parameters)
  const { reader, writer, read } = connections
  const statement = reader.prepare<Row>(compiled.sql)
  return async (...parameters) => {
    // On the only connection, what a transaction has not committed yet would be seen.
    if (reader === writer && writer.sqlite.inTransaction) return queued(parameters)
    return (await read(() => statement.get(...parameters))) ?? undefined
  }
}

/**
 * The same for what writes. While a transaction is open on the connection for writes, a change waits for its turn, or it
 * would be undone together with that transaction.
 */
export function preparedChange(
  db: Kysely<Database>,
  built: Compilable,
): (parameters: readonly (string | number | null)[]) => Promise<void> {
  const compiled = built.compile()
  const connections = connectionsOf(db)
  const statement = connections?.writer.prepare(compiled.sql)
  return async (parameters) => {
    if (connections === undefined) await db.executeQuery({ ...compiled, parameters })
    else await connections.writeNow(() => statement?.run(...parameters))
  }
}
