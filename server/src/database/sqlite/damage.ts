import { Database as Sqlite } from 'bun:sqlite'

// Imported by the log's worker as well: a small file without the port and Kysely behind it.

/**
 * Is the content of the file another one than its log belongs to? Asked on a connection of its own, since the others have
 * pages from before in their caches. It reads the whole file. Whatever keeps it from being asked now does not count.
 */
export function isDamaged(file: string): boolean {
  try {
    const sqlite = new Sqlite(file, { readonly: true })
    try {
      const row = sqlite.query<{ quick_check: string }, []>('pragma quick_check(1)').get()
      return row?.quick_check !== 'ok'
    } finally {
      sqlite.close()
    }
  } catch (error) {
    return /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code))
  }
}
