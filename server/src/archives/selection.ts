import { isInside, nameOf } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import { parentOf, parsePath, rebase, rootPath, type VirtualPath } from '../storage/path.ts'

/** The entries to pack: at least one path, none of them inside another. */
export interface Selection {
  readonly paths: readonly VirtualPath[]
  /** The deepest folder that holds them all; a single path stands for itself. */
  readonly common: VirtualPath
  readonly isOfSeveral: boolean
}

/** Clients encode every name of the list once more, so that a name can hold a comma. An empty list means the folder. */
export const parseSelection = (folder: VirtualPath, list = ''): Selection =>
  selectionIn(
    folder,
    list
      .split(',')
      .filter((element) => element !== '')
      .map(decode),
  )

/** The same for very many names: yields to the event loop in between. */
export async function selectionOfNames(
  folder: VirtualPath,
  names: readonly string[],
  signal: Cancellation,
): Promise<Selection> {
  const pause = timeSlices(signal)
  const paths: VirtualPath[] = []
  for (const name of names) {
    paths.push(rebase(folder, parsePath(name)))
    const rest = pause()
    if (rest !== undefined) await rest
  }
  return selectionOf(paths.length === 0 ? [folder] : paths)
}

/** Without a name the folder itself is selected. */
const selectionIn = (folder: VirtualPath, names: readonly string[]): Selection =>
  selectionOf(names.length === 0 ? [folder] : names.map((name) => rebase(folder, parsePath(name))))

export function selectionOf(named: readonly VirtualPath[]): Selection {
  const outermost = withoutThoseBelow(named)
  const [first = rootPath] = outermost
  const common = outermost.length === 1 ? first : commonOf(first, outermost.at(-1) ?? first)
  return { paths: outermost.sort(), common, isOfSeveral: named.length > 1 }
}

/** The name of the archive without its suffix. The real name of a root is not shown to clients, so the caller gives one. */
export const titleOf = ({ common, isOfSeveral }: Selection, rootName: string): string =>
  `${isOfSeveral ? '_' : ''}${common === '/' ? rootName : nameOf(common)}`

/** The name of an archive of a whole scope. */
export const rootNameOf = ({ user }: Actor): string => nameOf(parsePath(user.scope)) || 'files'

/**
 * Removes duplicates and paths that lie in another one. In the order of the tree a folder is followed by what it holds,
 * so that one pass is enough for a hundred thousand names.
 */
function withoutThoseBelow(named: readonly VirtualPath[]): VirtualPath[] {
  const inTreeOrder = named.map((path) => path.replaceAll('/', '\0')).sort()
  const kept: string[] = []
  let last: string | undefined
  for (const path of inTreeOrder) {
    if (path === last || (last !== undefined && path.startsWith(last === '\0' ? last : `${last}\0`))) continue
    last = path
    kept.push(path)
  }
  return kept.map((path) => path.replaceAll('\0', '/') as VirtualPath)
}

/** A folder that holds the first and the last path in the order of the tree holds all between them. */
function commonOf(first: VirtualPath, last: VirtualPath): VirtualPath {
  let common = parentOf(first)
  while (!isInside(last, common)) common = parentOf(common)
  return common
}

function decode(element: string): string {
  try {
    return decodeURIComponent(element)
  } catch {
    throw new Failure('invalid', 'the list of files is not valid percent-encoded UTF-8')
  }
}
