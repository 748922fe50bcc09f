import { numbered } from '@filestead/contract/paths'
import { pauses } from '../../concurrency/pauses.ts'
import { Failure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import type { FolderItem, Kernel, Name, Stat } from '../linux/kernel.ts'
import { isFolder, isLink } from '../linux/modes.ts'
import { draftPrefix, leavingPrefix, inFolder as pathBelow, type VirtualPath } from '../path.ts'
import { tooDeep } from './depth.ts'
import type { Disk } from './disk.ts'
import { reservedName, type Spot, statAt } from './place.ts'
import { requireUnlocked, type Surroundings, surroundingsOf } from './removable.ts'
import { renameToFree } from './renaming.ts'
import { sync } from './sync.ts'
import { trailFrom } from './trail.ts'

/** What is done with the folders of a tree, in the order in which they are met. `L` is what is known about one. */
export interface TreeWork<L> {
  /** It has just been opened. */
  entered?(folder: number, level: L): void
  /** Something in it that is no folder. */
  file(folder: number, item: FolderItem, level: L): void | Promise<void>
  /** A folder in it; nothing if there is no need to go there. */
  below(folder: number, item: FolderItem, level: L): L | undefined | Promise<L | undefined>
  /** All that it holds has been met; what lies in its folders comes now. */
  read?(): Promise<void>
  /** All that lies below it has been met, too. */
  done?(folder: number, level: L): Promise<void>
  /** It has been closed. Told with the folder that holds it; may ask to go through it again. */
  left?(parent: number, name: Name, level: L): 'again' | undefined
  /** The walk ends here, come what may; descriptors are closed after it. */
  ended?(): Promise<void>
}

/**
 * Goes through a folder and everything below it. Without recursion and with few descriptors, so that no depth is too
 * much, and with pauses, so that others get their turn.
 */
export async function walkTree<L>(
  kernel: Kernel,
  { folder, name }: Spot,
  first: L,
  work: TreeWork<L>,
  mostLevels = Number.POSITIVE_INFINITY,
): Promise<void> {
  const trail = trailFrom(kernel, folder)
  const pause = pauses()
  const levels: { name: Name; known: L; folders: { name: Name; known: L }[] }[] = []

  async function enter(name: Name, known: L): Promise<void> {
    if (levels.length >= mostLevels) throw tooDeep()
    trail.enter(name)
    const folders: { name: Name; known: L }[] = []
    levels.push({ name, known, folders })
    work.entered?.(trail.fd, known)
    for (let items = kernel.readFolder(trail.fd); items !== null; items = kernel.readFolder(trail.fd)) {
      for (const item of items) {
        if (isFolder(item.stat.mode)) {
          const below = await work.below(trail.fd, item, known)
          if (below !== undefined) folders.push({ name: exactName(item), known: below })
        } else {
          const doing = work.file(trail.fd, item, known)
          if (doing !== undefined) await doing
        }
        const rest = pause()
        if (rest !== undefined) await rest
      }
    }
    await work.read?.()
  }

  try {
    await enter(name, first)
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const next = level.folders.pop()
      if (next !== undefined) {
        await enter(next.name, next.known)
        continue
      }
      await work.done?.(trail.fd, level.known)
      levels.pop()
      trail.leave()
      const rest = pause()
      if (rest !== undefined) await rest
      if (work.left?.(trail.fd, level.name, level.known) === 'again') await enter(level.name, level.known)
    }
  } finally {
    await work.ended?.()
    trail.close()
  }
}

export interface Removal {
  /** Opens up folders that are closed to us; for trees of our own making. */
  force?: boolean | undefined
  /** Must this stay? A folder that something stays in stays as well. */
  keeps?: ((item: FolderItem, folder: number) => boolean) | undefined
  /** Counts what is gone. */
  gone?: { count: number } | undefined
}

/** Removes a name and, for a folder, all below it. Never follows a link. True when nothing is left of it. */
export async function removeTree(kernel: Kernel, parent: number, name: Name, removal: Removal = {}): Promise<boolean> {
  const { force, keeps, gone = { count: 0 } } = removal
  const stat = kernel.stat(parent, name)
  if (!isFolder(stat.mode)) {
    if (keeps?.({ name: String(name), bytes: undefined, stat }, parent)) return false
    kernel.unlink(parent, name)
    gone.count += 1
    return true
  }
  let isGone = false
  await walkTree<Emptied>(
    kernel,
    { folder: parent, name },
    { above: undefined, count: 0 },
    {
      entered(folder, level) {
        level.count = 0
        if (force) openUp(kernel, folder)
      },
      file(folder, item, level) {
        if (keeps?.(item, folder)) return
        kernel.unlink(folder, exactName(item))
        level.count += 1
        gone.count += 1
      },
      below: (folder, item, above) => (keeps?.(item, folder) ? undefined : { above, count: 0 }),
      left(folder, name, level) {
        const answer = removeEmptied(kernel, { folder, name }, level, keeps !== undefined)
        if (answer !== 'gone') return answer
        if (level.above === undefined) isGone = true
        else level.above.count += 1
        gone.count += 1
        return undefined
      },
    },
  )
  return isGone
}

/** A folder that is being emptied: how many of its names went in this round. */
interface Emptied {
  readonly above: Emptied | undefined
  count: number
}

/** Reading while names go away may skip some on some file systems, so a folder is read until nothing goes any more. */
function removeEmptied(
  kernel: Kernel,
  { folder, name }: Spot,
  { count }: Emptied,
  mayStay: boolean,
): 'gone' | 'again' | undefined {
  try {
    kernel.removeFolder(folder, name)
    return 'gone'
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY') throw error
    if (count > 0) return 'again'
    if (mayStay) return undefined
    throw error
  }
}

/** Whoever may not do that will be told by the removal. */
function openUp(kernel: Kernel, folder: number): void {
  try {
    kernel.changeMode(folder, 0o700)
  } catch {}
}

/** Goes through everything below a folder; what cannot be addressed is told with replacement marks. */
export const visitTree = (
  kernel: Kernel,
  folder: number,
  path: VirtualPath,
  visit: (path: VirtualPath) => void,
): Promise<void> =>
  walkTree<VirtualPath>(kernel, { folder, name: '.' }, path, {
    file(_, item, path) {
      if (!isHidden(item)) visit(pathBelow(path, item.name))
    },
    below(_, item, path) {
      if (isHidden(item)) return undefined
      const below = pathBelow(path, item.name)
      visit(below)
      return below
    },
  })

/** Can one tree take the place of, or merge into, the other? Asked before anything is changed. */
export async function requireMergeable(
  disk: Disk,
  from: Spot,
  to: Spot,
  { isMove }: { isMove: boolean },
): Promise<void> {
  const { kernel } = disk
  if (!requireRoomFor(disk, kernel.stat(from.folder, from.name), to, statAt(kernel, to))) return
  const into = trailFrom(kernel, to.folder)
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

/** A name that is free can be taken by anybody who may write the folder. */
const noStat = { uid: process.geteuid?.() ?? 0, attributes: 0 }

/** Is there a folder for it to merge into? Throws where something stands that it cannot replace. */
function requireRoomFor({ kernel, ours }: Disk, moved: Stat, to: Spot, there: Stat | undefined): boolean {
  if (ours.reserves(to.name, () => kernel.statOpen(to.folder))) throw reservedName()
  if (there === undefined) return false
  if (ours.is(there) || (isLink(there.mode) && ours.keeps(there))) throw reservedName()
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
export async function mergeTree(kernel: Kernel, from: Spot, to: Spot, merge: Merge = {}): Promise<void> {
  const there = statAt(kernel, to)
  const isFromFolder = () => isFolder(kernel.stat(from.folder, from.name).mode)
  if (there === undefined || !isFolder(there.mode) || (merge.keepsBoth && !isFromFolder()))
    return put(kernel, from, to, merge)
  const into = trailFrom(kernel, to.folder)
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
          // Whoever was writing here loses the folder; the draft would lie hidden in the other one for ever.
          if (isDraft(item)) kernel.unlink(folder, name)
          else put(kernel, { folder, name }, { folder: into.fd, name }, merge)
        },
        async below(folder, item, level) {
          const name = exactName(item)
          const there = isDraft(item) ? undefined : statAt(kernel, { folder: into.fd, name })
          if (there !== undefined && isFolder(there.mode)) return { name, above: level, count: 0 }
          level.count += 1
          if (isDraft(item)) await removeTree(kernel, folder, name)
          else put(kernel, { folder, name }, { folder: into.fd, name }, merge)
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

function put(kernel: Kernel, from: Spot, to: Spot, { keepsBoth = false }: Merge): void {
  if (keepsBoth) renameAside(kernel, from, to)
  else kernel.rename(from.folder, from.name, to.folder, to.name)
}

/** Under its name, or where that is taken under the next free one like it. */
export function renameAside(kernel: Kernel, from: Spot, to: Spot): void {
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

export const exactName = (item: Pick<FolderItem, 'name' | 'bytes'>): Name => item.bytes ?? item.name

/** Not there for anybody but us. */
export const isHidden = (item: Pick<FolderItem, 'name'>): boolean =>
  isDraft(item) || item.name.startsWith(leavingPrefix)

/** One that lives no longer than its request (see `withDraft`); those of uploads are kept over many. */
export const isTransient = (item: Pick<FolderItem, 'name'>): boolean =>
  isDraft(item) && /^[\da-f]{8}-[\da-f]{4}-4/.test(item.name.slice(draftPrefix.length))

export const isDraft = (item: Pick<FolderItem, 'name'>): boolean => item.name.startsWith(draftPrefix)
