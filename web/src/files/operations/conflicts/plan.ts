import type { Conflict, Decision, Side, TransferKind } from './conflicts.ts'

/** The answers that settle every conflict at once. */
export type Plan = 'replace' | 'rename' | 'skip' | 'resume' | 'newer'

/** What was decided, and how: a plan counts for names that appear later, too. */
export interface Decided {
  readonly decisions: readonly Decision[]
  readonly plan: Plan | null
}

export const decide = (conflicts: readonly Conflict[], plan: Plan): Decision[] =>
  conflicts.map((conflict) => {
    if (plan === 'replace') return 'overwrite'
    if (plan === 'rename') return plan
    // Folders are put together: what was decided counts for the files in them.
    if (conflict.isMerge === true) return plan === 'newer' ? 'newer' : 'overwrite'
    if (plan === 'resume') return isUnfinished(conflict) ? 'overwrite' : 'skip'
    return plan
  })

/** The decision about one conflict where one is made for all. To skip what is taken is no reason to leave out what is new. */
export function decisionForAll(conflict: Conflict, decision: Decision): Decision {
  if (decision === 'newer') return newerOnly(conflict)
  return decision === 'skip' && conflict.isMerge === true ? 'overwrite' : decision
}

/** Where only what is newer shall replace something. */
const newerOnly = ({ isMerge = false, origin, destination }: Conflict): Decision => {
  if (isMerge) return 'newer'
  const hint = hintAbout(origin, destination)
  return hint === 'newer' || hint === 'newerAndLarger' ? 'overwrite' : 'skip'
}

/**
 * Which conflicts are asked about? A file in a folder that is left out, gets another name or takes what is newer meets
 * nothing that would have to be decided by itself.
 */
export function openOnes(conflicts: readonly Conflict[], decisions: readonly Decision[]): boolean[] {
  const closed = new Set(
    conflicts.flatMap(({ path, isMerge }, index) => (isMerge && decisions[index] !== 'overwrite' ? path : [])),
  )
  const isBelowClosed = (path: string): boolean => {
    const end = path.lastIndexOf('/')
    return end > 0 && (closed.has(path.slice(0, end)) || isBelowClosed(path.slice(0, end)))
  }
  return conflicts.map(({ path }) => closed.size === 0 || !isBelowClosed(path))
}

/** A folder that replaces what is in another one does so file by file, until the person says otherwise of a file. */
export const decidedAt = (
  conflicts: readonly Conflict[],
  decisions: readonly Decision[],
  index: number,
  decision: Decision,
): Decision[] => {
  const { path = '', isMerge = false } = conflicts[index] ?? {}
  const isBelow = (other: Conflict | undefined) => isMerge && other?.path.startsWith(`${path}/`) === true
  return decisions.map((before, at) => {
    if (at === index) return decision
    return decision === 'overwrite' && isBelow(conflicts[at]) ? 'overwrite' : before
  })
}

/** What an interrupted transfer leaves behind is smaller than what it came from. */
const isUnfinished = ({ isDir, origin, destination }: Conflict): boolean =>
  !isDir && origin.size !== null && destination.size !== null && destination.size < origin.size

/**
 * The decision that is preselected: never one that loses something. A file that is newer than the one at the destination
 * is kept beside it, where a second name is possible; a folder could hold anything. Folders are put together, so that the
 * files in them can be decided about.
 */
export function cautious({ isDir, isMerge = false, origin, destination }: Conflict, kind: TransferKind): Decision {
  if (isMerge) return 'overwrite'
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
