import type { Subject } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { ActorGrant } from '../access/granted.ts'
import type { Database } from '../database/schema.ts'
import type { Location } from '../mounts/location.ts'

/** The grants for any of these subjects. */
export async function grantsFor(db: Kysely<Database>, subjects: readonly Subject[]): Promise<ActorGrant[]> {
  const rows = await db.selectFrom('grant').select(['location', 'rights']).where('subject', 'in', subjects).execute()
  return rows.map(({ location, rights }) => ({ location: location as Location, rights }))
}
