import { type Kysely, sql } from 'kysely'

/** What a job was asked to do lies beside its row, which is written again with every entry that is finished. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job_plan')
    .addColumn('job', 'text', (column) => column.primaryKey().references('job.id').onDelete('cascade'))
    .addColumn('plan', 'text', (column) => column.notNull())
    .execute()
  await sql`insert into job_plan (job, plan) select id, plan from job`.execute(db)
  await db.schema.alterTable('job').dropColumn('plan').execute()
}
