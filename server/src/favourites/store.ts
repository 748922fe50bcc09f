import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database, FavouriteRow } from '../database/schema.ts'
import type { VirtualPath } from '../storage/path.ts'

/** Where a favourite lies: whose it is, and the path below the scope that its user had when it was added. */
export interface FavouritePlace {
  readonly userId: number
  readonly scope: string
  readonly path: string
}

/** In the order in which they were added. */
export async function favouritesOf(db: Kysely<Database>, userId: number, scope: string): Promise<string[]> {
  const rows = await db
    .selectFrom('favourite')
    .select('path')
    .where('user_id', '=', userId)
    .where('scope', '=', scope)
    .orderBy('added_at')
    .orderBy('path')
    .execute()
  return rows.map(({ path }) => path)
}

/** One that is there already stays where it is in the order. */
export async function insertFavourite(
  db: Kysely<Database>,
  { userId, scope, path }: FavouritePlace,
  addedAt: number,
): Promise<void> {
  await db
    .insertInto('favourite')
    .values({ user_id: userId, scope, path, added_at: addedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteFavourite(
  db: Kysely<Database>,
  { userId, scope, path }: FavouritePlace,
): Promise<FavouriteRow | undefined> {
  return db
    .deleteFrom('favourite')
    .where('user_id', '=', userId)
    .where('scope', '=', scope)
    .where('path', '=', path)
    .returningAll()
    .executeTakeFirst()
}

/** Of all users, at or below a folder, which is a path from the root. */
export async function favouritesBelow(db: Kysely<Database>, folder: VirtualPath): Promise<FavouritePlace[]> {
  const fullPath = sql<string>`(scope || path)`
  const rows = await db
    .selectFrom('favourite')
    .select(['user_id', 'scope', 'path'])
    .where((is) =>
      is.or(
        // In the scope of the root, which is a slash of its own, there is one slash more.
        [folder, `/${folder}`].flatMap((start) => [
          is(fullPath, '=', start),
          // '0' is the character after '/'.
          is.and([is(fullPath, '>=', `${start}/`), is(fullPath, '<', `${start}0`)]),
        ]),
      ),
    )
    .execute()
  return rows.map(({ user_id, scope, path }) => ({ userId: user_id, scope, path }))
}

/** Gives favourites other paths. Without a path they end. */
export async function relocateFavourites(
  trx: Transaction<Database>,
  moves: readonly { readonly favourite: FavouritePlace; readonly to: string | undefined }[],
): Promise<void> {
  for (const { favourite, to } of moves) {
    const row = await deleteFavourite(trx, favourite)
    if (row !== undefined && to !== undefined) await insertFavourite(trx, { ...favourite, path: to }, row.added_at)
  }
}
