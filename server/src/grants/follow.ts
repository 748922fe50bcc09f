import type { Transaction } from 'kysely'
import type { Change } from '../changes/change.ts'
import type { Follower, Preparation, Write } from '../changes/follower.ts'
import { touchAccess } from '../database/counters.ts'
import { isUnwritable } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { type Location, mountRootOf } from '../mounts/location.ts'
import { type FolderDeps, foldersIn } from './folders.ts'
import { lateGrants } from './late.ts'
import { copyAlong, type GrantMove, isAsPlanned, planMoves, planUnnumberedMove } from './moving-store.ts'
import { ending, outcomesIn } from './outcomes.ts'
import { hasGrants, hasGrantsWithin } from './store.ts'
import { type Ends, endsUnderWay, folderAtWork, followerName, type Notes, overlaps } from './under-way.ts'

/**
 * Grants follow their folders, whichever account moves them and whichever mount they are moved to, into a store and out of
 * it, and end with them. What they withhold shows at no moment: they stand at both ends from before the move until its
 * outcome is stored, also after a crash.
 */
export function grantFollower(deps: FolderDeps): Follower {
  const { db } = deps
  const folders = foldersIn(deps)
  const outcomes = outcomesIn(db, folders)
  const prepareLate = lateGrants(db, folders)

  /** To the same place from each spelling of a folder. */
  const endsOf = async (from: Location, to: Location) =>
    (await folders.spellingsOf(from)).map((source) => ({ from: source, to }))

  async function prepareMove(from: Location, to: Location): Promise<Preparation | undefined> {
    const moves = await planMoves(db, await endsOf(from, to))
    // Merged, the grants of one folder would open or close what lies in the other.
    if (moves.length > 0 && !folders.isSameName(from, to) && (await folders.isThere(to)))
      throw new Failure(
        'already-exists',
        'This folder has rights of its own, and cannot be put together with the one that is there',
      )
    return prepareMoves(moves)
  }

  async function prepareKeeping(from: Location, to: Location): Promise<Preparation | undefined> {
    const ends = await endsOf(from, to)
    const moves = await planMoves(db, ends).catch((error: unknown) => {
      if (!isUnwritable(error)) throw error
      return planMoves(db, ends, planUnnumberedMove)
    })
    return prepareMoves(moves, { isRemoval: true })
  }

  function prepareMoves(moves: readonly GrantMove[], { isRemoval = false } = {}): Preparation | undefined {
    if (moves.length === 0) return undefined
    let isDone = false
    return {
      // As of a removal; grants that have no copies in the store come there when the outcome can be written.
      intent: isRemoval ? 'wanted' : 'required',
      notes: { moves, isRemoval } satisfies Notes,
      async mark(trx, id) {
        await requireAlone(trx, id, { left: moves.map(({ from }) => from), reached: moves.map(({ to }) => to) })
        for (const move of moves) {
          if (!(await isAsPlanned(trx, move))) throw folderAtWork()
          await copyAlong(trx, move)
        }
      },
      async conclude(result, { isStored }) {
        isDone ||= result === 'done'
        if (result === 'done') return outcomes.ofArrived(moves, isStored)
        // Done and not stored: another server has taken this one for dead.
        return isStored ? outcomes.ofUnknown(moves, { isRemoval, isUndone: !isRemoval && !isDone }) : undefined
      },
    }
  }

  async function prepareRemoval(from: Location): Promise<Preparation | undefined> {
    const removed: Location[] = []
    for (const folder of await folders.spellingsOf(from)) if (await hasGrantsWithin(db, folder)) removed.push(folder)
    if (removed.length === 0) return undefined
    return {
      // Deleting is how room is made on a full disk: a removal goes on when nothing can be written about it.
      intent: 'wanted',
      notes: { removed } satisfies Notes,
      mark: (trx, id) => requireAlone(trx, id, { left: removed, reached: [] }),
      async conclude(result, { id, isStored }) {
        if (result === 'done') return ending(removed)
        // The folder went all the same, or after another server took this one for dead.
        return isStored ? endingOfGone(removed, id) : undefined
      },
    }
  }

  async function endingOfGone(removed: readonly Location[], id: string): Promise<Write | undefined> {
    const gone: Location[] = []
    for (const folder of removed) if (!(await folders.isThere(folder))) gone.push(folder)
    if (gone.length === 0) return undefined
    return async (trx) => {
      const others = await endsUnderWay(trx, id)
      // One that is being moved has its grants at its old path until that is stored.
      await ending(gone.filter((folder) => !others.some(({ left }) => overlaps([folder], left))))(trx)
    }
  }

  async function prepareKnown({ kind, to }: Change, source: Location): Promise<Preparation | undefined> {
    if (!(await hasGrantsWithin(db, mountRootOf(source)))) return undefined
    if (kind === 'remove') return to === undefined ? prepareRemoval(source) : prepareKeeping(source, to)
    return to && prepareMove(source, await folders.realPlaceOf(to))
  }

  async function prepare(change: Change): Promise<Preparation | undefined> {
    const { kind, from, to } = change
    if (from === undefined) return undefined
    // Most installations have none, and pay for this question alone.
    if (!(await hasGrants(db)))
      return kind === 'move' && to !== undefined && folders.isCopied(from, to) ? prepareLate(from, to) : undefined
    const source = await folders.realPlaceOf(from)
    return (await prepareKnown(change, source)) ?? prepareLate(source, to)
  }

  return {
    name: followerName,
    kinds: new Set(['move', 'remove', 'restore']),
    async prepare(change) {
      const preparation = await prepare(change)
      return preparation && { ...preparation, conclude: async (...how) => counted(await preparation.conclude(...how)) }
    },
    async recover(_change, notes, id) {
      const noted = notes as Notes
      return counted(
        'moves' in noted ? await outcomes.ofUnknown(noted.moves, noted) : await endingOfGone(noted.removed, id),
      )
    },
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

/** Counted first: what others are just giving or taking in the folder is stored then, and goes along. */
const counted = (write: Write | undefined): Write | undefined =>
  write &&
  (async (trx) => {
    await touchAccess(trx)
    await write(trx)
  })
