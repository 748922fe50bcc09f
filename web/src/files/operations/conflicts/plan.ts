import type { Conflict, Decision, Side, TransferKind } from './conflicts.ts'

/** The answers that settle every conflict at once. */
export type Plan = 'replace' | 'rename' | 'skip' | 'resume'

export const decide = (conflicts: readonly Conflict[], plan: Plan): Decision[] =>
  conflicts.map((conflict) => {
    if (plan === 'replace') return 'overwrite'
    if (plan === 'resume') return isUnfinished(conflict) ? 'overwrite' : 'skip'
    return plan
  })

/** What an interrupted transfer leaves behind is smaller than what it came from. */
const isUnfinished = ({ isDir, origin, destination }: Conflict): boolean =>
  !isDir && origin.size !== null && destination.size !== null && destination.size < origin.size

/**
 * The decision that is preselected: never one that loses something. A file that is newer than the one at the destination
 * is kept beside it, where a second name is possible; a folder could hold anything.
 */
export function cautious({ isDir, origin, destination }: Conflict, kind: TransferKind): Decision {
  if (isDir || kind === 'retry') return 'skip'
  const hint = hintAbout(origin, destination)
  return hint === 'newer' || hint === 'newerAndLarger' ? 'rename' : 'skip'
}

export type Hint = 'newer' | 'larger' | 'newerAndLarger' | 'same' | null

/** What distinguishes one side from the other, as far as it is known. */
export function hintAbout(side: Side, other: Side): Hint {
  const isNewer = isKnown(side, other, 'modified') && seconds(side) > seconds(other)
  const isLarger = isKnown(side, other, 'size') && Number(side.size) > Number(other.size)
  if (isNewer && isLarger) return 'newerAndLarger'
  if (isNewer) return 'newer'
  if (isLarger) return 'larger'
  const isSame =
    isKnown(side, other, 'modified') &&
    isKnown(side, other, 'size') &&
    side.size === other.size &&
    seconds(side) === seconds(other)
  return isSame ? 'same' : null
}

const isKnown = (side: Side, other: Side, field: 'size' | 'modified'): boolean =>
  side[field] !== null && other[field] !== null

/** Browsers and disks disagree about fractions of a second. */
const seconds = ({ modified }: Side): number => Math.floor(Date.parse(modified ?? '') / 1000)
