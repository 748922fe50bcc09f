import { isInside } from '@filestead/contract'
import { rebase, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import type { Affected, Area } from './affected.ts'
import { folderOf } from './places.ts'

/** A share in one change, from before the work until the outcome is stored. */
export interface Tracked extends Affected {
  /** What stood at its path before the work. */
  before: Entry | undefined
  changeId: string | undefined
  /** The work is over, and `outcome` is where the share leads from now on; the row may not say so yet. */
  isConcluded: boolean
  outcome: string | undefined
  /** Other changes run at the same time that may move its file; it may be at one of these paths. */
  readonly elsewhere: Set<string>
  isContended: boolean
  /** Its file was moved on before the outcome was stored: the share ends. */
  isLost: boolean
  isEnded: boolean
  /** Another change of the same share decides. */
  isSuperseded: boolean
}

/** The changes of this process that are under way, and the shares that they concern. */
export interface Tracker {
  has(hash: string): boolean
  /** From now on the shares of other changes take notice of this one. */
  open(area: Area): void
  track(area: Area, affected: Affected, before: Entry | undefined): Tracked
  /** The change that still works on the same share, if there is one. */
  otherAtWork(tracked: Tracked): Tracked | undefined
  supersede(tracked: Tracked): void
  close(area: Area, tracked: readonly Tracked[]): void
}

export function shareTracker(): Tracker {
  const byHash = new Map<string, Set<Tracked>>()
  const areas = new Set<Area>()

  function untrack(tracked: Tracked): void {
    const { hash } = tracked.share.link
    const others = byHash.get(hash)
    others?.delete(tracked)
    if (others?.size === 0) byHash.delete(hash)
  }

  function supersede(tracked: Tracked): void {
    tracked.isSuperseded = true
    untrack(tracked)
  }

  function meet(tracked: Tracked, other: Tracked): void {
    if (other.isConcluded) {
      // Its row does not say yet where the file is, so what was found by the row is not the file.
      tracked.isLost = true
      supersede(other)
      return
    }
    // The row stands for what the first of them found.
    tracked.before = other.before
    for (const [one, two] of [
      [tracked, other],
      [other, tracked],
    ] as const) {
      one.isContended = true
      for (const path of [two.to, ...two.elsewhere]) if (path !== undefined) one.elsewhere.add(path)
    }
  }

  return {
    has: (hash) => byHash.has(hash),
    open(area) {
      areas.add(area)
      for (const tracked of byHash.values()) for (const one of tracked) cross(one, area)
    },
    track(area, affected, before) {
      const tracked: Tracked = {
        ...affected,
        before,
        changeId: undefined,
        isConcluded: false,
        outcome: undefined,
        elsewhere: new Set(),
        isContended: false,
        isLost: false,
        isEnded: false,
        isSuperseded: false,
      }
      const { hash } = affected.share.link
      for (const other of [...(byHash.get(hash) ?? [])]) meet(tracked, other)
      byHash.set(hash, (byHash.get(hash) ?? new Set()).add(tracked))
      for (const other of areas) if (other !== area) cross(tracked, other)
      return tracked
    },
    otherAtWork: (tracked) =>
      [...(byHash.get(tracked.share.link.hash) ?? [])].find((other) => other !== tracked && !other.isConcluded),
    supersede,
    close(area, tracked) {
      areas.delete(area)
      for (const one of tracked) untrack(one)
    },
  }
}

/** Another change works where the file of a share goes, or has gone: it may be carried on, removed or replaced there. */
function cross(tracked: Tracked, { source, target }: Area): void {
  const { share, isConcluded, outcome, to } = tracked
  const path = isConcluded ? outcome : to
  if (path === undefined) return
  const base = folderOf(share.scope)
  const place = rebase(base, path as VirtualPath)
  const isCarriedOn = isInside(place, source)
  if (!isCarriedOn && (target === undefined || !isInside(place, target))) return
  if (isConcluded) {
    tracked.isLost = true
    return
  }
  tracked.isContended = true
  if (!isCarriedOn || target === undefined) return
  const next = rebase(target, place.slice(source === '/' ? 0 : source.length) as VirtualPath)
  if (isInside(next, base)) tracked.elsewhere.add(base === '/' ? next : next.slice(base.length) || '/')
}
