import type { OpenDatabase } from './port.ts'
import { type OpenOptions, openSqlite } from './sqlite/open.ts'

/** Chooses the adapter by the address of the database: a file is one of SQLite. */
export const openDatabase = (address: string, options: OpenOptions = {}): Promise<OpenDatabase> =>
  openSqlite(address, options)
