import { segmentsOf } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { folded } from '../access/rules.ts'
import type { Change } from '../changes/change.ts'
import type { Follower, Preparation, Write } from '../changes/follower.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { touchAccess } from '../database/counters.ts'
import { isUnwritable } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { isWithin, type Location, locationIn, mountOf, mountRootOf, movedAlong, pathIn } from '../mounts/location.ts'
import { isThere, realPlaceOf } from '../mounts/resolved.ts'
import { inFolder, rootPath } from '../storage/path.ts'
import type { StorageAt } from './grants.ts'
import {
  completeMove,
  copiesOf,
  copyAlong,
  type GrantMove,
  isAsPlanned,
  leaveMove,
  planMove,
  planUnnumberedMove,
  splitMove,
  undoMove,
  withoutCopies,
} from './moving-store.ts'
import { deleteGrantsWithin, grantsLike, hasGrants, hasGrantsWithin } from './store.ts'
import {
  type Ends,
  endsUnderWay,
  folderAtWork,
  followerName,
  isAsSeen,
  movesUnderWay,
  type Notes,
  type PlaceLeft,
} from './under-way.ts'

export interface GrantFollowDeps {
  db: Kysely<Database>
  storageAt: StorageAt
}

/**
 * Grants follow their folders, whichever account moves them and whichever mount they are moved to, into a store and out of
 * it, and end with them. What they withhold shows at no moment: they stand at both ends from before the move until its
 * outcome is stored, also after a crash.
 */
export function grantFollower({ db, storageAt }: GrantFollowDeps): Follower {
  async function plannedMoves(from: Location, to: Location, plan: typeof planMove): Promise<GrantMove[]> {
    const moves: GrantMove[] = []
    for (const source of await spellingsOf(from)) {
      // Some may be spelled already as the folder is called then.
      const move = source === to ? undefined : await plan(db, source, to)
      if (move !== undefined) moves.push(move)
    }
    return moves
  }

  async function prepareMove(from: Location, to: Location): Promise<Preparation | undefined> {
    const moves = await plannedMoves(from, to, planMove)
    if (moves.length === 0) return undefined
    // Merged, the grants of one folder would open or close what lies in the other.
    if (!isSameName(from, to) && (await isThere(storageAt, to)))
      throw new Failure(
        'already-exists',
        'This folder has rights of its own, and cannot be put together with the one that is there',
      )
    let isDone = false
    return {
      intent: 'required',
      notes: { moves } satisfies Notes,
      mark: (trx, id) => copiedAlone(trx, id, moves),
      async conclude(result, { isStored }) {
        if (!isStored) return undefined
        isDone ||= result === 'done'
        if (result === 'done') return completionOf(moves, { isCopied: true })
        // Done and not stored: another server has taken this one for dead.
        return outcomeOf(moves, { isUndone: !isDone })
      },
    }
  }

  async function prepareRemoval(from: Location): Promise<Preparation | undefined> {
    const removed = await asyncFilter(await spellingsOf(from), (folder) => hasGrantsWithin(db, folder))
    if (removed.length === 0) return undefined
    return {
      // Deleting is how room is made on a full disk: a removal goes on when nothing can be written about it.
      intent: 'wanted',
      notes: { removed } satisfies Notes,
      mark: (trx, id) => requireAlone(trx, id, { left: removed, reached: [] }),
      async conclude(result, { id, isStored }) {
        if (result === 'done') return endingOf(removed)
        // The folder went all the same, or after another server took this one for dead.
        return isStored ? endingOfGone(removed, id) : undefined
      },
    }
  }

  async function endingOfGone(folders: readonly Location[], id: string): Promise<Write | undefined> {
    const gone = await asyncFilter(folders, async (folder) => !(await isThere(storageAt, folder)))
    if (gone.length === 0) return undefined
    return async (trx) => {
      const others = await endsUnderWay(trx, id)
      // One that is being moved has its grants at its old path until that is stored.
      await endingOf(gone.filter((folder) => !others.some(({ left }) => overlaps([folder], left))))(trx)
    }
  }

  /** The place in the store is in no other use: once something is there, it is the folder. */
  async function prepareKeeping(from: Location, to: Location): Promise<Preparation | undefined> {
    const moves = await plannedMoves(from, to, planMove).catch((error: unknown) => {
      if (!isUnwritable(error)) throw error
      return plannedMoves(from, to, planUnnumberedMove)
    })
    if (moves.length === 0) return undefined
    return {
      // As of a removal; grants that have no copies in the store come there when the outcome can be written.
      intent: 'wanted',
      notes: { moves, isRemoval: true } satisfies Notes,
      mark: (trx, id) => copiedAlone(trx, id, moves),
      conclude: async (result, { isStored }) => {
        if (result === 'done') return completionOf(moves, { isCopied: isStored })
        return isStored ? keptOutcomeOf(moves) : undefined
      },
    }
  }

  async function completionOf(moves: readonly GrantMove[], { isCopied }: { isCopied: boolean }): Promise<Write> {
    const writes: Write[] = []
    for (const move of moves) {
      const stayed = await stayedIn(move, isCopied)
      writes.push((trx) => completeMove(trx, move, { stayed, isCopied }))
    }
    return (trx) => counted(trx, () => each(writes, (write) => write(trx)))
  }

  /** Of grants whose copies have gone on: did they go with something else that was at the target, and have come there since? */
  async function stayedIn(move: GrantMove, isCopied = false): Promise<Map<number, boolean>> {
    const stayed = new Map<number, boolean>()
    const pause = timeSlices()
    for (const { id, location } of await withoutCopies(db, move, isCopied)) {
      await pause()
      stayed.set(id, await isThere(storageAt, movedAlong(location, move.from, move.to)))
    }
    return stayed
  }

  async function keptOutcomeOf(moves: readonly GrantMove[]): Promise<Write> {
    const writes: Write[] = []
    for (const move of moves) {
      const stayed = await stayedIn(move)
      if (await isThere(storageAt, move.to)) writes.push((trx) => completeMove(trx, move, { stayed }))
      else if (await isThere(storageAt, move.from)) writes.push((trx) => undoMove(trx, move))
      // Taken out of the store since, and ended.
      else
        writes.push((trx) =>
          completeMove(trx, move, { stayed })
            .then(() => deleteGrantsWithin(trx, move.to))
            .then(() => {}),
        )
    }
    return (trx) => counted(trx, () => each(writes, (write) => write(trx)))
  }

  /** Where a move that failed, or whose server died, has left the folder. */
  async function outcomeOf(moves: readonly GrantMove[], { isUndone = false } = {}): Promise<Write> {
    const writes: Write[] = []
    for (const move of moves) {
      const [isAtSource, isAtTarget] = [await isThere(storageAt, move.from), await isThere(storageAt, move.to)]
      const stayed = await stayedIn(move)
      if (!isAtTarget && !isAtSource && !isUndone) writes.push((trx) => leaveMove(trx, move, stayed))
      else if (!isAtTarget) writes.push((trx) => undoMove(trx, move, { isUndone }))
      else if (!isAtSource) writes.push((trx) => completeMove(trx, move, { stayed }))
      else writes.push(await splittingOf(move))
    }
    return (trx) => counted(trx, () => each(writes, (write) => write(trx)))
  }

  /** Both are there: the target was there before, or a part of the folder is on either side. */
  async function splittingOf(move: GrantMove): Promise<Write> {
    const arrived = new Set<Location>()
    const pause = timeSlices()
    for (const { location } of [...(await copiesOf(db, move)), ...move.met]) {
      await pause()
      if ((await isThere(storageAt, location)) && !(await isThere(storageAt, movedAlong(location, move.to, move.from))))
        arrived.add(location)
    }
    return (trx) => splitMove(trx, move, (location) => arrived.has(location))
  }

  /** Another spelling of the same name, on a volume that folds case. */
  const isSameName = (one: Location, two: Location): boolean =>
    mountOf(one) === mountOf(two) &&
    storageAt(mountRootOf(one)).capabilities.foldsCase &&
    folded(pathIn(one)) === folded(pathIn(two))

  /** The folder as grants name it: where names that differ in case are the same, by each of them. */
  async function spellingsOf(folder: Location): Promise<readonly Location[]> {
    const root = locationIn(mountOf(folder), rootPath)
    if (!storageAt(root).capabilities.foldsCase) return [folder]
    const names = segmentsOf(pathIn(folder))
    const spelled = new Set<Location>()
    for (const { location } of await grantsLike(db, { at: root, below: true })) {
      const found = segmentsOf(pathIn(location)).slice(0, names.length)
      if (found.length === names.length && found.every((name, at) => folded(name) === folded(names[at] ?? '')))
        spelled.add(locationIn(mountOf(root), found.reduce(inFolder, rootPath)))
    }
    return [...spelled]
  }

  async function prepareKnown(kind: Change['kind'], source: Location, to: Location | undefined) {
    if (!(await hasGrantsWithin(db, mountRootOf(source)))) return undefined
    if (kind === 'remove') return to === undefined ? prepareRemoval(source) : prepareKeeping(source, to)
    return to === undefined ? undefined : prepareMove(source, await realPlaceOf(storageAt, to))
  }

  /**
   * A folder without grants may get some before it goes: by another one that is moved into it, or while it is copied. They
   * go along, or end with it. Between that and this look they are at the old place alone.
   */
  function prepareLate(kind: Change['kind'], from: Location, to: Location | undefined): Preparation {
    let isOutdated = false
    return {
      intent: 'none',
      isAwaited: true,
      isOutdated: () => isOutdated,
      async conclude(result) {
        isOutdated = false
        if (result !== 'done' || !(await hasGrants(db))) return undefined
        const source = kind === 'restore' ? from : await realPlaceOf(storageAt, from)
        // Nor are there any in a mount that was removed meanwhile, whose storage cannot be asked any more.
        if (!(await hasGrantsWithin(db, mountRootOf(source)))) return undefined
        const places = await placesLeft(source)
        if (places.length === 0) return undefined
        const target = to === undefined || kind === 'remove' ? to : await realPlaceOf(storageAt, to)
        const left = await asyncFilter(places, async (each) => !(await isToCome(each, target)))
        if (left.length === 0) return undefined
        const write = target === undefined ? endingOf(left.map(({ place }) => place)) : await takingAlong(left, target)
        return async (trx) => {
          await touchAccess(trx)
          // Another change may have stored since what has come to these places, or gone.
          isOutdated = !(await isAsSeen(trx, left))
          if (!isOutdated) await write(trx)
        }
      },
    }
  }

  async function takingAlong(left: readonly PlaceLeft[], target: Location): Promise<Write> {
    const moves: GrantMove[] = []
    for (const { place, spelled } of left) {
      const now = movedAlong(place, spelled, target)
      // Some may be spelled already as the folder is called then.
      const move = now === place ? undefined : await planUnnumberedMove(db, place, now)
      if (move !== undefined) moves.push(move)
    }
    return (trx) => each(moves, (move) => completeMove(trx, move))
  }

  /** Places with grants, at a folder or in it, at which nothing is any more; without those in another one of them. */
  async function placesLeft(folder: Location): Promise<PlaceLeft[]> {
    const left: PlaceLeft[] = []
    const pause = timeSlices()
    for (const spelled of await spellingsOf(folder))
      for (const { id, location: place } of await grantsLike(db, { at: spelled, below: true })) {
        await pause()
        const around = left.find((other) => isWithin(place, other.place))
        if (around !== undefined) around.ids.push(id)
        else if (!(await isThere(storageAt, place))) left.push({ place, spelled, ids: [id] })
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
          ? await isThere(storageAt, movedAlong(coming, to, from))
          : !(await isThere(storageAt, movedAlong(coming, spelled, target)))
      if (isElsewhere) return true
    }
    return false
  }

  /** One that is renamed is there at once, and one that is copied is on its way for long. */
  const isCopied = (from: Location, to: Location): boolean =>
    mountOf(from) !== mountOf(to) || !storageAt(mountRootOf(from)).capabilities.atomicRename

  return {
    name: followerName,
    kinds: new Set(['move', 'remove', 'restore']),
    async prepare({ kind, from, to }: Change) {
      if (from === undefined) return undefined
      // Most installations have none, and pay for this question alone.
      if (!(await hasGrants(db)))
        return kind === 'move' && to !== undefined && isCopied(from, to) ? prepareLate(kind, from, to) : undefined
      // A place in a store has no symlinks on its way, and is never looked for.
      const source = kind === 'restore' ? from : await realPlaceOf(storageAt, from)
      return (await prepareKnown(kind, source, to)) ?? prepareLate(kind, source, to)
    },
    async recover(_change, notes, id) {
      const noted = notes as Notes
      if ('moves' in noted) return noted.isRemoval ? keptOutcomeOf(noted.moves) : outcomeOf(noted.moves)
      return endingOfGone(noted.removed, id)
    },
  }
}

async function copiedAlone(trx: Transaction<Database>, id: string, moves: readonly GrantMove[]): Promise<void> {
  const [left, reached] = [moves.map(({ from }) => from), moves.map(({ to }) => to)]
  await requireAlone(trx, id, { left, reached })
  for (const move of moves) {
    if (!(await isAsPlanned(trx, move))) throw folderAtWork()
    await copyAlong(trx, move)
  }
}

/**
 * The grants of a folder go with one change at a time. What came to its place meanwhile has none of its own yet: it would
 * take those along that the folder has to get where it is now, and its own would go there. One that has arrived may be
 * moved on.
 */
async function requireAlone(trx: Transaction<Database>, id: string, { left, reached }: Ends): Promise<void> {
  // Before the look: of two servers that begin at the same time, the second one waits here for the rows of the first.
  await touchAccess(trx)
  for (const other of await endsUnderWay(trx, id))
    if (overlaps([...left, ...reached], other.left) || overlaps(reached, other.reached)) throw folderAtWork()
}

const overlaps = (some: readonly Location[], others: readonly Location[]): boolean =>
  some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)))

const endingOf =
  (folders: readonly Location[]): Write =>
  (trx) =>
    counted(trx, () => each(folders, (folder) => deleteGrantsWithin(trx, folder)))

/** Counted first: what others are just giving or taking in the folder is stored then, and goes along. */
async function counted(trx: Transaction<Database>, work: () => Promise<void>): Promise<void> {
  await touchAccess(trx)
  await work()
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item)
}

async function asyncFilter<T>(items: readonly T[], keeps: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept: T[] = []
  for (const item of items) if (await keeps(item)) kept.push(item)
  return kept
}
