import { join as joinText, parentOf as parentText } from '@filestead/contract/paths'
import { Failure } from '../failure.ts'
import { isStoreName } from './store-names.ts'

declare const checked: unique symbol

/** Absolute, '/'-separated, without '.', '..', NUL or the name of a draft or a store. Only `parsePath` and its kin make one. */
export type VirtualPath = string & { readonly [checked]: 'VirtualPath' }

/** The names of drafts begin so. No request can name one, no listing shows one. */
export const draftPrefix = '.filestead-draft-'

/** The source of a move to another disk is hidden under such a name until all of it has arrived. Unlike a draft it is never removed. */
export const movingPrefix = '.filestead-leaving-'

export const isHiddenSource = (name: string): boolean => name.startsWith(movingPrefix)

export const rootPath = '/' as VirtualPath

/** The kernel takes no longer path, and work for every folder of a path must come to an end. */
const longestPath = 4096

export function parsePath(raw: string): VirtualPath {
  // Half a surrogate pair is how the storage spells a byte that is no text; a request may not use it.
  if (!raw.isWellFormed()) throw new Failure('invalid', 'the path is not valid Unicode')
  return checkedPath(raw)
}

/** The same for a path that the storage has put together. */
export function checkedPath(raw: string): VirtualPath {
  const path = keptPath(raw)
  if (path.split('/').some(isStoreName)) throw reserved()
  return path
}

/** The same for a row, which may tell where a displaced thing is kept. */
export function keptPath(raw: string): VirtualPath {
  if (raw.length > longestPath) throw new Failure('invalid', 'the path is too long')
  if (raw.includes('\0')) throw new Failure('invalid', 'a path cannot contain a NUL byte')
  const segments = raw.split('/').filter((segment) => segment !== '' && segment !== '.')
  for (const segment of segments) {
    if (segment === '..') throw new Failure('invalid', 'a path cannot contain ".."')
    if (isDraftName(segment)) throw reserved()
  }
  return `/${segments.join('/')}` as VirtualPath
}

const reserved = () => new Failure('forbidden', 'This name is reserved')

/** In any case: on some volumes they are one name. */
export const isDraftName = (name: string): boolean =>
  name.startsWith('.') &&
  [draftPrefix, movingPrefix].some((prefix) => name.slice(0, prefix.length).toLowerCase() === prefix)

/** A path as it stands in an address: percent-decoded once, and only then taken apart. */
export function parseEncodedPath(encoded: string): VirtualPath {
  return parsePath(encoded.includes('%') ? decode(encoded) : encoded)
}

/** Below a checked path, a name that came from the storage needs no second check. */
export const inFolder = (folder: VirtualPath, name: string): VirtualPath => joinText(folder, name) as VirtualPath

/** The name to ask for. */
export const exactOf = ({ exact, name }: { readonly exact?: string | undefined; readonly name: string }): string =>
  exact ?? name

export const childOf = (folder: VirtualPath, entry: Parameters<typeof exactOf>[0]): VirtualPath =>
  inFolder(folder, exactOf(entry))

/** The folder or file that becomes `path` when it is whole; no request can name it. */
export const hiddenBeside = (path: VirtualPath, id: string): VirtualPath => hiddenIn(parentOf(path), id)

export const hiddenIn = (folder: VirtualPath, id: string): VirtualPath => inFolder(folder, `${draftPrefix}${id}`)

/** The hidden folder whose contents `to` gets lies in that, or beside it. */
export const hiddenFor = (to: VirtualPath, id: string, inside = false): VirtualPath =>
  inside ? hiddenIn(to, id) : hiddenBeside(to, id)

/** The folder beside a draft with what a disk knows about it; and in it what is left of one that is published name by name. */
export const [partsSuffix, partsTree] = ['.parts', 'tree']

/** Where the contents of a hidden folder may lie. */
export function hiddenPlaces(to: VirtualPath, id: string, inside: boolean): readonly VirtualPath[] {
  const hidden = hiddenFor(to, id, inside)
  return [hidden, inFolder(`${hidden}${partsSuffix}` as VirtualPath, partsTree)]
}

export const parentOf = (path: VirtualPath): VirtualPath => parentText(path) as VirtualPath

/** The nearest one first, without the root. */
export function foldersAbove(path: VirtualPath): VirtualPath[] {
  const folders: VirtualPath[] = []
  for (let folder = parentOf(path); folder !== rootPath; folder = parentOf(folder)) folders.push(folder)
  return folders
}

/** The same place, seen from a folder above: '/docs' and '/a.txt' make '/docs/a.txt'. */
export const rebase = (folder: VirtualPath, path: VirtualPath): VirtualPath =>
  (folder === '/' ? path : path === '/' ? folder : `${folder}${path}`) as VirtualPath

/** What follows in a path from one of its slashes on. */
export const restOf = (path: VirtualPath, slash: number): VirtualPath => path.slice(slash) as VirtualPath

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw new Failure('invalid', 'the path is not valid percent-encoded UTF-8')
  }
}
