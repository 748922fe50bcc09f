import { isInside, join, type OnConflict } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'
import type { Conflict, Decision } from './conflicts/conflicts.ts'

/** Entries that go from one folder to another, by being copied or moved. */
export interface TransferRequest {
  action: 'copy' | 'rename'
  entries: readonly Entry[]
  /** The folder they lie in. */
  from: string
  /** The folder they go to. */
  to: string
}

/** One entry on its way, and what happens where its name is taken. */
export interface TransferItem {
  name: string
  entry: Entry
  to: string
  onConflict: OnConflict
}

/** A folder cannot go into itself or below itself. */
export const intoThemselves = ({ entries, to }: TransferRequest): Entry[] =>
  entries.filter(({ isDir, path }) => isDir && isInside(to, path))

/** The entries whose names are taken where they go. */
export function conflictsOf({ entries }: TransferRequest, there: readonly Entry[]): Conflict[] {
  const taken = new Map(there.map((entry) => [entry.name, entry]))
  return entries.flatMap((entry) => {
    const other = taken.get(entry.name)
    if (other === undefined) return []
    return { path: entry.name, isDir: entry.isDir, origin: sideOf(entry), destination: sideOf(other) }
  })
}

const sideOf = ({ isDir, size, modified }: Entry) => ({ size: isDir ? null : size, modified })

/** What is sent once every conflict is decided. What is skipped is not sent; a name that is free stays as it is. */
export function transferItems(
  { entries, to }: TransferRequest,
  conflicts: readonly Conflict[],
  decisions: readonly Decision[],
): TransferItem[] {
  const decided = new Map(conflicts.map(({ path }, index) => [path, decisions[index] ?? 'skip']))
  return entries.flatMap((entry) => {
    const onConflict = decided.get(entry.name) ?? 'fail'
    return onConflict === 'skip' ? [] : { name: entry.name, entry, to: join(to, entry.name), onConflict }
  })
}
