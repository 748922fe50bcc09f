import { nameOf } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { shownIn } from '../access/kept.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { grantsLike, hasGrantsWithin, haveGrantsLeft } from '../grants/store.ts'
import { isWithin, type Location, locationIn, parentLocation } from '../mounts/location.ts'
import type { VirtualPath } from '../storage/path.ts'
import { foldersRemovedAfter } from './sight.ts'
import type { KeptItem } from './store.ts'

/** What comes back to where it was: all of a kept item, or a part of it. */
interface ComingBack {
  readonly item: KeptItem
  /** Where it lies, in the store. */
  readonly place: VirtualPath
  /** By a rename, and so with the rights of its own. */
  readonly isMoved: boolean
}

/**
 * Rights go into a store with their folder, and out of it with all of it. What comes back to its place without them, or in a
 * folder that has to be made anew, would show to whom they withheld it.
 */
export async function requireOwnRights(db: Kysely<Database>, { item, place, isMoved }: ComingBack): Promise<void> {
  const removed = await foldersRemovedAfter(db, item)
  for (const folder of removed)
    if (await hasGrantsWithin(db, storedAt(folder)))
      throw new Failure(
        'invalid',
        `Restore the folder ${JSON.stringify(nameOf(folder.location))} first, which has rights of its own`,
      )
  const outermost = removed.at(-1) ?? item
  // Of a folder that was ended for good.
  if (await haveGrantsLeft(db, { at: shownIn(parentLocation(outermost.location)), since: outermost.keptAt }))
    throw gone()
  if (isMoved) return
  const around = await grantsLike(db, { at: shownIn(locationIn(item.mount, place)), above: true, below: true })
  if (!around.some(({ location }) => isWithin(location, storedAt(item)))) return
  const name = JSON.stringify(nameOf(item.location))
  throw new Failure(
    'invalid',
    place === item.place
      ? `${name} has rights of its own, which stay in its root folder: choose a place there`
      : `Restore all of ${name}, which has rights of its own, or choose another place`,
  )
}

/** The same of what is copied out of a snapshot that is not older than `since`. */
export async function requireRightsSince(db: Kysely<Database>, location: Location, since: number): Promise<void> {
  if (await haveGrantsLeft(db, { at: shownIn(location), below: true, since })) throw gone()
}

const gone = () =>
  new Failure('invalid', 'The rights that it had there went away with a folder: restore it to another place')

const storedAt = ({ mount, place }: KeptItem): Location => shownIn(locationIn(mount, place))
