import { join, parentOf, type StorageKind } from '@filestead/contract'

/** What is known of a folder that is open in a tree. */
export interface OpenFolder {
  /** Undefined until the server has answered. */
  readonly names: readonly string[] | undefined
  readonly error: Error | null
}

/** One line of a tree. */
export interface TreeRow {
  /** Another one for each row. The path, except for a row that stands for a folder which has a row already. */
  readonly key: string
  readonly path: string
  readonly name: string
  /** Counted from 1. */
  readonly level: number
  /** Among the folders beside it, counted from 1, and how many these are. */
  readonly position: number
  readonly siblings: number
  readonly isOpen: boolean
  /** It is known to hold no folder. */
  readonly isLeaf: boolean
  /** Its folders are on their way. */
  readonly isBusy: boolean
  /** Why its folders cannot be shown. */
  readonly error: Error | null
  /** Said beside the name, such as where a folder that was found lies. */
  readonly note?: string
  /** The home of the person, at the top of the tree. */
  readonly isHome?: boolean
  /** The disk of the mount is not there. */
  readonly isAway?: boolean
  /** Of a mount that is not on a disk of the server: where its files are. */
  readonly storage?: StorageKind
}

/** The rows of the folders below `root`, and of those below each of them that is open. */
export function treeRows(
  root: string,
  opened: ReadonlySet<string>,
  known: ReadonlyMap<string, OpenFolder>,
  firstLevel = 1,
): TreeRow[] {
  const rows: TreeRow[] = []
  const add = (folder: string, level: number) => {
    const names = known.get(folder)?.names ?? []
    for (const [index, name] of names.entries()) {
      const path = join(folder, name)
      const state = known.get(path)
      const isOpen = opened.has(path)
      rows.push({
        key: path,
        path,
        name,
        level,
        position: index + 1,
        siblings: names.length,
        isOpen: isOpen && state?.names !== undefined,
        isLeaf: state?.names?.length === 0,
        isBusy: isOpen && state?.names === undefined && state?.error == null,
        error: isOpen ? (state?.error ?? null) : null,
      })
      if (isOpen) add(path, level + 1)
    }
  }
  add(root, firstLevel)
  return rows
}

/** The folders above a path, from the root down. The root has none. */
export function foldersAbove(path: string): string[] {
  const above: string[] = []
  for (let folder = path; folder !== '/'; ) {
    folder = parentOf(folder)
    above.unshift(folder)
  }
  return above
}

/** Those that are open and can be seen, because all folders above them are open, too: only these are asked for. */
export const openInSight = (opened: ReadonlySet<string>): string[] =>
  [...opened].filter((path) => foldersAbove(path).every((folder) => opened.has(folder)))
