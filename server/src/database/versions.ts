import { type Kysely, sql } from 'kysely'
import { prepared } from './port.ts'
import type { Database } from './schema.ts'

/** Of all that requests keep in memory: what was made of another version is made anew. */
export interface Versions {
  readonly settings: number
  /** Of mounts, groups, members and grants. */
  readonly access: number
}

interface VersionRow {
  readonly settings_version: number | null
  readonly access_version: number | null
}

/** Columns for a query that a request makes anyway, so that the versions cost no round trip of their own. */
export const versionColumns = (db: Kysely<Database>) =>
  [
    db.selectFrom('setting').select('version').where('name', '=', sql.lit('settings')).as('settings_version'),
    db.selectFrom('counter').select('value').where('name', '=', sql.lit('access')).as('access_version'),
  ] as const

export const versionsIn = ({ settings_version, access_version }: VersionRow): Versions => ({
  settings: settings_version ?? 0,
  access: access_version ?? 0,
})

/** For requests that read no session. */
export function versionReader(db: Kysely<Database>): () => Promise<Versions> {
  const find = prepared(db, db.selectNoFrom(versionColumns(db)))
  return async () => versionsIn((await find()) ?? { settings_version: 0, access_version: 0 })
}
