import { isPostgres } from './address.ts'
import type { OpenDatabase } from './port.ts'
import type { PostgresOptions } from './postgres/open.ts'
import { openSqlite, type OpenOptions as SqliteOptions } from './sqlite/open.ts'

export type OpenOptions = SqliteOptions & PostgresOptions

/** Chooses the adapter by the address of the database: a file is one of SQLite. */
export async function openDatabase(address: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  if (!isPostgres(address)) return openSqlite(address, options)
  // Its driver is loaded only where it is needed.
  const { openPostgres } = await import('./postgres/open.ts')
  return openPostgres(address, options)
}
