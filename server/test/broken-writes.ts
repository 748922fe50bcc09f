import { type Kysely, sql } from 'kysely'
import type { Database } from '../src/database/schema.ts'
import { sqliteOf } from '../src/database/sqlite/open.ts'

type Change = 'insert' | 'update' | 'delete'

/** Every such change of a table fails with this message, until `mendWrites`. `when` is a condition on the new row. */
export async function breakWrites(
  db: Kysely<Database>,
  { table, change, message, when }: { table: keyof Database; change: Change; message: string; when?: string },
): Promise<void> {
  const trigger = `create trigger broken before ${change} on "${table}" for each row ${when === undefined ? '' : `when (${when})`}`
  if (sqliteOf(db) !== undefined) {
    await sql.raw(`${trigger} begin select raise(abort, '${message}'); end`).execute(db)
    return
  }
  await refusingFunction(db)
  await sql.raw(`${trigger} execute function refuse('${message}', 'P0001')`).execute(db)
}

export async function mendWrites(db: Kysely<Database>, table: keyof Database): Promise<void> {
  await sql.raw(`drop trigger if exists broken ${sqliteOf(db) === undefined ? `on "${table}"` : ''}`).execute(db)
}

/** No row can be written, as on a disk that has become read-only. */
export async function setReadOnly(db: Kysely<Database>, isReadOnly: boolean): Promise<void> {
  const sqlite = sqliteOf(db)
  if (sqlite !== undefined) return void sqlite.run(`pragma query_only = ${isReadOnly ? 'on' : 'off'}`)
  await refusingFunction(db)
  for (const { name } of await db.introspection.getTables())
    await sql
      .raw(
        isReadOnly
          ? `create trigger frozen before insert or update or delete on "${name}" execute function refuse('read-only', '25006')`
          : `drop trigger frozen on "${name}"`,
      )
      .execute(db)
}

const refusingFunction = (db: Kysely<Database>) =>
  sql
    .raw(
      `create or replace function refuse() returns trigger language plpgsql as
       $$ begin raise exception '%', tg_argv[0] using errcode = tg_argv[1]; end $$`,
    )
    .execute(db)
