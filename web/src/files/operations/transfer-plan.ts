import { isInside, join, parentOf } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** Entries that go from one folder to another, by being copied or moved. */
export interface TransferRequest {
  action: 'copy' | 'rename'
  entries: readonly Entry[]
  /** The folder they lie in; empty where they lie in several. */
  from: string
  /** The folder they go to. */
  to: string
}

/** What went there. */
export interface Transferred {
  /** The names they have there now. */
  names: string[]
  /** Did the person look on, or was it sent to the background? */
  by: 'user' | 'background'
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

/** One entry on its way. */
export interface TransferItem {
  name: string
  path: string
  entry: Entry
  to: string
}

/** A folder cannot go into itself or below itself. */
export const intoThemselves = ({ entries, to }: TransferRequest): Entry[] =>
  entries.filter(({ isDir, path }) => isDir && isInside(to, path))

export const transferItems = ({ entries, to }: TransferRequest): TransferItem[] =>
  entries.map((entry) => ({ name: entry.name, path: entry.path, entry, to: join(to, entry.name) }))
