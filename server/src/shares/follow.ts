import type { Transaction } from 'kysely'
import type { Change, Result } from '../changes/change.ts'
import type { Follower, Preparation, StoredIntent, Write } from '../changes/follower.ts'
import { intentsOfOthers, notedIn } from '../changes/store.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import type { Database } from '../database/schema.ts'
import { isFailure } from '../failure.ts'
import { type Location, mountOf, mountRootOf } from '../mounts/location.ts'
import type { Node } from '../nodes/node.ts'
import { isSameEntry } from '../storage/entry.ts'
import type { Entry } from '../storage/port.ts'
import { affectedShares } from './affected.ts'
import { entryAt } from './resolve.ts'
import type { ShareDeps } from './shares.ts'
import {
  deleteShares,
  handOverShare,
  relocateShares,
  reopenShares,
  type Share,
  sharesOfChange,
  sharesWithoutChange,
  shutShares,
  statesOfShares,
} from './store.ts'
import { type RunningChange, shareTracker, type TrackedShare } from './tracking.ts'

type FollowDeps = Pick<ShareDeps, 'db' | 'storageAt' | 'access' | 'changed'> & {
  readonly node: Pick<Node, 'id' | 'isAlive'>
  /** Other processes of this server change the same files, and their changes are not tracked here. */
  readonly isOneOfSeveral?: boolean
}

const followerName = 'shares'

type StorageAt = FollowDeps['storageAt']

export type ShareFollower = Follower & Pick<ShareDeps, 'isShut' | 'watchChanges'>

/** What recovery needs to know of one share; stored as JSON. */
interface RecoveryNote {
  readonly hash: string
  readonly location: Location
  readonly to: Location | null
  /** Id and version of the entry there; null for none. */
  readonly was: string | null
  /** What a copy of it in another mount would have in common with it. Older versions had one mount, and noted none. */
  readonly copied?: string
}

/**
 * Shares follow their files, whichever account they belong to, and end with them. A share never shows what replaces its
 * file: from before the work until the outcome is stored it is shut, also after a crash.
 */
export function shareFollower(deps: FollowDeps): ShareFollower {
  const { db, node, storageAt, isOneOfSeveral = false } = deps
  const tracker = shareTracker()

  async function conclude(change: RunningChange, result: Result, intent: StoredIntent): Promise<Write | undefined> {
    change.isOver = true
    const all = change.tracked
    const handedOver = new Map<string, string>()
    const pause = timeSlices()
    for (const tracked of all) {
      const changeId = await handOverOrDecide(tracked, result)
      if (changeId !== undefined) handedOver.set(tracked.share.link.hash, changeId)
      await pause()
    }
    if (isOneOfSeveral) for (const one of all) if (await hasMovedOn(one)) one.isLost = true
    const isUnchanged = all.every((one) => one.isSuperseded || (!isGone(one) && isUnmoved(one)))
    if (isUnchanged && !intent.isStored && handedOver.size === 0) return undefined

    return async (trx) => {
      const open = all.filter(({ isSuperseded }) => !isSuperseded)
      for (const one of open) if (isGone(one)) one.isEnded = true
      const decided = await ownOf(trx, open)
      const gone = decided.filter(isGone)
      const kept = decided.filter((one) => !isGone(one))
      await deleteShares(trx, hashesOf(gone))
      await reopenShares(trx, hashesOf(kept.filter(isUnmoved)), intent.id)
      const moved = kept.filter((one) => !isUnmoved(one))
      await relocateShares(
        trx,
        moved.map(({ share, outcome = share.location }) => ({ hash: share.link.hash, location: outcome })),
      )
      for (const one of moved) one.stored = one.outcome
      const left = all.filter(({ share }) => handedOver.has(share.link.hash))
      for (const hash of hashesOf(await ownOf(trx, left)))
        await handOverShare(trx, hash, handedOver.get(hash) ?? intent.id)
    }
  }

  /**
   * Those that this change may decide about. A share that another node has shut is left to that one, and one that it has
   * taken along leads to another file than the one that lies at the old path now.
   */
  async function ownOf(trx: Transaction<Database>, all: readonly TrackedShare[]): Promise<TrackedShare[]> {
    const states = await statesOfShares(trx, hashesOf(all))
    const shutBy = new Set([...states.values()].flatMap(({ changeId }) => changeId ?? []))
    const others = await intentsOfOthers(trx, shutBy, node.id)
    const isLeft = ({ share, before }: TrackedShare, changeId: string | null): boolean => {
      const other = others.get(changeId ?? '')
      return other !== undefined && (node.isAlive(other.node) || !isNoted(other, share, before))
    }
    return all.filter((one) => {
      const state = states.get(one.share.link.hash)
      if (state === undefined || isLeft(one, state.changeId)) return false
      return state.location === one.share.location || state.location === one.stored
    })
  }

  /** Something else is where the file of the share was left, or nothing is. */
  async function hasMovedOn({ share, outcome, before, ...one }: TrackedShare): Promise<boolean> {
    if (one.isSuperseded || one.isEnded || outcome === undefined || before === undefined) return false
    const now = await entryAt(storageAt, outcome)
    return now === undefined || !isSameFile(storageAt, now, before, share.location, outcome)
  }

  /** The id of the change that decides instead, where it has one. */
  async function handOverOrDecide(tracked: TrackedShare, result: Result): Promise<string | undefined> {
    while (!tracked.isSuperseded && !tracked.isLost) {
      const other = tracker.handOver(tracked)
      if (other !== undefined) return other.changeId
      const { conflicts } = tracked
      tracked.outcome = result === 'done' && conflicts === 0 ? tracked.to : await locationNow(storageAt, tracked)
      // Another change may have begun while the storage was read.
      if (tracked.conflicts !== conflicts) continue
      tracked.isConcluded = true
      return undefined
    }
    tracked.isConcluded = true
    return undefined
  }

  /**
   * Another process may move the same file, or put a shared one in its place, between the look at the rows and the work.
   * So each looks again when its own part is stored: at the files that its shares lead to now, and for shares that came
   * to the locations it has changed. Whichever stores last sees what the other has done. A share in doubt ends.
   */
  async function overtakenBy(running: RunningChange, change: Change): Promise<() => Promise<void>> {
    const { from, to } = change
    const arrives = from && (await entryAt(storageAt, from))
    const present = to && (await entryAt(storageAt, to))
    const isReplaced = async () => {
      // Folders are merged.
      if (to === undefined || arrives?.kind === 'folder') return false
      const now = await entryAt(storageAt, to)
      return now === undefined || present === undefined ? now !== present : !isSameEntry(now, present)
    }
    return async () => {
      for (const one of running.tracked) if (await hasMovedOn(one)) one.isLost = true
      const tracked = new Map(running.tracked.map((one) => [one.share.link.hash, one]))
      for (const share of await affectedShares(deps).sharesAround(running.locations, change, isReplaced)) {
        if (isWhereLeft(share, tracked.get(share.link.hash))) continue
        tracker.track(running, { share, to: undefined, mayGoTo: () => false }, undefined)
        const lost = running.tracked.at(-1)
        if (lost !== undefined) lost.isLost = true
      }
    }
  }

  return {
    name: followerName,
    kinds: new Set(['move', 'remove']),
    isShut: tracker.has,
    watchChanges: tracker.watch,

    async prepare(change): Promise<Preparation | undefined> {
      const { locationsOf, affectedBy } = affectedShares(deps)
      const locations = await locationsOf(change)
      if (locations === undefined) return undefined
      // Before the rows are read: what other changes store from now on is either read there or takes this one into account.
      const running = tracker.open(locations)
      const close = () => tracker.close(running)
      try {
        const affected = await affectedBy(locations, change)
        const before = await entriesAt(
          storageAt,
          affected.map(({ share }) => share),
        )
        for (const one of affected) tracker.track(running, one, before.get(one.share.location))
      } catch (error) {
        close()
        throw error
      }
      const overtaken = isOneOfSeveral ? await overtakenBy(running, change) : undefined
      const hashes = hashesOf(running.tracked)
      // Deleting is how room is made on a full disk: a removal goes on when nothing can be written about it.
      const need = change.kind === 'remove' ? 'wanted' : 'required'
      return {
        intent: hashes.length === 0 ? 'none' : need,
        notes: running.tracked.map(noteOf),
        async mark(trx, id) {
          await shutShares(
            trx,
            running.tracked.map(({ share }) => share),
            id,
          )
          running.changeId = id
        },
        conclude: (result, intent) => conclude(running, result, intent),
        isAwaited: isOneOfSeveral,
        async isOutdated() {
          await overtaken?.()
          return running.tracked.some((one) => one.isLost && !one.isEnded && !one.isSuperseded)
        },
        release() {
          const owners = new Set(running.tracked.map(({ share }) => share.link.userID))
          close()
          for (const owner of owners) deps.changed?.(owner)
        },
      }
    },

    async recover(_change, notes, id) {
      const moved: { hash: string; location: Location }[] = []
      const gone: string[] = []
      for (const note of notes as RecoveryNote[]) {
        const location = await locationAfterCrash(storageAt, note)
        if (location === undefined) gone.push(note.hash)
        else moved.push({ hash: note.hash, location })
      }
      return async (trx) => {
        // A later change of any node may have decided about a share since the look.
        const undecided = await sharesOfChange(trx, id)
        await deleteShares(
          trx,
          gone.filter((hash) => undecided.has(hash)),
        )
        await relocateShares(
          trx,
          moved.filter(({ hash }) => undecided.has(hash)),
        )
      }
    },

    async sweep() {
      const left = await sharesWithoutChange(db)
      await deleteShares(
        db,
        left.filter((hash) => !tracker.has(hash)),
      )
    },
  }
}

/** Another change of this process decides, or the share is where this one has found or left it. */
const isWhereLeft = ({ location }: Share, tracked: TrackedShare | undefined): boolean =>
  tracked !== undefined &&
  (tracked.isSuperseded || [tracked.share.location, tracked.outcome, tracked.stored].includes(location))

const isGone = ({ isLost, outcome }: TrackedShare): boolean => isLost || outcome === undefined

/** Its row has the right location and only has to be reopened, if this change has shut it. */
const isUnmoved = ({ outcome, share, conflicts }: TrackedShare): boolean =>
  outcome === share.location && conflicts === 0

/** Work of several steps may have failed halfway: a share stays with its file, wherever that is by now. */
async function locationNow(storageAt: StorageAt, tracked: TrackedShare): Promise<Location | undefined> {
  const { share, to, before, others } = tracked
  for (const location of [share.location, ...(to === undefined ? [] : [to]), ...others]) {
    const now = await entryAt(storageAt, location)
    const isSame =
      now === undefined || before === undefined
        ? now === before
        : isSameFile(storageAt, now, before, share.location, location)
    if (isSame) return location
  }
  return undefined
}

const isSameFile = (storageAt: StorageAt, now: Entry, before: Entry, from: Location, to: Location): boolean =>
  isSameEntry(now, before) || isCopy(storageAt, now, keptByCopy(before), from, to)

/**
 * What comes into another mount may be a copy, with an id of its own. So is all that is moved where ids do not last, and of a
 * folder there is told only that it is one: its time may be that of the last change in it.
 */
function isCopy(storageAt: StorageAt, now: Entry, kept: string | undefined, from: Location, to: Location): boolean {
  const { lastingIds } = storageAt(mountRootOf(to)).capabilities
  if (!lastingIds && now.kind === 'folder') return kept?.startsWith('folder ') === true
  return (!lastingIds || mountOf(from) !== mountOf(to)) && keptByCopy(now) === kept
}

/** A copy has the kind, the time and, of a file, the size of the original. */
const keptByCopy = ({ kind, size, seconds, nanoseconds }: Entry): string =>
  [kind, kind === 'folder' ? 0 : size, seconds, nanoseconds].join(' ')

/**
 * A file system reuses the inode numbers of removed files, and other files may have come since the crash. So time and
 * size have to be the same as well; a file that was changed since then is not shared any more.
 */
async function locationAfterCrash(
  storageAt: StorageAt,
  { location, to, was, copied }: RecoveryNote,
): Promise<Location | undefined> {
  if (was === null) return undefined
  for (const place of to === null ? [location] : [location, to]) {
    const entry = await entryAt(storageAt, place, isNothing)
    if (entry === undefined) continue
    if (identityOf(entry) === was || isCopy(storageAt, entry, copied, location, place)) return place
  }
  return undefined
}

/** Any other error, as of a volume that is not mounted, says nothing about what became of a file. */
const isNothing = (error: unknown): boolean => isFailure(error, 'not-found', 'forbidden', 'invalid')

/** The entry at the location of each share; many shares of one file cost one stat. */
async function entriesAt(
  storageAt: StorageAt,
  shares: readonly Share[],
): Promise<ReadonlyMap<Location, Entry | undefined>> {
  const entries = new Map<Location, Entry | undefined>()
  const pause = timeSlices()
  for (const { location } of shares) {
    if (entries.has(location)) continue
    entries.set(location, await entryAt(storageAt, location))
    await pause()
  }
  return entries
}

const noteOf = ({ share, to, before }: TrackedShare): RecoveryNote => ({
  hash: share.link.hash,
  location: share.location,
  to: to ?? null,
  was: before === undefined ? null : identityOf(before),
  ...(before !== undefined && { copied: keptByCopy(before) }),
})

/** Is it the very file that the server of another change, which is dead, had noted as that of the share? */
function isNoted(other: { readonly notes: string }, { link }: Share, entry: Entry | undefined): boolean {
  const noted = notedIn(other, followerName) as readonly RecoveryNote[] | undefined
  const was = noted?.find(({ hash }) => hash === link.hash)?.was
  return was === (entry === undefined ? null : identityOf(entry))
}

const identityOf = ({ id, version }: Entry): string => `${id} ${version}`

const hashesOf = (all: readonly TrackedShare[]): string[] => all.map(({ share }) => share.link.hash)
