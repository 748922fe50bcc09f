import type { Kysely } from 'kysely'
import { timeSlices } from '../concurrency/time-slices.ts'
import { inParts } from '../database/parts.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { isFailure } from '../failure.ts'
import { locationIn } from '../mounts/location.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type { KeptFound, Storage } from '../storage/port.ts'
import { isTakenOut } from './follow.ts'
import { foundItem } from './kept.ts'
import { leaveFolder } from './purging.ts'
import { deleteKept, insertKept, keptWithId, placesIn } from './store.ts'

export interface ReconcileDeps {
  readonly db: Kysely<Database>
  storageAt(base: string): Pick<Storage, 'kept' | 'stat'>
}

/**
 * Makes the rows of a mount tell what lies in its stores. What other programs have put there gets a row, and so does what was
 * kept when no row could be stored: with grants that are not known any more. Returns whether something was different.
 */
export async function reconcile(
  { db, storageAt }: ReconcileDeps,
  mount: number,
  signal: AbortSignal,
): Promise<boolean> {
  const storage = storageAt(locationIn(mount, rootPath))
  // Read before the disk: a row whose thing was displaced after the look at the disk is not among them.
  const known = await placesIn(db, mount)
  const found = new Set<VirtualPath>()
  const unknown: KeptFound[] = []
  await storage.kept((part) => {
    for (const each of part) {
      found.add(each.place)
      if (!known.has(each.place)) unknown.push(each)
    }
  }, signal)
  const pause = timeSlices(signal)
  for (const some of inParts(unknown, atOnce)) {
    await insertKept(
      db,
      some.map((each) => foundItem(mount, each)),
    )
    await pause()
  }
  const gone: string[] = []
  for (const [place, id] of known) {
    // A store in a part of the disk that no table of mounts names is not told.
    if (!found.has(place) && (await isGone(storage, place))) gone.push(id)
    await pause()
  }
  for (const id of gone) await forget({ db, storageAt }, id)
  return unknown.length + gone.length > 0
}

/** Another program has ended or restored it: what was removed from it before stays. */
async function forget({ db, storageAt }: ReconcileDeps, id: string): Promise<void> {
  const item = await keptWithId(db, id)
  if (item === undefined || (await isTakenOut({ db, storageAt }, locationIn(item.mount, item.place)))) return
  await transaction(db, 'serializable', async (trx) => {
    await leaveFolder(trx, item)
    await deleteKept(trx, [id])
  })
}

const isGone = (storage: Pick<Storage, 'stat'>, place: VirtualPath): Promise<boolean> =>
  storage.stat(place).then(
    () => false,
    (error) => isFailure(error, 'not-found'),
  )

const atOnce = 100
