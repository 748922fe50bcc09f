import type { Change, Result } from '../changes/change.ts'
import type { Follower, Preparation, StoredIntent, Write } from '../changes/follower.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { isFailure } from '../failure.ts'
import { isSameEntry } from '../storage/entry.ts'
import type { VirtualPath } from '../storage/path.ts'
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
} from './store.ts'
import { type RunningChange, shareTracker, type TrackedShare } from './tracking.ts'

type FollowDeps = Pick<ShareDeps, 'db' | 'storageAt'> & {
  /** Other processes of this server change the same files, and their changes are not tracked here. */
  readonly isOneOfSeveral?: boolean
}

export type ShareFollower = Follower & Pick<ShareDeps, 'isShut' | 'watchChanges'>

/** What recovery needs to know of one share; stored as JSON. */
interface RecoveryNote {
  readonly hash: string
  readonly scope: VirtualPath
  readonly path: string
  readonly to: string | null
  /** Device and version of the entry at its path; null for none. */
  readonly was: string | null
}

/**
 * Shares follow their files, whichever account they belong to, and end with them. A share never shows what replaces its
 * file: from before the work until the outcome is stored it is shut, also after a crash.
 */
export function shareFollower(deps: FollowDeps): ShareFollower {
  const { db, storageAt, isOneOfSeveral = false } = deps
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
    const isUnchanged = all.every((one) => one.isSuperseded || (!isGone(one) && isUnmoved(one)))
    if (isUnchanged && !intent.isStored && handedOver.size === 0) return undefined

    return async (trx) => {
      const decided = all.filter(({ isSuperseded }) => !isSuperseded)
      const gone = decided.filter(isGone)
      const kept = decided.filter((one) => !isGone(one))
      for (const one of gone) one.isEnded = true
      await deleteShares(trx, hashesOf(gone))
      await reopenShares(trx, hashesOf(kept.filter(isUnmoved)), intent.id)
      const moved = kept.filter((one) => !isUnmoved(one))
      await relocateShares(
        trx,
        moved.map(({ share, outcome = '/' }) => ({ hash: share.link.hash, path: outcome })),
      )
      for (const [hash, changeId] of handedOver) await handOverShare(trx, hash, changeId)
    }
  }

  /** The id of the change that decides instead, where it has one. */
  async function handOverOrDecide(tracked: TrackedShare, result: Result): Promise<string | undefined> {
    while (!tracked.isSuperseded && !tracked.isLost) {
      const other = tracker.handOver(tracked)
      if (other !== undefined) return other.changeId
      const { conflicts } = tracked
      tracked.outcome = result === 'done' && conflicts === 0 ? tracked.to : await pathNow(storageAt, tracked)
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
   * to the paths it has changed. Whichever stores last sees what the other has done. A share in doubt ends.
   */
  async function overtakenBy(running: RunningChange, change: Change): Promise<() => Promise<void>> {
    const around = async (arrives: Entry | undefined) =>
      affectedShares(deps).sharesAround(running.paths, change, arrives)
    const arrives = change.from === undefined ? undefined : await entryAt(storageAt(change.scope), change.from)
    const known = new Set((await around(arrives)).map(({ link }) => link.hash))
    return async () => {
      for (const one of running.tracked) {
        const { share, outcome, before } = one
        if (one.isSuperseded || one.isEnded || outcome === undefined || before === undefined) continue
        const now = await entryAt(storageAt(share.scope), outcome as VirtualPath)
        one.isLost ||= now === undefined || !isSameEntry(now, before)
      }
      const tracked = new Set(hashesOf(running.tracked))
      for (const share of await around(arrives)) {
        if (known.has(share.link.hash) || tracked.has(share.link.hash)) continue
        tracker.track(running, { share, to: undefined }, undefined)
        const lost = running.tracked.at(-1)
        if (lost !== undefined) lost.isLost = true
      }
    }
  }

  return {
    name: 'shares',
    kinds: new Set(['move', 'remove']),
    isShut: tracker.has,
    watchChanges: tracker.watch,

    async prepare(change): Promise<Preparation | undefined> {
      const { pathsOf, affectedBy } = affectedShares(deps)
      const paths = await pathsOf(change)
      if (paths === undefined) return undefined
      // Before the rows are read: what other changes store from now on is either read there or takes this one into account.
      const running = tracker.open(paths)
      const close = () => tracker.close(running)
      try {
        const affected = await affectedBy(paths, change)
        const before = await entriesAt(
          storageAt,
          affected.map(({ share }) => share),
        )
        for (const one of affected) tracker.track(running, one, before.get(keyOf(one.share)))
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
          await shutShares(trx, hashes, id)
          running.changeId = id
        },
        conclude: (result, intent) => conclude(running, result, intent),
        isAwaited: isOneOfSeveral,
        async isOutdated() {
          await overtaken?.()
          return running.tracked.some((one) => one.isLost && !one.isEnded && !one.isSuperseded)
        },
        release: close,
      }
    },

    async recover(_change, notes, id) {
      const moved: { hash: string; path: string }[] = []
      const gone: string[] = []
      for (const note of notes as RecoveryNote[]) {
        const path = await pathAfterCrash(storageAt, note)
        if (path === undefined) gone.push(note.hash)
        else moved.push({ hash: note.hash, path })
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

const isGone = ({ isLost, outcome }: TrackedShare): boolean => isLost || outcome === undefined

/** Its row has the right path and only has to be reopened, if this change has shut it. */
const isUnmoved = ({ outcome, share, conflicts }: TrackedShare): boolean =>
  outcome === share.link.path && conflicts === 0

/** Work of several steps may have failed halfway: a share stays with its file, wherever that is by now. */
async function pathNow(storageAt: FollowDeps['storageAt'], tracked: TrackedShare): Promise<string | undefined> {
  const { share, to, before, otherPaths } = tracked
  const storage = storageAt(share.scope)
  for (const path of [share.link.path, ...(to === undefined ? [] : [to]), ...otherPaths]) {
    const now = await entryAt(storage, path as VirtualPath)
    const isSame = now === undefined || before === undefined ? now === before : isSameEntry(now, before)
    if (isSame) return path
  }
  return undefined
}

/**
 * A file system reuses the inode numbers of removed files, and other files may have come since the crash. So time and
 * size have to be the same as well; a file that was changed since then is not shared any more.
 */
async function pathAfterCrash(storageAt: FollowDeps['storageAt'], note: RecoveryNote): Promise<string | undefined> {
  if (note.was === null) return undefined
  for (const path of note.to === null ? [note.path] : [note.path, note.to]) {
    const entry = await entryAt(storageAt(note.scope), path as VirtualPath, isNothing)
    if (entry !== undefined && identityOf(entry) === note.was) return path
  }
  return undefined
}

/** Any other error, as of a volume that is not mounted, says nothing about what became of a file. */
const isNothing = (error: unknown): boolean =>
  (['not-found', 'forbidden', 'invalid'] as const).some((code) => isFailure(error, code))

/** The entry at the path of each share; many shares of one file cost one stat. */
async function entriesAt(
  storageAt: FollowDeps['storageAt'],
  shares: readonly Share[],
): Promise<ReadonlyMap<string, Entry | undefined>> {
  const entries = new Map<string, Entry | undefined>()
  const pause = timeSlices()
  for (const share of shares) {
    if (entries.has(keyOf(share))) continue
    entries.set(keyOf(share), await entryAt(storageAt(share.scope), share.link.path as VirtualPath))
    await pause()
  }
  return entries
}

const noteOf = ({ share, to, before }: TrackedShare): RecoveryNote => ({
  hash: share.link.hash,
  scope: share.scope,
  path: share.link.path,
  to: to ?? null,
  was: before === undefined ? null : identityOf(before),
})

const identityOf = ({ id, version }: Entry): string => `${id} ${version}`

const hashesOf = (all: readonly TrackedShare[]): string[] => all.map(({ share }) => share.link.hash)

const keyOf = ({ scope, link }: Share): string => `${scope}\0${link.path}`
