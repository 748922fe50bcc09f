import type { Kysely } from 'kysely'
import type { Change, Result } from '../changes/change.ts'
import type { Follower, Write } from '../changes/follower.ts'
import { notedIn, type UnfinishedIntent } from '../changes/store.ts'
import { type TakenAlongDeps, takenAlong } from '../changes/taken-along.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import type { Database } from '../database/schema.ts'
import { hasGrantsWithin } from '../grants/store.ts'
import { isWithin, type Location, mountOf, movedAlong, parentLocation, pathIn } from '../mounts/location.ts'
import { isThere, realPlaceOf } from '../mounts/resolved.ts'
import type { Storage } from '../storage/port.ts'
import {
  deleteKept,
  hasKeptWithin,
  type KeptItem,
  keptAtPlace,
  keptWithin,
  relocateKept,
  relocateOne,
  restrictKept,
} from './store.ts'

const followerName = 'kept'

interface FollowDeps {
  readonly db: Kysely<Database>
  storageAt(base: string): Storage
  /** Ends kept things for good, some time soon. */
  purgeSoon(items: readonly KeptItem[]): void
}

/** What recovery needs besides the change, whose ends may be symlinks: the same places without them. */
interface Ends {
  readonly from: Location
  readonly to: Location | undefined
  /** Of a removal for good: the folder had grants before, which end with it. */
  readonly hadGrants?: boolean
}

/**
 * Who may see a kept thing is decided by the place that it had, so that place follows the folder it was in: to wherever that
 * is moved, into a store when it is removed, and back. It is stored in one transaction with the grants that go along.
 */
export function keptFollower({ db, storageAt, purgeSoon }: FollowDeps): Follower {
  async function outcomeOf(kind: Change['kind'], ends: Ends, result: Result | 'unknown', id: string) {
    const { from, to } = ends
    if (kind === 'restore') return to === undefined ? undefined : restored(from, to)
    const isRemoval = to === undefined
    if (isRemoval && result !== 'done' && (await isThere(storageAt, from))) return undefined
    // After that look: another change that takes it away meanwhile has stored that by now, or is found.
    const taken = await takenAlong({ db, storageAt }, { folder: from, id, follower: followerName, isRemoval }, noted)
    if (isRemoval) return removed(ends, taken)
    const relocation: Write = (trx) => relocateKept(trx, from, to, taken)
    if (result === 'done') return relocation
    if (!(await isThere(storageAt, to))) return undefined
    return (await isThere(storageAt, from)) ? split(from, to, taken) : relocation
  }

  /** Only what has left its store; of a folder that was put together with another one, some of it may have stayed. */
  async function restored(place: Location, to: Location): Promise<Write | undefined> {
    if (await isThere(storageAt, place)) return undefined
    const item = await keptAtPlace(db, mountOf(place), pathIn(place))
    return async (trx) => {
      if (item !== undefined) await deleteKept(trx, [item.id])
      await relocateKept(trx, place, to)
    }
  }

  /**
   * For good: older versions of what is gone go as well. What was in its trash stays, but no grant tells who may see it;
   * where there were some, the account that removed it may have been one that could not read it.
   */
  async function removed({ from: folder, hadGrants }: Ends, taken: readonly Location[]): Promise<Write> {
    const items = (await keptWithin(db, folder)).filter((item) => !isFromName(item, folder) && !isInAny(item, taken))
    purgeSoon(items.filter(({ store }) => store === 'versions'))
    const ids = items.map(({ id }) => id)
    const isLeft = hadGrants === true || (await hasGrantsWithin(db, folder))
    return (trx) => restrictKept(trx, ids, { isLeft })
  }

  /** A part of the folder is on either side. */
  async function split(from: Location, to: Location, taken: readonly Location[]): Promise<Write | undefined> {
    const arrived: { id: string; location: Location }[] = []
    const pause = timeSlices()
    for (const item of await keptWithin(db, from)) {
      await pause()
      if (isFromName(item, from) || isInAny(item, taken)) continue
      // Of what was removed, its folder tells.
      const asked = item.store === 'versions' ? item.location : parentLocation(item.location)
      if ((await isThere(storageAt, movedAlong(asked, from, to))) && !(await isThere(storageAt, asked)))
        arrived.push({ id: item.id, location: movedAlong(item.location, from, to) })
    }
    if (arrived.length === 0) return undefined
    return async (trx) => {
      for (const { id, location } of arrived) await relocateOne(trx, id, location)
    }
  }

  return {
    name: followerName,
    kinds: new Set(['move', 'remove', 'restore']),
    async prepare({ kind, from, to }) {
      if (from === undefined) return undefined
      const source = await realPlaceOf(storageAt, from)
      if (kind !== 'restore' && !(await hasKeptWithin(db, source))) return undefined
      const target = to && (await realPlaceOf(storageAt, to))
      const hadGrants = kind === 'remove' && to === undefined && (await hasGrantsWithin(db, source))
      const ends: Ends = { from: source, to: target, hadGrants }
      return {
        // Deleting is how room is made on a full disk: it goes on when nothing can be written about it.
        intent: 'wanted',
        notes: ends,
        conclude: (result, { id }) => outcomeOf(kind, ends, result, id),
      }
    },
    recover: ({ kind }, notes, id) => outcomeOf(kind, notes as Ends, 'unknown', id),
  }
}

/** It was removed from this very name, which another thing has by now. */
const isFromName = ({ store, location }: KeptItem, name: Location): boolean => store === 'trash' && location === name

const noted = (intent: UnfinishedIntent): Ends => notedIn(intent, followerName) as Ends

/** Has a restore that is under way taken a thing out of its place in a store? Whatever is known of that place goes along. */
export const isTakenOut = async (deps: TakenAlongDeps, place: Location): Promise<boolean> =>
  (await takenAlong(deps, { folder: place, id: '', follower: followerName, isRemoval: true }, noted)).length > 0

const isInAny = ({ location }: KeptItem, folders: readonly Location[]): boolean =>
  folders.some((folder) => isWithin(location, folder))
