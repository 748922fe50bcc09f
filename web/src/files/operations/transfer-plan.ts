import { isInside, join, type OnConflict, parentOf } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { type Conflict, type Decision, type Side, thumbnailOf } from './conflicts/conflicts.ts'

/** Entries that go from one folder to another, by being copied or moved. */
export interface TransferRequest {
  action: 'copy' | 'rename'
  entries: readonly Entry[]
  /** The folder they lie in; empty where they lie in several. */
  from: string
  /** The folder they go to. */
  to: string
}

/** The folder that holds what is chosen; empty where results of several folders are. */
export function sourceOf({ folder, query, chosen }: Pick<Workspace, 'folder' | 'query' | 'chosen'>): string {
  if (query === null) return folder
  const [first, ...others] = new Set(chosen.map(({ path }) => parentOf(path)))
  return first !== undefined && others.length === 0 ? first : ''
}

/** Without those that lie in a folder which is among them, and goes as a whole. */
export function outermost<Item extends { path: string }>(entries: readonly Item[]): Item[] {
  const paths = new Set(entries.map(({ path }) => path))
  const isBelow = (path: string): boolean => path !== '/' && (paths.has(path) || isBelow(parentOf(path)))
  return entries.filter(({ path }) => !isBelow(parentOf(path)))
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

const sideOf = (entry: Entry): Side => {
  const picture = thumbnailOf(entry)
  return { size: entry.isDir ? null : entry.size, modified: entry.modified, ...(picture && { picture }) }
}

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
