import { numbered } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import type { FolderItem, Kernel, Name, Stat } from '../linux/kernel.ts'
import { isFolder, isLink } from '../linux/modes.ts'
import type { Disk } from './disk.ts'
import { dropName, renameOver } from './displace.ts'
import { folderStackFrom } from './folder-stack.ts'
import {
  type Emptied,
  openUp,
  removeEmptied,
  removeTree,
  requireUnlocked,
  type Surroundings,
  surroundingsOf,
} from './removing.ts'
import { renameToFree } from './renaming.ts'
import { sync } from './sync.ts'
import { type NameAt, reservedName, statAt } from './target.ts'
import { exactName, isDraft, walkTree } from './trees.ts'

/** Can one tree take the place of, or merge into, the other? Asked before anything is changed. */
export async function requireMergeable(
  disk: Disk,
  from: NameAt,
  to: NameAt,
  { isMove }: { isMove: boolean },
): Promise<void> {
  const { kernel } = disk
  if (!requireRoomFor(disk, kernel.stat(from.folder, from.name), to, statAt(kernel, to))) return
  const into = folderStackFrom(kernel, to.folder)
  const check = (folder: number, item: FolderItem, level: Merged): boolean => {
    if (isMove) {
      level.source ??= surroundingsOf(kernel, folder)
      requireUnlocked(level.source, item)
    }
    const target = { folder: into.fd, name: exactName(item) }
    const stat = statAt(kernel, target)
    if (stat === undefined || !isFolder(stat.mode)) {
      level.target ??= surroundingsOf(kernel, into.fd)
      requireUnlocked(level.target, { name: item.name, stat: stat ?? noStat })
    }
    return requireRoomFor(disk, item.stat, target, stat)
  }
  try {
    await walkTree<Merged>(
      kernel,
      from,
      { name: to.name },
      {
        entered: (_, level) => into.enter(level.name),
        file: (folder, item, level) => void check(folder, item, level),
        below: (folder, item, level) => (check(folder, item, level) ? { name: exactName(item) } : undefined),
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
  source?: Surroundings
  target?: Surroundings
}

/** A free name can be taken by every account that may write the folder. */
const noStat = { uid: process.geteuid?.() ?? 0, attributes: 0, changed: 0 }

/** Is there a folder for it to merge into? Throws where something stands that it cannot replace. */
function requireRoomFor({ kernel, ownFiles }: Disk, moved: Stat, to: NameAt, there: Stat | undefined): boolean {
  if (ownFiles.reserves(to.name, () => kernel.statOpen(to.folder))) throw reservedName()
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
}

/** Moves a tree onto another one: what is new comes along, files of the same name are replaced. */
export async function mergeTree(
  disk: Pick<Disk, 'kernel' | 'displacing'>,
  from: NameAt,
  to: NameAt,
  merge: Merge = {},
): Promise<void> {
  const { kernel } = disk
  const there = statAt(kernel, to)
  const isFromFolder = () => isFolder(kernel.stat(from.folder, from.name).mode)
  if (there === undefined || !isFolder(there.mode) || (merge.keepsBoth && !isFromFolder()))
    return put(disk, from, to, merge)
  const into = folderStackFrom(kernel, to.folder)
  try {
    await walkTree<Emptied & { readonly name: Name }>(
      kernel,
      from,
      { name: to.name, above: undefined, count: 0 },
      {
        entered(folder, level) {
          level.count = 0
          if (merge.force) openUp(kernel, folder)
          into.enter(level.name)
        },
        file(folder, item, level) {
          const name = exactName(item)
          level.count += 1
          // The request that writes it loses the folder; in the other one the draft would lie hidden for ever.
          if (isDraft(item)) dropName(kernel, { folder, name })
          else put(disk, { folder, name }, { folder: into.fd, name }, merge)
        },
        async below(folder, item, level) {
          const name = exactName(item)
          const there = isDraft(item) ? undefined : statAt(kernel, { folder: into.fd, name })
          if (there !== undefined && isFolder(there.mode)) return { name, above: level, count: 0 }
          level.count += 1
          if (isDraft(item)) await removeTree(kernel, folder, name)
          else put(disk, { folder, name }, { folder: into.fd, name }, merge)
          return undefined
        },
        async done() {
          await sync(kernel, into.fd)
          into.leave()
        },
        left(folder, name, level) {
          const answer = removeEmptied(kernel, { folder, name }, level, false)
          if (answer !== 'gone') return answer
          if (level.above !== undefined) level.above.count += 1
          return undefined
        },
      },
    )
  } finally {
    into.close()
  }
}

function put(disk: Pick<Disk, 'kernel' | 'displacing'>, from: NameAt, to: NameAt, { keepsBoth = false }: Merge): void {
  if (keepsBoth) renameAside(disk.kernel, from, to)
  else renameOver(disk, from, to)
}

/** Under its name, or where that is taken under the next free one like it. */
export function renameAside(kernel: Kernel, from: NameAt, to: NameAt): void {
  const name = typeof to.name === 'string' ? to.name : Buffer.from(to.name).toString()
  for (let count = 0; ; count += 1) {
    try {
      renameToFree(kernel, from, { folder: to.folder, name: count === 0 ? to.name : numbered(name, count) })
      return
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOTEMPTY') throw error
    }
  }
}
