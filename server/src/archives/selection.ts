import { isInside, nameOf } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { flatMapInSlices } from '../concurrency/time-slices.ts'
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
export const parseSelection = async (folder: VirtualPath, list = '', signal?: Cancellation): Promise<Selection> =>
  selectionOfNames(
    folder,
    list
      .split(',')
      .filter((element) => element !== '')
      .map(decode),
    signal,
  )

/** Without a name the folder itself is selected. */
export async function selectionOfNames(
  folder: VirtualPath,
  names: readonly string[],
  signal?: Cancellation,
): Promise<Selection> {
  const paths = await flatMapInSlices(names, (name) => [rebase(folder, parsePath(name))], signal)
  return selectionOf(paths.length === 0 ? [folder] : paths, signal)
}

/** With pauses: a hundred thousand names, or ten thousand paths through hundreds of folders each, may be selected. */
export async function selectionOf(named: readonly VirtualPath[], signal?: Cancellation): Promise<Selection> {
  const outermost = await withoutThoseBelow(named, signal)
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
async function withoutThoseBelow(named: readonly VirtualPath[], signal?: Cancellation): Promise<VirtualPath[]> {
  const inTreeOrder = (await flatMapInSlices(named, (path) => [path.replaceAll('/', '\0')], signal)).sort()
  let last: string | undefined
  return flatMapInSlices(
    inTreeOrder,
    (path) => {
      if (path === last || (last !== undefined && path.startsWith(last === '\0' ? last : `${last}\0`))) return []
      last = path
      return [path.replaceAll('\0', '/') as VirtualPath]
    },
    signal,
  )
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
