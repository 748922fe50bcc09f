import type { Kysely } from 'kysely'
import { durable, prepared } from '../database/port.ts'
import type { Database, SettingRow } from '../database/schema.ts'

export const documentOf = (db: Kysely<Database>, name: SettingRow['name']): Promise<SettingRow | undefined> =>
  db.selectFrom('setting').selectAll().where('name', '=', name).executeTakeFirst()

/** The current version of a document; 0 when there is none. */
export function versionFinder(db: Kysely<Database>) {
  const find = prepared(db, db.selectFrom('setting').select('version').where('name', '=', 'settings'))
  return async (name: SettingRow['name']): Promise<number> => (await find(name))?.version ?? 0
}

export async function saveDocument(db: Kysely<Database>, name: SettingRow['name'], value: unknown): Promise<void> {
  const text = JSON.stringify(value)
  await db
    .insertInto('setting')
    .values({ name, value: text, version: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((is) => ({ value: text, version: is('setting.version', '+', 1) })),
    )
    .execute()
  await durable(db)
}

/** Keeps an existing document: two processes that start at once end up with the same one. */
export async function saveFirstDocument(db: Kysely<Database>, name: SettingRow['name'], value: unknown): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name, value: JSON.stringify(value), version: 1 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}
