import { type CreateTableBuilder, type Kysely, SqliteAdapter, sql } from 'kysely'

/** SQLite keeps the rows in the order of their key then, which saves a page a row. Other databases have no such choice. */
export const orderedByKey = <T extends string, C extends string>(
  db: Kysely<unknown>,
  table: CreateTableBuilder<T, C>,
): CreateTableBuilder<T, C> =>
  db.getExecutor().adapter instanceof SqliteAdapter ? table.modifyEnd(sql`without rowid`) : table
