import { documentsIn, examine } from '../database/sqlite/files.ts'

/** The content of a database, read without migrating it. */
export interface DatabaseFacts {
  /** The message of SQLite's integrity check. */
  readonly damage: string | undefined
  readonly migrations: readonly string[]
  readonly users: number
  readonly administrators: number
  readonly documents: Readonly<Record<string, unknown>>
}

export const factsIn = (file: string): DatabaseFacts =>
  examine(file, (tables, damage) => {
    const profiles = tables.rows('user').map(({ profile }) => JSON.parse(profile))
    const documents = tables.rows('setting').filter(({ name }) => name !== 'key')
    return {
      damage,
      migrations: tables.migrations(),
      users: profiles.length,
      administrators: profiles.filter(({ perm }) => perm?.admin === true).length,
      documents: Object.fromEntries(documents.map(({ name, value }) => [name, JSON.parse(value)])),
    }
  })

/** The stored options of the server; undefined where they cannot be read without writing to the disk. */
export function storedOptionsIn(file: string): Readonly<Record<string, unknown>> | undefined {
  const documents = documentsIn(file)
  return documents && ((documents.get('server') ?? {}) as Record<string, unknown>)
}
