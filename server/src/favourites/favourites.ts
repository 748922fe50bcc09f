import type { Favourite } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Clock } from '../clock.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import { scopeFolder } from '../users/home.ts'
import { deleteFavourite, type FavouritePlace, favouritesOf, insertFavourite } from './store.ts'

export interface FavouriteDeps {
  db: Kysely<Database>
  clock: Clock
}

/** More than fit into a sidebar. */
const mostFavourites = 100

/** Those that the rules hide are left out. Whether a folder is still there is found out when it is opened. */
export async function listFavourites({ db }: Pick<FavouriteDeps, 'db'>, scope: Scope): Promise<Favourite[]> {
  const { userId, scope: from } = placeOf(scope, '/')
  const paths = await favouritesOf(db, userId, from)
  return paths.filter((path) => isVisible(scope, path)).map((path) => ({ path }))
}

export async function addFavourite({ db, clock }: FavouriteDeps, scope: Scope, path: VirtualPath): Promise<void> {
  const { kind } = await scope.stat(path)
  if (kind !== 'folder') throw new Failure('invalid', 'only a folder can be a favourite')
  const place = placeOf(scope, path)
  // Counted and added in one: of many that are sent at once only so many fit.
  await transaction(db, 'serializable', async (trx) => {
    const known = await favouritesOf(trx, place.userId, place.scope)
    if (!known.includes(path) && known.length >= mostFavourites)
      throw new Failure('invalid', `you have ${mostFavourites} favourites already; remove one first`)
    await insertFavourite(trx, place, clock.unixSeconds())
  })
}

/** One that is not there is removed already. */
export async function dropFavourite({ db }: Pick<FavouriteDeps, 'db'>, scope: Scope, path: VirtualPath): Promise<void> {
  await deleteFavourite(db, placeOf(scope, path))
}

const placeOf = ({ actor: { user } }: Scope, path: string): FavouritePlace => ({
  userId: user.id,
  scope: scopeFolder(user.scope),
  path,
})

function isVisible(scope: Scope, path: string): boolean {
  try {
    scope.requireVisible(parsePath(path))
    return true
  } catch {
    return false
  }
}
