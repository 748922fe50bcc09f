import type { Kysely } from 'kysely'
import { inOrder, type Write } from '../changes/follower.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import type { Database } from '../database/schema.ts'
import { type Location, movedAlong } from '../mounts/location.ts'
import type { Folders } from './folders.ts'
import {
  completeMove,
  copiesOf,
  type GrantMove,
  leaveMove,
  splitMove,
  undoMove,
  withoutCopies,
} from './moving-store.ts'
import { deleteGrantsWithin, grantsLike } from './store.ts'

interface Known {
  /** The folder was to go into a store. */
  readonly isRemoval?: boolean | undefined
  /** Nothing has moved the folder. */
  readonly isUndone?: boolean | undefined
}

/** What to write about grants whose folders were on their way. */
export function outcomesIn(db: Kysely<Database>, { isThere }: Folders) {
  async function ofEach(moves: readonly GrantMove[], writeOf: (move: GrantMove) => Promise<Write>): Promise<Write> {
    const writes: Write[] = []
    for (const move of moves) writes.push(await writeOf(move))
    return inOrder(writes)
  }

  async function completion(move: GrantMove): Promise<Write> {
    const stayed = await stayedIn(move)
    return (trx) => completeMove(trx, move, { stayed })
  }

  async function arrival(move: GrantMove, isCopied: boolean): Promise<Write> {
    const [stayed, late] = [await stayedIn(move, isCopied), await lateIn(move)]
    return (trx) => completeMove(trx, move, { stayed, isCopied, late })
  }

  /** Places with grants in a folder that has gone: those of other folders, which have come there since. */
  async function lateIn({ from, to }: GrantMove): Promise<Location[]> {
    if (!(await isThere(from))) return []
    const within = (await grantsLike(db, { at: from, below: true })).map(({ location }) => location)
    const late: Location[] = []
    const pause = timeSlices()
    for (const place of new Set(within)) {
      await pause()
      if (place !== from && (await isThere(place)) && !(await isThere(movedAlong(place, from, to)))) late.push(place)
    }
    return late
  }

  /** Of grants whose copies have gone on: did they go with something else that was at the target, and have come there since? */
  async function stayedIn(move: GrantMove, isCopied = false): Promise<Map<number, boolean>> {
    const stayed = new Map<number, boolean>()
    const pause = timeSlices()
    for (const { id, location } of await withoutCopies(db, move, isCopied)) {
      await pause()
      stayed.set(id, await isThere(movedAlong(location, move.from, move.to)))
    }
    return stayed
  }

  async function outcome(move: GrantMove, { isRemoval = false, isUndone = false }: Known): Promise<Write> {
    // Its place in the store is in no other use: once something is there, it is the folder.
    if (isRemoval && (await isThere(move.to))) return completion(move)
    const [isAtSource, isAtTarget] = [await isThere(move.from), !isRemoval && (await isThere(move.to))]
    if (isAtTarget) return isAtSource ? splitting(move) : completion(move)
    if (isAtSource || isUndone) return (trx) => undoMove(trx, move, { isUndone })
    const stayed = await stayedIn(move)
    if (!isRemoval) return (trx) => leaveMove(trx, move, stayed)
    // Taken out of the store since, and ended.
    return async (trx) => {
      await completeMove(trx, move, { stayed })
      await deleteGrantsWithin(trx, move.to)
    }
  }

  /** Both are there: the target was there before, or a part of the folder is on either side. */
  async function splitting(move: GrantMove): Promise<Write> {
    const arrived = new Set<Location>()
    const pause = timeSlices()
    for (const { location } of [...(await copiesOf(db, move)), ...move.met]) {
      await pause()
      if ((await isThere(location)) && !(await isThere(movedAlong(location, move.to, move.from)))) arrived.add(location)
    }
    return (trx) => splitMove(trx, move, (location) => arrived.has(location))
  }

  return {
    /** The folders have arrived. `isCopied`: copies were made, whether any is left or not. */
    ofArrived: (moves: readonly GrantMove[], isCopied: boolean) => ofEach(moves, (move) => arrival(move, isCopied)),
    /** Where a change that failed, or whose server died, has left the folders. */
    ofUnknown: (moves: readonly GrantMove[], known: Known) => ofEach(moves, (move) => outcome(move, known)),
  }
}

export const ending = (folders: readonly Location[]): Write =>
  inOrder(folders.map((folder) => (trx) => deleteGrantsWithin(trx, folder)))
