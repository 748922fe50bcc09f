import { isInside } from '@filestead/contract'
import { rebase, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import type { Affected, Area } from './affected.ts'
import { folderOf } from './places.ts'
import type { Share } from './store.ts'

/** A change of this process, with the shares that it decides about. */
export interface Work {
  readonly area: Area
  readonly tracked: Tracked[]
  /** Known once its intent is stored. */
  changeId: string | undefined
  /** It touches no file any more. */
  isOver: boolean
}

/** A share in one change, from before the work until the outcome is stored. */
export interface Tracked extends Affected {
  readonly work: Work
  /** What stood at its path before the work. */
  before: Entry | undefined
  /** Other paths where its file may be, because other changes ran at the same time. */
  readonly elsewhere: Set<string>
  /** How many of them there were. */
  crossings: number
  /** It is decided that the share leads to `outcome`, or to nothing and ends; the row may not say so yet. */
  isConcluded: boolean
  outcome: string | undefined
  /** Its file was moved on before the outcome was stored: the share ends. */
  isLost: boolean
  /** That it ends has been written. */
  isEnded: boolean
  /** Another change decides. */
  isSuperseded: boolean
}

/** Notices changes that carry something away or remove it, while a share of it is being made. */
export interface Watch extends Disposable {
  readonly isTouched: boolean
}

/**
 * Changes that run at the same time may move the same file, or the folder that it has just arrived in. The last one of
 * them decides where the share leads, and until then it is shut.
 */
export interface Tracker {
  has(hash: string): boolean
  watch(places: readonly VirtualPath[]): Watch
  /** From now on the shares of other changes take notice of this one. */
  open(area: Area): Work
  track(work: Work, affected: Affected, before: Entry | undefined): void
  /** Leaves the decision to another change that still works on the share or where its file may be, if there is one. */
  passOn(tracked: Tracked): Work | undefined
  close(work: Work): void
}

export function shareTracker(): Tracker {
  const byHash = new Map<string, Set<Tracked>>()
  const works = new Set<Work>()
  const watches = new Set<{ readonly places: readonly VirtualPath[]; isTouched: boolean }>()

  function add(work: Work, affected: Affected, before: Entry | undefined): Tracked {
    const tracked: Tracked = {
      ...affected,
      work,
      before,
      elsewhere: new Set(),
      crossings: 0,
      isConcluded: false,
      outcome: undefined,
      isLost: false,
      isEnded: false,
      isSuperseded: false,
    }
    const { hash } = affected.share.link
    for (const other of [...(byHash.get(hash) ?? [])]) meet(tracked, other)
    byHash.set(hash, (byHash.get(hash) ?? new Set()).add(tracked))
    work.tracked.push(tracked)
    for (const other of works) if (other !== work) cross(tracked, other.area)
    return tracked
  }

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
    addPaths(tracked, pathsOf(other))
    addPaths(other, pathsOf(tracked))
  }

  return {
    has: (hash) => byHash.has(hash),
    watch(places) {
      const watch = { places, isTouched: [...works].some(({ area, isOver }) => !isOver && takesAny(area, places)) }
      watches.add(watch)
      return {
        get isTouched() {
          return watch.isTouched
        },
        [Symbol.dispose]: () => void watches.delete(watch),
      }
    },
    open(area) {
      const work: Work = { area, tracked: [], changeId: undefined, isOver: false }
      works.add(work)
      for (const watch of watches) watch.isTouched ||= takesAny(area, watch.places)
      for (const tracked of byHash.values()) for (const one of tracked) cross(one, area)
      return work
    },
    track: (work, affected, before) => void add(work, affected, before),
    passOn(tracked) {
      const { share, work: own, before } = tracked
      const others = [...(byHash.get(share.link.hash) ?? [])]
      const same = others.find((other) => other !== tracked && !other.work.isOver)
      const isMet = ({ area }: Work) => pathsOf(tracked).some((path) => touches(area, placeOf(share, path)))
      const next = same?.work ?? [...works].find((work) => work !== own && !work.isOver && isMet(work))
      if (next === undefined) return undefined
      const taking = same ?? add(next, { share, to: undefined }, before)
      addPaths(taking, pathsOf(tracked))
      cross(taking, next.area)
      supersede(tracked)
      return next
    },
    close(work) {
      works.delete(work)
      for (const one of work.tracked) untrack(one)
    },
  }
}

/** Another change works where the file of a share goes, or has gone: it may be carried on, removed or replaced there. */
function cross(tracked: Tracked, area: Area): void {
  const { share, isConcluded, outcome } = tracked
  const paths = isConcluded ? [outcome ?? []].flat() : pathsOf(tracked)
  const met = paths.filter((path) => touches(area, placeOf(share, path)))
  if (met.length === 0) return
  if (isConcluded) tracked.isLost = true
  else
    addPaths(
      tracked,
      met.flatMap((path) => carriedTo(area, share, path) ?? []),
    )
}

function addPaths(tracked: Tracked, paths: readonly string[]): void {
  tracked.crossings += 1
  for (const path of paths) tracked.elsewhere.add(path)
}

const pathsOf = ({ to, elsewhere }: Tracked): string[] => [...(to === undefined ? [] : [to]), ...elsewhere]

const touches = ({ source, target }: Area, place: VirtualPath): boolean =>
  isInside(place, source) || (target !== undefined && isInside(place, target))

const takesAny = ({ source }: Area, places: readonly VirtualPath[]): boolean =>
  places.some((place) => isInside(place, source))

/** Where a change would take what lies at a path, if that is within the owner's reach. */
function carriedTo({ source, target }: Area, share: Share, path: string): string | undefined {
  const place = placeOf(share, path)
  if (target === undefined || !isInside(place, source)) return undefined
  const next = rebase(target, place.slice(source === '/' ? 0 : source.length) as VirtualPath)
  const base = folderOf(share.scope)
  if (!isInside(next, base)) return undefined
  return base === '/' ? next : next.slice(base.length) || '/'
}

const placeOf = (share: Share, path: string): VirtualPath => rebase(folderOf(share.scope), path as VirtualPath)
