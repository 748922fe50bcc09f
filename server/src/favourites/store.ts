import type { Kysely, Transaction } from 'kysely'
import type { Database, FavouriteRow } from '../database/schema.ts'
import type { Location } from '../mounts/location.ts'
import { isAtOrBelow } from '../mounts/location-rows.ts'

/** Whose it is, and where it lies. */
export interface FavouriteFolder {
  readonly userId: number
  readonly location: Location
}

/** Without another location it ends. */
export interface FavouriteMove {
  readonly favourite: FavouriteFolder
  readonly to: Location | undefined
}

/** In the order in which they were added. */
export async function favouritesOf(db: Kysely<Database>, userId: number): Promise<Location[]> {
  const rows = await db
    .selectFrom('favourite')
    .select('location')
    .where('user_id', '=', userId)
    .orderBy('added_at')
    .orderBy('location')
    .execute()
  return rows.map(({ location }) => location as Location)
}

/** One that is there already stays where it is in the order. */
export async function insertFavourite(
  db: Kysely<Database>,
  { userId, location }: FavouriteFolder,
  addedAt: number,
): Promise<void> {
  await db
    .insertInto('favourite')
    .values({ user_id: userId, location, added_at: addedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteFavourite(
  db: Kysely<Database>,
  { userId, location }: FavouriteFolder,
): Promise<FavouriteRow | undefined> {
  return db
    .deleteFrom('favourite')
    .where('user_id', '=', userId)
    .where('location', '=', location)
    .returningAll()
    .executeTakeFirst()
}

/** Of all users, at or below a folder. */
export async function favouritesBelow(db: Kysely<Database>, folder: Location): Promise<FavouriteFolder[]> {
  const rows = await db
    .selectFrom('favourite')
    .select(['user_id', 'location'])
    .where(isAtOrBelow('favourite.location', folder))
    .execute()
  return rows.map(({ user_id, location }) => ({ userId: user_id, location: location as Location }))
}

/** Gives favourites other locations. */
export async function relocateFavourites(trx: Transaction<Database>, moves: readonly FavouriteMove[]): Promise<void> {
  for (const { favourite, to } of moves) {
    const row = await deleteFavourite(trx, favourite)
    if (row !== undefined && to !== undefined)
      await insertFavourite(trx, { userId: favourite.userId, location: to }, row.added_at)
  }
}

/** Those of all users at or below a folder, which is served no longer. */
export async function deleteFavouritesWithin(trx: Transaction<Database>, folder: Location): Promise<void> {
  await relocateFavourites(
    trx,
    (await favouritesBelow(trx, folder)).map((favourite) => ({ favourite, to: undefined })),
  )
}
