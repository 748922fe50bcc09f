import { Database as Sqlite } from 'bun:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import { migrateTo } from './migrations.ts'

/** What Kysely expects of a driver, over Bun's. */
const driverOf = (sqlite: Sqlite) => ({
  prepare(text: string) {
    const statement = sqlite.prepare(text)
    return {
      reader: statement.columnNames.length > 0,
      all: (parameters: readonly unknown[]) => statement.all(...(parameters as string[])),
      run: (parameters: readonly unknown[]) => statement.run(...(parameters as string[])),
      iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as string[])),
    }
  },
  close: () => sqlite.close(),
})

/** A database as a program has left it whose last migration was `last`. */
export async function makeOldDatabase(
  file: string,
  last: Parameters<typeof migrateTo>[1],
  statements: readonly string[],
): Promise<void> {
  const sqlite = new Sqlite(file)
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: driverOf(sqlite) }) })
  await migrateTo(db, last)
  for (const statement of statements) sqlite.run(statement)
  await db.destroy()
}
