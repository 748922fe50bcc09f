import { Database as Sqlite } from 'bun:sqlite'

/** What a database holds, read without migrating it. */
export interface DatabaseFacts {
  /** SQLite's own words for what is damaged. */
  readonly damage: string | undefined
  readonly migrations: readonly string[]
  readonly users: number
  readonly administrators: number
  readonly documents: Readonly<Record<string, unknown>>
}

export function factsIn(file: string): DatabaseFacts {
  const sqlite = new Sqlite(file, { readwrite: true })
  try {
    sqlite.run('pragma busy_timeout = 5000')
    const check = sqlite.query<{ quick_check: string }, []>('pragma quick_check(1)').get()?.quick_check
    const tables = new Set(
      sqlite.query<{ name: string }, []>("select name from sqlite_master where type = 'table'").all().map(nameOf),
    )
    const profiles = tables.has('user') ? sqlite.query<{ profile: string }, []>('select profile from user').all() : []
    const documents = tables.has('setting')
      ? sqlite.query<{ name: string; value: string }, []>("select name, value from setting where name <> 'key'").all()
      : []
    return {
      damage: check === 'ok' ? undefined : check,
      migrations: tables.has('kysely_migration')
        ? sqlite.query<{ name: string }, []>('select name from kysely_migration order by name').all().map(nameOf)
        : [],
      users: profiles.length,
      administrators: profiles.filter(({ profile }) => JSON.parse(profile).perm?.admin === true).length,
      documents: Object.fromEntries(documents.map(({ name, value }) => [name, JSON.parse(value)])),
    }
  } finally {
    sqlite.close()
  }
}

/** The options that were stored for the server. Opened read-only, so that no journal is left. */
export function storedOptionsIn(file: string): Readonly<Record<string, unknown>> {
  try {
    const sqlite = new Sqlite(file, { readonly: true })
    try {
      const row = sqlite.query<{ value: string }, []>("select value from setting where name = 'server'").get()
      return JSON.parse(row?.value ?? '{}')
    } finally {
      sqlite.close()
    }
  } catch {
    return {}
  }
}

const nameOf = ({ name }: { name: string }): string => name
