import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'
import { isWithin, type Location, movedAlong } from '../mounts/location.ts'
import { isThere } from '../mounts/resolved.ts'
import type { Storage } from '../storage/port.ts'
import { notedIn, type UnfinishedIntent, unfinishedIntents } from './store.ts'

export interface TakenAlongDeps {
  readonly db: Kysely<Database>
  readonly storageAt: (base: string) => Pick<Storage, 'stat'>
}

interface Ends {
  readonly from?: Location | undefined
  readonly to?: Location | undefined
}

interface Question {
  readonly folder: Location
  readonly id: string
  readonly follower: string
  /** It takes no rows along itself. So what another change has taken from the folder is that one's, also if it began later. */
  readonly isRemoval?: boolean
}

/**
 * Places in a folder from which another change than `id` has taken away what was there, without having stored that: rows of
 * this follower go along with it. They neither end nor go with what has come there since, so of two moves the first has them.
 */
export async function takenAlong(
  { db, storageAt }: TakenAlongDeps,
  { folder, id, follower, isRemoval = false }: Question,
  endsOf: (other: UnfinishedIntent) => Ends = ({ change }) => change,
): Promise<Location[]> {
  const taken: Location[] = []
  for (const other of await unfinishedIntents(db)) {
    // The ids grow with time.
    if (other.id === id || (other.id > id && !isRemoval) || notedIn(other, follower) === undefined) continue
    const { from, to } = endsOf(other)
    if (from === undefined || to === undefined) continue
    const place = isWithin(from, folder) ? from : folder
    if (isWithin(place, from) && (await isThere(storageAt, movedAlong(place, from, to)))) taken.push(place)
  }
  return taken
}
