import type { JobKind } from '@filestead/contract'

/** How many jobs of a process run at once, and of one account. A short one must not wait behind long copies. */
interface Room {
  readonly most: number
  readonly mostOfAccount: number
}

type Lane = 'bulk' | 'move' | 'delete'

const rooms: Readonly<Record<Lane, Room>> = {
  bulk: { most: 4, mostOfAccount: 2 },
  // Most are renames, which take a moment.
  move: { most: 8, mostOfAccount: 4 },
  delete: { most: 8, mostOfAccount: 4 },
}

const lanes: Partial<Record<JobKind, Lane>> = {
  ...{ move: 'move', restore: 'move', undo: 'move' },
  ...{ delete: 'delete', purge: 'delete' },
}

const laneOf = (kind: JobKind): Lane => lanes[kind] ?? 'bulk'

interface Wanting {
  readonly userId: number
  readonly kind: JobKind
}

interface Running extends Wanting {
  /** Its disk does not answer: it takes no other's place, for that may last for ever. */
  readonly isStalled: boolean
}

/** May another one begin beside these? */
export function hasPlace(running: Iterable<Running>, { userId, kind }: Wanting): boolean {
  const lane = laneOf(kind)
  const beside = [...running].filter((other) => laneOf(other.kind) === lane)
  const { most, mostOfAccount } = rooms[lane]
  const isOwn = (other: Running) => other.userId === userId
  return beside.filter(({ isStalled }) => !isStalled).length < most && beside.filter(isOwn).length < mostOfAccount
}
