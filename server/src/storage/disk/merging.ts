import { posix } from 'node:path'
import { numbered } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import type { FolderItem, Kernel, Name, Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import { inFolder, rebase, rootPath, type VirtualPath } from '../path.ts'
import { isStoreName } from '../store-names.ts'
import { choiceFor, leavesAlike } from '../taken.ts'
import type { TakenRule } from '../transfer-options.ts'
import { haveSameBytes, looksLike } from './comparing.ts'
import type { Disk } from './disk.ts'
import { dropName, renameOver } from './displace.ts'
import { entryOf } from './entry.ts'
import { folderStackFrom } from './folder-stack.ts'
import type { Keeping } from './keeping.ts'
import {
  type Emptied,
  openUp,
  removeDraft,
  removeEmptied,
  requireFreeToLeave,
  requireUnlocked,
  type Surroundings,
  surroundingsOf,
} from './removing.ts'
import { renameToFree } from './renaming.ts'
import { sync } from './sync.ts'
import { type NameAt, reservedName, statAt } from './target.ts'
import { exactName, isDraft, isHidden, walkTree } from './trees.ts'

interface MergeQuestion {
  readonly isMove: boolean
  readonly taken?: TakenRule | undefined
  /** Files that look the same are compared where the rule would refuse them. */
  readonly comparesBytes?: boolean
}

/** Can one tree take the place of, or merge into, the other? Asked before anything is changed. */
export async function requireMergeable(
  disk: Disk,
  from: NameAt,
  to: NameAt,
  { isMove, taken, comparesBytes = false }: MergeQuestion,
): Promise<void> {
  const { kernel } = disk
  if (!requireRoomFor(disk, kernel.stat(from.folder, from.name), to, statAt(kernel, to))) return
  const into = folderStackFrom(kernel, to.folder)
  const isSameFile = async (folder: number, item: FolderItem, target: NameAt, there: Stat, path: string) =>
    isAlike(item.stat, there) &&
    (!comparesBytes ||
      taken === undefined ||
      leavesAlike(taken, path) ||
      (await haveSameBytes(kernel, { folder, name: exactName(item) }, target)))
  const check = async (folder: number, item: FolderItem, level: Merged): Promise<boolean> => {
    if (isMove) {
      level.source ??= surroundingsOf(kernel, folder)
      requireFreeToLeave(disk, folder, level.source, item)
    }
    const target = { folder: into.fd, name: exactName(item) }
    const stat = statAt(kernel, target)
    if (stat === undefined || !isFolder(stat.mode)) {
      level.target ??= surroundingsOf(kernel, into.fd)
      requireUnlocked(level.target, { name: item.name, stat: stat ?? noStat })
    }
    if (taken === undefined || stat === undefined || isHidden(item))
      return requireRoomFor(disk, item.stat, target, stat)
    const areFolders = isFolder(item.stat.mode) && isFolder(stat.mode)
    const path = posix.join(level.inside, item.name)
    if (areFolders || (await isSameFile(folder, item, target, stat, path)))
      return requireRoomFor(disk, item.stat, target, stat)
    const choice = choiceOf(taken, path, item.stat, stat)
    return choice === 'replace' && requireRoomFor(disk, item.stat, target, stat)
  }
  try {
    await walkTree<Merged>(
      kernel,
      from,
      { name: to.name, inside: '' },
      {
        entered: (_, level) => into.enter(level.name),
        file: async (folder, item, level) => void (await check(folder, item, level)),
        below: async (folder, item, level) =>
          (await check(folder, item, level))
            ? { name: exactName(item), inside: posix.join(level.inside, item.name) }
            : undefined,
        async done() {
          into.leave()
        },
      },
    )
  } finally {
    into.close()
  }
}

interface Merged {
  readonly name: Name
  /** Where it lies in the tree. */
  readonly inside: string
  source?: Surroundings
  target?: Surroundings
}

/** A free name can be taken by every account that may write the folder. */
const noStat = { uid: process.geteuid?.() ?? 0, attributes: 0 }

/** Is there a folder for it to merge into? Throws where something stands that it cannot replace. */
function requireRoomFor({ kernel, ownFiles }: Disk, moved: Stat, to: NameAt, there: Stat | undefined): boolean {
  if (ownFiles.reserves(to.name, () => kernel.statOpen(to.folder)) || isStoreName(String(to.name))) throw reservedName()
  if (there === undefined) return false
  if (ownFiles.is(there) || (isLink(there.mode) && ownFiles.keeps(there))) throw reservedName()
  if (isFolder(moved.mode) !== isFolder(there.mode))
    throw new Failure('already-exists', 'A file and a folder cannot replace each other')
  return isFolder(moved.mode)
}

export interface Merge {
  force?: boolean
  /** Of two files with the same name, both stay; the one that comes gets a number. */
  keepsBoth?: boolean
  /** For files whose names are taken. What is skipped stays where it is. */
  taken?: TakenRule | undefined
  /** What goes away for a file that is alike is the only other copy: bytes are compared, whatever the rule is. */
  comparesBytes?: boolean
  /** What the rule skips, or refuses too late, is kept beside the other one. */
  skipsNone?: boolean
  /** Of a move: what is noted of its source. */
  origin?: Origin | undefined
}

/** Where a tree that is moved onto another one comes from. */
export interface Origin {
  /** From the root of its mount. */
  readonly path: VirtualPath
  readonly keeping: Keeping
  /** What is merged is a copy of the source, which goes afterwards. */
  readonly isCopied?: boolean
  /** The source lies in a store. */
  readonly isKept?: boolean
}

export const copiedFrom = (origin: Origin | undefined): Origin | undefined => origin && { ...origin, isCopied: true }

type Merger = Pick<Disk, 'kernel' | 'displacing' | 'keeping'>

/** Moves a tree onto another one: what is new comes along, files of the same name are replaced. */
export async function mergeTree(disk: Merger, from: NameAt, to: NameAt, merge: Merge = {}): Promise<void> {
  const { kernel } = disk
  const there = statAt(kernel, to)
  const isFromFolder = () => isFolder(kernel.stat(from.folder, from.name).mode)
  if (there === undefined || !isFolder(there.mode) || (merge.keepsBoth && !isFromFolder()))
    return void put(disk, from, to, merge)
  const into = folderStackFrom(kernel, to.folder)
  /** Takes one entry to the target. Counts it where it is gone from here. */
  const take = async (folder: number, item: FolderItem, level: MergedFolder, there: Stat | undefined) => {
    const [source, target] = [
      { folder, name: exactName(item) },
      { folder: into.fd, name: exactName(item) },
    ]
    const path = posix.join(level.inside, item.name)
    const choice =
      there === undefined ? 'replace' : await choiceAt(kernel, merge, [source, item.stat], [target, there], path)
    // Of what is restored, what is there already stays in its store.
    if (choice === 'skip' || (choice === 'drop' && merge.origin?.isKept)) return
    level.count += 1
    const from = merge.origin && inSource(merge.origin, path)
    if (choice === 'drop') dropAlike(kernel, merge, source, item.stat)
    else {
      const name = put(disk, source, target, choice === 'keep-both' ? { keepsBoth: true } : merge)
      disk.keeping?.placed({ folder: into.fd, name }, from)
    }
  }
  try {
    await walkTree<MergedFolder>(
      kernel,
      from,
      { name: to.name, inside: '', above: undefined, count: 0 },
      {
        entered(folder, level) {
          level.count = 0
          if (merge.force) openUp(kernel, folder)
          into.enter(level.name)
        },
        file(folder, item, level) {
          // The request that writes it loses the folder; in the other one the draft would lie hidden for ever.
          if (isDraft(item)) {
            level.count += 1
            dropName(kernel, { folder, name: exactName(item) })
            return
          }
          const there =
            merge.taken === undefined ? undefined : statAt(kernel, { folder: into.fd, name: exactName(item) })
          return take(folder, item, level, there)
        },
        async below(folder, item, level) {
          const name = exactName(item)
          const there = isDraft(item) ? undefined : statAt(kernel, { folder: into.fd, name })
          if (there !== undefined && isFolder(there.mode))
            return { name, inside: posix.join(level.inside, item.name), above: level, count: 0 }
          if (isDraft(item)) {
            level.count += 1
            await removeDraft(kernel, { folder, name })
          } else await take(folder, item, level, merge.taken === undefined ? undefined : there)
          return undefined
        },
        async done() {
          await sync(kernel, into.fd)
          into.leave()
        },
        left(folder, name, level) {
          const answer = removeEmptied(kernel, { folder, name }, level, merge.taken !== undefined)
          if (answer !== 'gone') return answer
          const { origin } = merge
          origin?.keeping.tell({ kind: 'emptied', at: inSource(origin, level.inside) })
          if (level.above !== undefined) level.above.count += 1
          return undefined
        },
      },
    )
  } finally {
    into.close()
  }
}

const inSource = ({ path }: Origin, inside: string): VirtualPath =>
  inside === '' ? path : rebase(path, inFolder(rootPath, inside))

/** The same file is there. What goes is kept nevertheless where that costs a rename, with its own times and rights. */
function dropAlike(kernel: Kernel, { origin }: Merge, source: NameAt, stat: Stat): void {
  const isKept = origin && !origin.isCopied && origin.keeping.takeAway({ ...source, stat, by: 'removed' })
  if (!isKept) dropName(kernel, source)
}

interface MergedFolder extends Emptied {
  readonly above: MergedFolder | undefined
  readonly name: Name
  readonly inside: string
}

type Placed = readonly [at: NameAt, stat: Stat]

/** What becomes of an entry whose name is taken; `drop`: the same file is there. */
async function choiceAt(
  kernel: Kernel,
  { taken, comparesBytes = false, skipsNone = false }: Merge,
  [source, stat]: Placed,
  [target, there]: Placed,
  path: string,
): Promise<'replace' | 'skip' | 'keep-both' | 'drop'> {
  if (taken === undefined) return 'replace'
  if (isAlike(stat, there)) {
    const isTrusted = !comparesBytes && leavesAlike(taken, path)
    if (isTrusted || (await haveSameBytes(kernel, source, target))) return 'drop'
  }
  if (!skipsNone) return choiceOf(taken, path, stat, there)
  // Everything was asked before; what has come since is refused too late.
  const choice =
    isFolder(stat.mode) === isFolder(there.mode)
      ? choiceOf({ ...taken, default: lenient(taken) }, path, stat, there)
      : 'skip'
  return choice === 'skip' ? 'keep-both' : choice
}

const lenient = ({ default: choice }: TakenRule) => (choice === 'refuse' ? 'keep-both' : choice)

const choiceOf = (rule: TakenRule, path: string, comes: Stat, there: Stat) =>
  choiceFor(rule, path, entryOf('', comes), entryOf('', there))

/** Two files of the same size and time. */
const isAlike = (one: Stat, two: Stat): boolean => isFile(one.mode) && isFile(two.mode) && looksLike(one, two)

/** Tells the name that it got. */
function put(disk: Merger, from: NameAt, to: NameAt, { keepsBoth = false }: Merge): Name {
  if (keepsBoth) return renameAside(disk.kernel, from, to)
  renameOver(disk, from, to)
  return to.name
}

/** Under its name, or where that is taken under the next free one like it. */
export function renameAside(kernel: Kernel, from: NameAt, to: NameAt): Name {
  const name = typeof to.name === 'string' ? to.name : Buffer.from(to.name).toString()
  for (let count = 0; ; count += 1) {
    try {
      const aside = count === 0 ? to.name : numbered(name, count)
      renameToFree(kernel, from, { folder: to.folder, name: aside })
      return aside
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOTEMPTY') throw error
    }
  }
}
