import { isInside } from '@filestead/contract'
import { marked } from '../../storage/exact-names.ts'
import { inFolder, restOf, rootPath, type VirtualPath } from '../../storage/path.ts'
import type { Member } from '../members.ts'
import type { Selection } from '../selection.ts'

/** The path of a member below the folder that all have in common: it stays when that is found under another path. */
export const relativePath = ({ common }: Selection, path: VirtualPath): string =>
  path === common ? '' : path.slice(common === rootPath ? 1 : common.length + 1)

export const absolutePath = ({ common }: Selection, relative: string): VirtualPath =>
  relative === '' ? common : inFolder(common, relative)

/** The rest of a selection, from the entry that holds a member on, and which of its members come behind that one. */
export function behind(
  selection: Selection,
  after: string | undefined,
): { selection: Selection; isBehind: (member: Member) => boolean } {
  if (after === undefined) return { selection, isBehind: () => true }
  const last = absolutePath(selection, after)
  const first = selection.paths.findIndex((path) => isInside(last, path))
  const top = selection.paths[first]
  if (top === undefined) return { selection, isBehind: () => true }
  const lastNames = namesBelow(top, last)
  const isBehind = ({ path }: Member) => !isInside(path, top) || compare(namesBelow(top, path), lastNames) > 0
  return { selection: { ...selection, paths: selection.paths.slice(first) }, isBehind }
}

const namesBelow = (top: VirtualPath, path: VirtualPath): string[] =>
  path === top
    ? []
    : restOf(path, top === rootPath ? 0 : top.length)
        .slice(1)
        .split('/')

/** As a walk meets them: a folder before what it holds, and names as `byName` sorts them. */
function compare(one: readonly string[], two: readonly string[]): number {
  for (const [index, name] of one.entries()) {
    const other = two[index]
    if (other === undefined) return 1
    if (name === other) continue
    const [shown, otherShown] = [marked(name), marked(other)]
    if (shown !== otherShown) return shown < otherShown ? -1 : 1
    return exact(name, shown) < exact(other, otherShown) ? -1 : 1
  }
  return one.length < two.length ? -1 : 0
}

const exact = (name: string, shown: string): string => (name === shown ? '' : name)
