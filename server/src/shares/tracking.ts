import { isInside } from '@filestead/contract'
import { rebase, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { scopeFolder } from '../users/home.ts'
import type { AffectedShare, ChangedPaths } from './affected.ts'
import { pathAsWritten } from './resolve.ts'
import type { Share } from './store.ts'

/** A change that this process makes, with the shares that it decides about. */
export interface RunningChange {
  readonly paths: ChangedPaths
  readonly tracked: TrackedShare[]
  /** Known once its intent is stored. */
  changeId: string | undefined
  /** It touches no file any more; its outcome may not be stored yet. */
  isOver: boolean
}

/** A share in one change, from before the work until the outcome is stored. */
export interface TrackedShare extends AffectedShare {
  readonly change: RunningChange
  /** The entry at its path before the work. */
  before: Entry | undefined
  /** Further paths where its file may be, because other changes ran at the same time. */
  readonly otherPaths: Set<string>
  /** How many other changes met this share or its file. */
  conflicts: number
  /** It is decided that the share leads to `outcome`, or ends if that is undefined; the row may not say so yet. */
  isConcluded: boolean
  outcome: string | undefined
  /** Its file was moved on before the outcome was stored: the share ends. */
  isLost: boolean
  /** The end of the share is stored. */
  isEnded: boolean
  /** Another change decides. */
  isSuperseded: boolean
}

/** Notices changes that move or remove a file while a share of it is being made. */
export interface Watch extends Disposable {
  readonly isTouched: boolean
}

/**
 * Changes that run at the same time may move the same file, or the folder that it has just arrived in. The last of them
 * decides where the share leads, and until then the share is shut. In memory: changes of other processes are not known.
 */
export interface ShareTracker {
  has(hash: string): boolean
  watch(paths: readonly VirtualPath[]): Watch
  /** From now on the shares of other changes take this one into account. */
  open(paths: ChangedPaths): RunningChange
  track(change: RunningChange, affected: AffectedShare, before: Entry | undefined): void
  /** Leaves the decision to another change that still works on the share or on a path of its file, if there is one. */
  handOver(tracked: TrackedShare): RunningChange | undefined
  close(change: RunningChange): void
}

export function shareTracker(): ShareTracker {
  const byHash = new Map<string, Set<TrackedShare>>()
  const running = new Set<RunningChange>()
  const watches = new Set<{ readonly paths: readonly VirtualPath[]; isTouched: boolean }>()

  function add(change: RunningChange, affected: AffectedShare, before: Entry | undefined): TrackedShare {
    const tracked: TrackedShare = {
      ...affected,
      change,
      before,
      otherPaths: new Set(),
      conflicts: 0,
      isConcluded: false,
      outcome: undefined,
      isLost: false,
      isEnded: false,
      isSuperseded: false,
    }
    const { hash } = affected.share.link
    for (const other of [...(byHash.get(hash) ?? [])]) combine(tracked, other)
    byHash.set(hash, (byHash.get(hash) ?? new Set()).add(tracked))
    change.tracked.push(tracked)
    for (const other of running) if (other !== change) checkConflict(tracked, other.paths)
    return tracked
  }

  function untrack(tracked: TrackedShare): void {
    const { hash } = tracked.share.link
    const others = byHash.get(hash)
    others?.delete(tracked)
    if (others?.size === 0) byHash.delete(hash)
  }

  function supersede(tracked: TrackedShare): void {
    tracked.isSuperseded = true
    untrack(tracked)
  }

  /** Two changes affect the same share. */
  function combine(tracked: TrackedShare, other: TrackedShare): void {
    if (other.isConcluded) {
      // The row does not have the outcome of the other change yet, so the entry found by the row is not its file.
      tracked.isLost = true
      supersede(other)
      return
    }
    // The row stands for the entry that the first of them found.
    tracked.before = other.before
    addPaths(tracked, pathsOf(other))
    addPaths(other, pathsOf(tracked))
  }

  return {
    has: (hash) => byHash.has(hash),
    watch(watched) {
      const isTouched = [...running].some(({ paths, isOver }) => !isOver && takesAny(paths, watched))
      const watch = { paths: watched, isTouched }
      watches.add(watch)
      return {
        get isTouched() {
          return watch.isTouched
        },
        [Symbol.dispose]: () => void watches.delete(watch),
      }
    },
    open(paths) {
      const change: RunningChange = { paths, tracked: [], changeId: undefined, isOver: false }
      running.add(change)
      for (const watch of watches) watch.isTouched ||= takesAny(paths, watch.paths)
      for (const ofShare of byHash.values()) for (const tracked of ofShare) checkConflict(tracked, paths)
      return change
    },
    track: (change, affected, before) => void add(change, affected, before),
    handOver(tracked) {
      const { share, change: own, before } = tracked
      const ofShare = [...(byHash.get(share.link.hash) ?? [])]
      const same = ofShare.find((other) => other !== tracked && !other.change.isOver)
      const touchesFile = ({ paths }: RunningChange) =>
        pathsOf(tracked).some((path) => touches(paths, pathFromRoot(share, path)))
      const next = same?.change ?? [...running].find((other) => other !== own && !other.isOver && touchesFile(other))
      if (next === undefined) return undefined
      const successor = same ?? add(next, { share, to: undefined }, before)
      addPaths(successor, pathsOf(tracked))
      checkConflict(successor, next.paths)
      supersede(tracked)
      return next
    },
    close(change) {
      running.delete(change)
      for (const tracked of change.tracked) untrack(tracked)
    },
  }
}

/** Another change may move, remove or replace the file of a share at a path where that file goes or has gone. */
function checkConflict(tracked: TrackedShare, paths: ChangedPaths): void {
  const { share, isConcluded, outcome } = tracked
  const ofFile = isConcluded ? [outcome ?? []].flat() : pathsOf(tracked)
  const touched = ofFile.filter((path) => touches(paths, pathFromRoot(share, path)))
  if (touched.length === 0) return
  if (isConcluded) tracked.isLost = true
  else
    addPaths(
      tracked,
      touched.flatMap((path) => movedTo(paths, share, path) ?? []),
    )
}

function addPaths(tracked: TrackedShare, paths: readonly string[]): void {
  tracked.conflicts += 1
  for (const path of paths) tracked.otherPaths.add(path)
}

const pathsOf = ({ to, otherPaths }: TrackedShare): string[] => [...(to === undefined ? [] : [to]), ...otherPaths]

const touches = ({ source, target }: ChangedPaths, path: VirtualPath): boolean =>
  isInside(path, source) || (target !== undefined && isInside(path, target))

const takesAny = ({ source }: ChangedPaths, paths: readonly VirtualPath[]): boolean =>
  paths.some((path) => isInside(path, source))

/** Where a change would move the entry at a path of a share; undefined if that is outside of the owner's scope. */
function movedTo({ source, target }: ChangedPaths, share: Share, path: string): string | undefined {
  const from = pathFromRoot(share, path)
  if (target === undefined || !isInside(from, source)) return undefined
  const to = rebase(target, from.slice(source === '/' ? 0 : source.length) as VirtualPath)
  const base = scopeFolder(share.scope)
  if (!isInside(to, base)) return undefined
  return base === '/' ? to : to.slice(base.length) || '/'
}

const pathFromRoot = (share: Share, path: string): VirtualPath => pathAsWritten(share.scope, path as VirtualPath)
