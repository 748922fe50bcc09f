import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'
import { type Location, locationIn, mountOf, movedAlong, pathIn, wayTo } from '../mounts/location.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { lookThrough } from './looked-through.ts'
import { hasKeptWithin, keptAt } from './store.ts'

interface PastDeps {
  readonly db: Kysely<Database>
  readonly snapshots: Pick<Snapshots, 'of' | 'storageOf'>
}

/** Would an account that gets this folder see what others had there: in the trash, in older versions, in snapshots? */
export const hasPast = async (deps: PastDeps, folder: Location): Promise<boolean> =>
  (await isKeptOf(deps.db, folder)) || (await isInSnapshots(deps, folder))

/** Also where a folder above it is kept, with what had been removed from it before. */
async function isKeptOf(db: Kysely<Database>, folder: Location): Promise<boolean> {
  if (await hasKeptWithin(db, folder)) return true
  for (const above of wayTo(folder).slice(1))
    for (const { store, mount, place } of await keptAt(db, above, mostAbove))
      if (store === 'trash' && (await isKeptOf(db, movedAlong(folder, above, locationIn(mount, place))))) return true
  return false
}

const mostAbove = 100

/** As timelines look: of hundreds of snapshots a few tell. */
async function isInSnapshots({ snapshots }: PastDeps, folder: Location): Promise<boolean> {
  const mount = mountOf(folder)
  const all = await snapshots.of(mount)
  const look = async (index: number): Promise<true | null> => {
    try {
      const storage = await snapshots.storageOf(mount, all[index]?.name ?? '')
      return (await storage.names(pathIn(folder))).length > 0 ? true : null
    } catch {
      return null
    }
  }
  const { found } = await lookThrough(all.length, look, {
    ...{ isUnbroken: () => true, mostLooks: 100, atOnce: 8, longest: 4000 },
  })
  return [...found.values()].includes(true)
}
