import type { Database } from './schema.ts'

/** The columns of every table that tell its rows apart. Tables that others refer to come first. */
export const tables = {
  setting: ['name'],
  counter: ['name'],
  node: ['id'],
  message: ['id'],
  user: ['id'],
  session: ['id'],
  sign_in: ['user_id'],
  draft: ['place'],
  leaving: ['place'],
  remote_draft: ['mount', 'path', 'id'],
  upload: ['id'],
  attempt: ['target'],
  share: ['hash'],
  change: ['id'],
  job: ['id'],
  job_plan: ['job'],
  favourite: ['user_id', 'location'],
  mount: ['id'],
  kept: ['id'],
  operation: ['id'],
  known_item: ['item', 'operation'],
  circle: ['id'],
  member: ['user_id', 'circle_id'],
  grant: ['id'],
  former_grant: ['subject', 'ended_at', 'location', 'rights'],
  inherited_user: ['user_id'],
  inherited_token: ['session_id'],
  inherited_share: ['hash'],
} as const satisfies { [Table in keyof Database]: readonly (keyof Database[Table])[] }

/** Tables as they are in a database that is not opened; one that an older program did not know has no rows. */
export interface Tables {
  rows<Table extends keyof Database>(table: Table): Database[Table][]
  migrations(): string[]
}

type ReadRows = <Row>(table: string) => Row[]

export const tablesWith = (rows: ReadRows): Tables => ({
  rows,
  migrations: () =>
    rows<{ name: string }>('kysely_migration')
      .map(({ name }) => name)
      .sort(),
})
