import type { Kysely } from 'kysely'

export const up = (db: Kysely<unknown>): Promise<void> =>
  db.schema.alterTable('upload').addColumn('metadata', 'text').execute()
