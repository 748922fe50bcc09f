import { isWithin, type Location, movedAlong } from '../mounts/location.ts'
import type { Entry } from '../storage/port.ts'
import type { AffectedShare, ChangedLocations } from './affected.ts'

/** A change that this process makes, with the shares that it decides about. */
export interface RunningChange {
  readonly locations: ChangedLocations
  readonly tracked: TrackedShare[]
  /** Known once its intent is stored. */
  changeId: string | undefined
  /** It touches no file any more; its outcome may not be stored yet. */
  isOver: boolean
}

/** A share in one change, from before the work until the outcome is stored. */
export interface TrackedShare extends AffectedShare {
  readonly change: RunningChange
  /** The entry at its location before the work. */
  before: Entry | undefined
  /** Further locations where its file may be, because other changes ran at the same time. */
  readonly others: Set<Location>
  /** How many other changes met this share or its file. */
  conflicts: number
  /** It is decided that the share leads to `outcome`, or ends if that is undefined; the row may not say so yet. */
  isConcluded: boolean
  outcome: Location | undefined
  /** An earlier outcome, which the row may have by now. */
  stored: Location | undefined
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
  watch(locations: readonly Location[]): Watch
  /** From now on the shares of other changes take this one into account. */
  open(locations: ChangedLocations): RunningChange
  track(change: RunningChange, affected: AffectedShare, before: Entry | undefined): void
  /** Leaves the decision to another change that still works on the share or on a location of its file, if there is one. */
  handOver(tracked: TrackedShare): RunningChange | undefined
  close(change: RunningChange): void
}

export function shareTracker(): ShareTracker {
  const byHash = new Map<string, Set<TrackedShare>>()
  const running = new Set<RunningChange>()
  const watches = new Set<{ readonly locations: readonly Location[]; isTouched: boolean }>()

  function add(change: RunningChange, affected: AffectedShare, before: Entry | undefined): TrackedShare {
    const tracked: TrackedShare = {
      ...affected,
      change,
      before,
      others: new Set(),
      conflicts: 0,
      isConcluded: false,
      outcome: undefined,
      stored: undefined,
      isLost: false,
      isEnded: false,
      isSuperseded: false,
    }
    const { hash } = affected.share.link
    for (const other of [...(byHash.get(hash) ?? [])]) combine(tracked, other)
    byHash.set(hash, (byHash.get(hash) ?? new Set()).add(tracked))
    change.tracked.push(tracked)
    for (const other of running) if (other !== change) checkConflict(tracked, other.locations)
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
      tracked.stored = other.outcome
      supersede(other)
      return
    }
    // The row stands for the entry that the first of them found.
    tracked.before = other.before
    addLocations(tracked, locationsOf(other))
    addLocations(other, locationsOf(tracked))
  }

  return {
    has: (hash) => byHash.has(hash),
    watch(watched) {
      const isTouched = [...running].some(({ locations, isOver }) => !isOver && takesAny(locations, watched))
      const watch = { locations: watched, isTouched }
      watches.add(watch)
      return {
        get isTouched() {
          return watch.isTouched
        },
        [Symbol.dispose]: () => void watches.delete(watch),
      }
    },
    open(locations) {
      const change: RunningChange = { locations, tracked: [], changeId: undefined, isOver: false }
      running.add(change)
      for (const watch of watches) watch.isTouched ||= takesAny(locations, watch.locations)
      for (const ofShare of byHash.values()) for (const tracked of ofShare) checkConflict(tracked, locations)
      return change
    },
    track: (change, affected, before) => void add(change, affected, before),
    handOver(tracked) {
      const { share, change: own, before, mayGoTo } = tracked
      const ofShare = [...(byHash.get(share.link.hash) ?? [])]
      const same = ofShare.find((other) => other !== tracked && !other.change.isOver)
      const touchesFile = ({ locations }: RunningChange) =>
        locationsOf(tracked).some((location) => touches(locations, location))
      const next = same?.change ?? [...running].find((other) => other !== own && !other.isOver && touchesFile(other))
      if (next === undefined) return undefined
      const successor = same ?? add(next, { share, to: undefined, mayGoTo }, before)
      addLocations(successor, locationsOf(tracked))
      checkConflict(successor, next.locations)
      supersede(tracked)
      return next
    },
    close(change) {
      running.delete(change)
      for (const tracked of change.tracked) untrack(tracked)
    },
  }
}

/** Another change may move, remove or replace the file of a share where that file goes or has gone. */
function checkConflict(tracked: TrackedShare, changed: ChangedLocations): void {
  const { isConcluded, outcome, mayGoTo } = tracked
  const ofFile = isConcluded ? [outcome ?? []].flat() : locationsOf(tracked)
  const touched = ofFile.filter((location) => touches(changed, location))
  if (touched.length === 0) return
  if (isConcluded) tracked.isLost = true
  else
    addLocations(
      tracked,
      touched.flatMap((location) => movedTo(changed, location) ?? []).filter((location) => mayGoTo(location)),
    )
}

function addLocations(tracked: TrackedShare, locations: readonly Location[]): void {
  tracked.conflicts += 1
  for (const location of locations) tracked.others.add(location)
}

const locationsOf = ({ to, others }: TrackedShare): Location[] => [...(to === undefined ? [] : [to]), ...others]

const touches = ({ source, target }: ChangedLocations, location: Location): boolean =>
  isWithin(location, source) || (target !== undefined && isWithin(location, target))

const takesAny = ({ source }: ChangedLocations, locations: readonly Location[]): boolean =>
  locations.some((location) => isWithin(location, source))

/** Where a change would move what lies at a location. */
const movedTo = ({ source, target }: ChangedLocations, location: Location): Location | undefined =>
  target === undefined || !isWithin(location, source) ? undefined : movedAlong(location, source, target)
