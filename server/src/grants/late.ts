import type { Kysely, Transaction } from 'kysely'
import { inOrder, type Preparation, type Write } from '../changes/follower.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import type { Database } from '../database/schema.ts'
import { isWithin, type Location, mountRootOf, movedAlong } from '../mounts/location.ts'
import type { Folders } from './folders.ts'
import { completeMove, planMoves, planUnnumberedMove } from './moving-store.ts'
import { ending } from './outcomes.ts'
import { grantsLike, hasGrants, hasGrantsWithin } from './store.ts'
import { movesUnderWay, overlaps } from './under-way.ts'

/** A place with grants, at which nothing is any more, in a folder that has gone. */
interface PlaceLeft {
  readonly place: Location
  /** The folder that has gone, as it is called there. */
  readonly spelled: Location
  /** Of the grants at the place and below it. */
  readonly ids: number[]
}

/**
 * A folder without grants may get some before it goes: by another one that is moved into it, or while it is copied. They
 * go along, or end with it. Between that and this look they are at the old place alone.
 */
export function lateGrants(
  db: Kysely<Database>,
  { isThere, realPlaceOf, spellingsOf }: Folders,
): (from: Location, to: Location | undefined) => Preparation {
  /** Without those in another one of them. */
  async function placesLeft(folder: Location): Promise<PlaceLeft[]> {
    const left: PlaceLeft[] = []
    const pause = timeSlices()
    for (const spelled of await spellingsOf(folder))
      for (const { id, location: place } of await grantsLike(db, { at: spelled, below: true })) {
        await pause()
        const around = left.find((other) => isWithin(place, other.place))
        if (around !== undefined) around.ids.push(id)
        else if (!(await isThere(place))) left.push({ place, spelled, ids: [id] })
      }
    return left
  }

  /**
   * Are the grants at a place those of a folder that another change is bringing there, and that has not gone along? It comes to
   * a new folder of that name then, and may be moved on with it.
   */
  async function isToCome({ place, spelled }: PlaceLeft, target: Location | undefined): Promise<boolean> {
    for (const { from, to } of await movesUnderWay(db)) {
      if (!overlaps([place], [to])) continue
      const coming = isWithin(place, to) ? place : to
      const isElsewhere =
        target === undefined
          ? await isThere(movedAlong(coming, to, from))
          : !(await isThere(movedAlong(coming, spelled, target)))
      if (isElsewhere) return true
    }
    return false
  }

  async function takingAlong(left: readonly PlaceLeft[], target: Location): Promise<Write> {
    const ends = left.map(({ place, spelled }) => ({ from: place, to: movedAlong(place, spelled, target) }))
    const moves = await planMoves(db, ends, planUnnumberedMove)
    return inOrder(moves.map((move) => (trx) => completeMove(trx, move)))
  }

  return (from, to) => {
    let isOutdated = false
    return {
      intent: 'none',
      isAwaited: true,
      isOutdated: () => isOutdated,
      async conclude(result) {
        isOutdated = false
        if (result !== 'done' || !(await hasGrants(db))) return undefined
        const source = await realPlaceOf(from)
        // Nor are there any in a mount that was removed meanwhile, whose storage cannot be asked any more.
        if (!(await hasGrantsWithin(db, mountRootOf(source)))) return undefined
        const places = await placesLeft(source)
        if (places.length === 0) return undefined
        const target = to && (await realPlaceOf(to))
        const left: PlaceLeft[] = []
        for (const place of places) if (!(await isToCome(place, target))) left.push(place)
        if (left.length === 0) return undefined
        const write = target === undefined ? ending(left.map(({ place }) => place)) : await takingAlong(left, target)
        return async (trx) => {
          // Another change may have stored since what has come to these places, or gone.
          isOutdated = !(await isAsSeen(trx, left))
          if (!isOutdated) await write(trx)
        }
      },
    }
  }
}

/** Are the same grants there still? */
async function isAsSeen(trx: Transaction<Database>, left: readonly PlaceLeft[]): Promise<boolean> {
  for (const { place, ids } of left) {
    const now = await grantsLike(trx, { at: place, below: true })
    if (now.length !== ids.length || now.some(({ id }, at) => id !== ids[at])) return false
  }
  return true
}
