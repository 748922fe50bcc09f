import type { Result } from '../changes/change.ts'
import type { Follower, Preparation, StoredIntent, Write } from '../changes/follower.ts'
import { pauses } from '../concurrency/pauses.ts'
import { isFailure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { versionOf } from '../storage/version.ts'
import { lookupIn } from './affected.ts'
import { entryAt } from './places.ts'
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
import { shareTracker, type Tracked, type Work } from './tracking.ts'

type FollowDeps = Pick<ShareDeps, 'db' | 'storageAt'>

export type ShareFollower = Follower & Pick<ShareDeps, 'isShut' | 'watchChanges'>

/** What recovery needs to know of one share. */
interface Note {
  readonly hash: string
  readonly scope: VirtualPath
  readonly path: string
  readonly to: string | null
  /** Device and version of what stood at its path; null for nothing. */
  readonly was: string | null
}

/**
 * Shares go with their files, whichever account they belong to, and end with them. A share never shows what takes the
 * place of its file: from before the work until the outcome is stored it shows nothing, also after a crash.
 */
export function shareFollower(deps: FollowDeps): ShareFollower {
  const { db, storageAt } = deps
  const tracker = shareTracker()

  async function conclude(work: Work, result: Result, intent: StoredIntent): Promise<Write | undefined> {
    work.isOver = true
    const all = work.tracked
    const handedOver = new Map<string, string>()
    const pause = pauses()
    for (const tracked of all) {
      const changeId = await passedOnOrDecided(tracked, result)
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

  /** The id of the change that decides instead, where that has one. */
  async function passedOnOrDecided(tracked: Tracked, result: Result): Promise<string | undefined> {
    while (!tracked.isSuperseded && !tracked.isLost) {
      const other = tracker.passOn(tracked)
      if (other !== undefined) return other.changeId
      const { crossings } = tracked
      tracked.outcome = result === 'done' && crossings === 0 ? tracked.to : await pathNow(storageAt, tracked)
      // Another change may have begun during the look.
      if (tracked.crossings !== crossings) continue
      tracked.isConcluded = true
      return undefined
    }
    tracked.isConcluded = true
    return undefined
  }

  return {
    name: 'shares',
    kinds: new Set(['move', 'remove']),
    isShut: tracker.has,
    watchChanges: tracker.watch,

    async prepare(change): Promise<Preparation | undefined> {
      const { areaOf, affectedBy } = lookupIn(deps)
      const area = await areaOf(change)
      if (area === undefined) return undefined
      // Before the look at the rows: what other changes store from now on either shows there or minds this one.
      const work = tracker.open(area)
      const close = () => tracker.close(work)
      try {
        const affected = await affectedBy(area, change)
        const before = await entriesAt(
          storageAt,
          affected.map(({ share }) => share),
        )
        for (const one of affected) tracker.track(work, one, before.get(keyOf(one.share)))
      } catch (error) {
        close()
        throw error
      }
      const hashes = hashesOf(work.tracked)
      // Deleting is how room is made on a full disk: a removal goes on when nothing can be written about it.
      const need = change.kind === 'remove' ? 'wanted' : 'required'
      return {
        intent: hashes.length === 0 ? 'none' : need,
        notes: work.tracked.map(noteOf),
        async mark(trx, id) {
          await shutShares(trx, hashes, id)
          work.changeId = id
        },
        cancel: close,
        conclude: (result, intent) => conclude(work, result, intent),
        isOutdated: () => work.tracked.some((one) => one.isLost && !one.isEnded && !one.isSuperseded),
        release: close,
      }
    },

    async recover(_change, notes, id) {
      const moved: { hash: string; path: string }[] = []
      const gone: string[] = []
      for (const note of notes as Note[]) {
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

const isGone = ({ isLost, outcome }: Tracked): boolean => isLost || outcome === undefined

/** Its row has the right path and only has to be opened, if this change has shut it. */
const isUnmoved = ({ outcome, share, crossings }: Tracked): boolean => outcome === share.link.path && crossings === 0

/** Work of several steps may have failed halfway: a share stays with its file, wherever that is by now. */
async function pathNow(storageAt: FollowDeps['storageAt'], tracked: Tracked): Promise<string | undefined> {
  const { share, to, before, elsewhere } = tracked
  const storage = storageAt(share.scope)
  for (const path of [share.link.path, ...(to === undefined ? [] : [to]), ...elsewhere]) {
    const now = await entryAt(storage, path as VirtualPath)
    if (now?.inode === before?.inode && now?.device === before?.device) return path
  }
  return undefined
}

/**
 * A file system gives the numbers of removed files out again, and other files may have come since the crash. So time and
 * size have to be the same as well; what was changed since then is not shared any more.
 */
async function pathAfterCrash(storageAt: FollowDeps['storageAt'], note: Note): Promise<string | undefined> {
  if (note.was === null) return undefined
  for (const path of note.to === null ? [note.path] : [note.path, note.to]) {
    const entry = await entryAt(storageAt(note.scope), path as VirtualPath, isNothing)
    if (entry !== undefined && identityOf(entry) === note.was) return path
  }
  return undefined
}

/** A volume that is away says nothing about what became of a file. */
const isNothing = (error: unknown): boolean =>
  (['not-found', 'forbidden', 'invalid'] as const).some((code) => isFailure(error, code))

/** What stands at the path of each share; many shares of one file are one look. */
async function entriesAt(
  storageAt: FollowDeps['storageAt'],
  shares: readonly Share[],
): Promise<ReadonlyMap<string, Entry | undefined>> {
  const entries = new Map<string, Entry | undefined>()
  const pause = pauses()
  for (const share of shares) {
    if (entries.has(keyOf(share))) continue
    entries.set(keyOf(share), await entryAt(storageAt(share.scope), share.link.path as VirtualPath))
    await pause()
  }
  return entries
}

const noteOf = ({ share, to, before }: Tracked): Note => ({
  hash: share.link.hash,
  scope: share.scope,
  path: share.link.path,
  to: to ?? null,
  was: before === undefined ? null : identityOf(before),
})

const identityOf = (entry: Entry): string => `${entry.device}:${versionOf(entry)}`

const hashesOf = (all: readonly Tracked[]): string[] => all.map(({ share }) => share.link.hash)

const keyOf = ({ scope, link }: Share): string => `${scope}\0${link.path}`
