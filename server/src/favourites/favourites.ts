import type { Favourite } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { type Scope, seenPath } from '../access/scope.ts'
import type { Clock } from '../clock.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { isInStore, type Location } from '../mounts/location.ts'
import type { VirtualPath } from '../storage/path.ts'
import { deleteFavourite, type FavouriteFolder, favouritesOf, insertFavourite } from './store.ts'

export interface FavouriteDeps {
  db: Kysely<Database>
  clock: Clock
  /** Hears of the account whose favourites are others now. */
  changed?(userId: number): void
}

/** More than fit into a sidebar. */
const mostFavourites = 100

/** Those that the caller does not see are left out. Whether a folder is still there is found out when it is opened. */
export async function listFavourites({ db }: Pick<FavouriteDeps, 'db'>, scope: Scope): Promise<Favourite[]> {
  const folders = await favouritesOf(db, scope.actor.user.id)
  return folders.flatMap((location) => {
    const path = seenPath(scope.view, location)
    return path === undefined ? [] : { path }
  })
}

export async function addFavourite(
  { db, clock, changed }: FavouriteDeps,
  scope: Scope,
  path: VirtualPath,
): Promise<void> {
  const { kind } = await scope.stat(path)
  if (kind !== 'folder') throw new Failure('invalid', 'only a folder can be a favourite')
  const favourite = favouriteAt(scope, path)
  // Counted and added in one: of many that are sent at once only so many fit.
  await transaction(db, 'serializable', async (trx) => {
    const known = await favouritesOf(trx, favourite.userId)
    if (!known.includes(favourite.location) && known.filter((each) => isReached(scope, each)).length >= mostFavourites)
      throw new Failure('invalid', `you have ${mostFavourites} favourites already; remove one first`)
    await insertFavourite(trx, favourite, clock.unixSeconds())
  })
  changed?.(favourite.userId)
}

/** One that is not there is removed already. */
export async function dropFavourite(
  { db, changed }: Pick<FavouriteDeps, 'db' | 'changed'>,
  scope: Scope,
  path: VirtualPath,
): Promise<void> {
  const favourite = favouriteAt(scope, path)
  await deleteFavourite(db, favourite)
  changed?.(favourite.userId)
}

const favouriteAt = (scope: Scope, path: VirtualPath): FavouriteFolder => ({
  userId: scope.actor.user.id,
  location: scope.locate(path),
})

/** Those that lie where the caller has nothing, or are kept in a store, count for nothing. */
const isReached = ({ tree }: Scope, location: Location): boolean =>
  !isInStore(location) && tree.pathTo(location) !== undefined
