import { timeSlices } from '../../concurrency/time-slices.ts'
import { succeeds } from '../linux/errno.ts'
import type { FolderItem, Kernel, Name } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { draftPrefix, isHiddenSource, inFolder as pathBelow, type VirtualPath } from '../path.ts'
import { isStoreName } from '../store-names.ts'
import { tooDeep } from './depth.ts'
import { folderStackFrom } from './folder-stack.ts'
import type { NameAt } from './target.ts'

/** What is done with the folders of a tree, in the order in which they are met. `L` is what is known about one. */
export interface TreeWork<L> {
  /** It has just been opened. */
  entered?(folder: number, level: L): void
  /** Something in it that is no folder. */
  file(folder: number, item: FolderItem, level: L): void | Promise<void>
  /** A folder in it; nothing if there is no need to go there. */
  below(folder: number, item: FolderItem, level: L): L | undefined | Promise<L | undefined>
  /** It is gone, or no folder any more, since it was met. Without this the walk fails. */
  vanished?(level: L): void
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
  { folder, name }: NameAt,
  first: L,
  work: TreeWork<L>,
  mostLevels = Number.POSITIVE_INFINITY,
): Promise<void> {
  const stack = folderStackFrom(kernel, folder)
  const pause = timeSlices()
  const levels: { name: Name; known: L; folders: { name: Name; known: L }[] }[] = []

  async function enter(name: Name, known: L): Promise<void> {
    if (levels.length >= mostLevels) throw tooDeep()
    if (work.vanished === undefined || levels.length === 0) stack.enter(name)
    else if (!succeeds(['ENOENT', 'ENOTDIR', 'ELOOP'], () => stack.enter(name))) return work.vanished(known)
    const folders: { name: Name; known: L }[] = []
    levels.push({ name, known, folders })
    work.entered?.(stack.fd, known)
    for (let items = kernel.readFolder(stack.fd); items !== null; items = kernel.readFolder(stack.fd)) {
      for (const item of items) {
        if (isFolder(item.stat.mode)) {
          const below = await work.below(stack.fd, item, known)
          if (below !== undefined) folders.push({ name: exactName(item), known: below })
        } else {
          const doing = work.file(stack.fd, item, known)
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
      await work.done?.(stack.fd, level.known)
      levels.pop()
      stack.leave()
      const rest = pause()
      if (rest !== undefined) await rest
      if (work.left?.(stack.fd, level.name, level.known) === 'again') await enter(level.name, level.known)
    }
  } finally {
    await work.ended?.()
    stack.close()
  }
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

export const exactName = (item: Pick<FolderItem, 'name' | 'bytes'>): Name => item.bytes ?? item.name

/** Shown by no verb. */
export const isHidden = (item: Pick<FolderItem, 'name'>): boolean =>
  isDraft(item) || isHiddenSource(item.name) || isStoreName(item.name)

/** One that lives no longer than its request (see `withDraft`); those of uploads are kept over many. */
export const isTransient = (item: Pick<FolderItem, 'name'>): boolean =>
  isDraft(item) && /^[\da-f]{8}-[\da-f]{4}-4[^.]*$/.test(item.name.slice(draftPrefix.length))

/** One that a job fills: it can be made again from what it is a copy of. */
export const isStaged = (item: Pick<FolderItem, 'name'>): boolean =>
  isDraft(item) && item.name.includes('.', draftPrefix.length)

export const isDraft = (item: Pick<FolderItem, 'name'>): boolean => item.name.startsWith(draftPrefix)
