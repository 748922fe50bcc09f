import { isInside, join, numbered, type OnConflict } from '@filestead/contract'
import type { Entry } from '../../api/resources.ts'
import type { Conflict, Decision } from '../../prompts/conflicts/conflicts.ts'

/** Entries that go from one folder to another, by being copied or moved. */
export interface Shipment {
  action: 'copy' | 'rename'
  entries: readonly Entry[]
  /** The folder they lie in. */
  from: string
  /** The folder they go to. */
  to: string
}

/** One entry on its way, and what happens where its name is taken. */
export interface Parcel {
  name: string
  entry: Entry
  to: string
  onConflict: OnConflict
}

/** A folder cannot go into itself or below itself. */
export const intoThemselves = ({ entries, to }: Shipment): Entry[] =>
  entries.filter(({ isDir, path }) => isDir && isInside(to, path))

/** The entries whose names are taken where they go. */
export function conflictsOf({ entries }: Shipment, there: readonly Entry[]): Conflict[] {
  const taken = new Map(there.map((entry) => [entry.name, entry]))
  return entries.flatMap((entry) => {
    const other = taken.get(entry.name)
    if (other === undefined) return []
    return { path: entry.name, isDir: entry.isDir, origin: sideOf(entry), destination: sideOf(other) }
  })
}

const sideOf = ({ isDir, size, modified }: Entry) => ({ size: isDir ? null : size, modified })

/** What is sent once every conflict is decided. What is skipped is not sent; a name that is free stays as it is. */
export function parcelsOf(
  { entries, to }: Shipment,
  conflicts: readonly Conflict[],
  decisions: readonly Decision[],
): Parcel[] {
  const decided = new Map(conflicts.map(({ path }, index) => [path, decisions[index] ?? 'skip']))
  return entries.flatMap((entry) => {
    const onConflict = decided.get(entry.name) ?? 'fail'
    return onConflict === 'skip' ? [] : { name: entry.name, entry, to: join(to, entry.name), onConflict }
  })
}

/** The names the entries will have there, as the server gives them: the first free number. */
export function namesThere(parcels: readonly Parcel[], there: readonly Entry[]): string[] {
  const taken = new Set(there.map(({ name }) => name))
  return parcels.map(({ name, onConflict }) => {
    let free = name
    for (let count = 1; onConflict === 'rename' && taken.has(free); count += 1) free = numbered(name, count)
    taken.add(free)
    return free
  })
}
