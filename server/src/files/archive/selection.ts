import { isInside, nameOf } from '@filestead/contract'
import { Failure } from '../../failure.ts'
import type { Actor } from '../../users/actor.ts'
import { parentOf, parsePath, rebase, rootPath, type VirtualPath } from '../path.ts'

/** What is to be packed: at least one path, none of them inside another. */
export interface Selection {
  readonly paths: readonly VirtualPath[]
  /** The deepest folder that holds them all; a single path stands for itself. */
  readonly common: VirtualPath
  readonly isOfSeveral: boolean
}

/** Clients encode every name of the list once more, so that a name can hold a comma. An empty list means the folder. */
export const parseSelection = (folder: VirtualPath, list = ''): Selection =>
  chosenIn(
    folder,
    list
      .split(',')
      .filter((element) => element !== '')
      .map(decode),
  )

/** No name means the folder. */
export const chosenIn = (folder: VirtualPath, names: readonly string[]): Selection =>
  selectionOf(names.length === 0 ? [folder] : names.map((name) => rebase(folder, parsePath(name))))

export function selectionOf(named: readonly VirtualPath[]): Selection {
  const all = new Set(named)
  const paths = [...all].filter((path) => !isBelowOneOf(all, path)).sort()
  return { paths, common: paths.length === 1 ? (paths[0] ?? rootPath) : commonOf(paths), isOfSeveral: named.length > 1 }
}

/** Without its suffix. The real name of the folder behind a root is nobody's business, so the caller gives one. */
export const titleOf = ({ common, isOfSeveral }: Selection, rootName: string): string =>
  `${isOfSeveral ? '_' : ''}${common === '/' ? rootName : nameOf(common)}`

/** What an archive of everything a user sees is called. */
export const rootNameOf = ({ user }: Actor): string => nameOf(parsePath(user.scope)) || 'files'

function isBelowOneOf(folders: ReadonlySet<VirtualPath>, path: VirtualPath): boolean {
  if (path === '/') return false
  const folder = parentOf(path)
  return folders.has(folder) || isBelowOneOf(folders, folder)
}

function commonOf(paths: readonly VirtualPath[]): VirtualPath {
  let common = parentOf(paths[0] ?? rootPath)
  while (!paths.every((path) => isInside(path, common))) common = parentOf(common)
  return common
}

function decode(element: string): string {
  try {
    return decodeURIComponent(element)
  } catch {
    throw new Failure('invalid', 'the list of files is not valid percent-encoded UTF-8')
  }
}
