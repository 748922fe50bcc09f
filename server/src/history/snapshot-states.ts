import type { Scope } from '../access/scope.ts'
import { mountOf } from '../mounts/location.ts'
import type { Snapshot } from '../snapshots/find.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { lookThrough } from './looked-through.ts'
import { type InPast, pastOfSnapshot } from './past.ts'

export interface SnapshotDeps {
  readonly snapshots: { of(mount: number): Promise<readonly Snapshot[]> }
  readonly inPast: InPast
}

/** A path as it is in a snapshot. */
export interface SnapshotState {
  readonly snapshot: Snapshot
  readonly past: string
  readonly entry: Entry
}

export interface SnapshotStates {
  /** The newest first. */
  readonly states: readonly SnapshotState[]
  readonly isCut: boolean
}

const mostLooks = 100
const atOnce = 8
/** In milliseconds. */
const longest = 4000

/**
 * The snapshots in which a path differs from what the next newer one has there, as the actor sees it. Those of a folder are
 * all in which it is: what is below it may differ while it does not.
 */
export async function snapshotStates(
  { snapshots: all, inPast }: SnapshotDeps,
  scope: Scope,
  path: VirtualPath,
): Promise<SnapshotStates> {
  const mount = mountOf(scope.locate(path))
  const snapshots = await all.of(mount)
  const pastOf = ({ name }: Snapshot) => pastOfSnapshot(mount, name)
  const look = async (index: number): Promise<Entry | null> => {
    const snapshot = snapshots[index]
    if (snapshot === undefined) return null
    try {
      const entry = await (await inPast(scope, pastOf(snapshot))).stat(path)
      return entry.kind === 'file' || entry.kind === 'folder' ? entry : null
    } catch {
      // One that cannot be read is as good as none; what is known of the others is told.
      return null
    }
  }
  const isFew = snapshots.length <= mostLooks
  const isUnbroken = (one: Entry, other: Entry) =>
    one.kind === 'folder' ? !isFew && other.kind === 'folder' : one.version === other.version
  const { found, isCut } = await lookThrough(snapshots.length, look, { isUnbroken, mostLooks, atOnce, longest })
  const states: SnapshotState[] = []
  let newer: Entry | null = null
  for (const [index, snapshot] of snapshots.entries()) {
    const looked = found.get(index)
    // One between two in which a folder is has it as well.
    const between: Entry | null =
      newer?.kind === 'folder' && isFolderAfter(found, index, snapshots.length) ? newer : null
    const entry = looked === undefined ? between : looked
    const isNew =
      looked !== undefined && looked !== null && !(newer?.kind === 'file' && newer.version === looked.version)
    if (entry !== null && (isNew || entry.kind === 'folder')) states.push({ snapshot, past: pastOf(snapshot), entry })
    if (looked !== undefined) newer = looked
  }
  return { states, isCut }
}

/** Is there a folder in the next one that was looked at? */
function isFolderAfter(found: ReadonlyMap<number, Entry | null>, index: number, count: number): boolean {
  for (let at = index + 1; at < count; at += 1) {
    const looked = found.get(at)
    if (looked !== undefined) return looked?.kind === 'folder'
  }
  return false
}
