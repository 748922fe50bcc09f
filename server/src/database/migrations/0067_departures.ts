import { type Kysely, sql } from 'kysely'

/** Of each departure of grants all is remembered, also what had left the same place before with another folder. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('departed_grant')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('location', 'text', (column) => column.notNull())
    .addColumn('rights', 'integer', (column) => column.notNull())
    .addColumn('ended_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('departed_grant_key', ['subject', 'ended_at', 'location', 'rights'])
    .execute()
  const columns = sql.raw('subject, location, rights, ended_at')
  await sql`insert into departed_grant (${columns}) select ${columns} from former_grant`.execute(db)
  await db.schema.dropTable('former_grant').execute()
  await db.schema.alterTable('departed_grant').renameTo('former_grant').execute()
}
