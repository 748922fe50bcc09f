import { lstatSync, realpathSync } from 'node:fs'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import type { FolderItem, Kernel } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { draftPrefix, isHiddenSource } from '../path.ts'
import { discard, isAtWork, pathOfDescriptor } from './drafts.ts'
import { openFolder, splitPath } from './full-paths.ts'
import { longestMove } from './moving-sources.ts'
import { isDraft } from './trees.ts'

/**
 * A draft that no table knows: a power cut may take away the row of a draft that the disk has kept. Or what a dead process
 * was moving to another disk, hidden in a folder that was renamed before it could come back. Only old ones count, because
 * another server may be at work here with a database of its own.
 */
export interface OrphanAge {
  /** Unix seconds. */
  readonly now: number
  /** In seconds. */
  readonly least: number
}

/** The full names of those among the items of an open folder that is being read anyway. */
export function orphansAmong(
  kernel: Kernel,
  folder: number,
  items: readonly Pick<FolderItem, 'name'>[],
  age: OrphanAge,
): string[] {
  const names = items.filter((item) => isDraft(item) || isHiddenSource(item.name)).map(({ name }) => name)
  if (names.length === 0) return []
  try {
    return names
      .filter((name) => !isAtWork(name) && isOld(kernel, folder, name, age))
      .map((name) => `${pathOfDescriptor(folder)}/${name}`)
  } catch {
    // The folder is read for its other entries.
    return []
  }
}

/** The same for a folder that no request reads. */
export async function orphansIn(kernel: Kernel, place: string, age: OrphanAge): Promise<string[]> {
  const folder = openFolder(kernel, realpathSync(place))
  const found: string[] = []
  try {
    for (let items = kernel.readNames(folder); items !== null; items = kernel.readNames(folder)) {
      found.push(...orphansAmong(kernel, folder, items, age))
      await yieldToLoop()
    }
    return found
  } finally {
    kernel.close(folder)
  }
}

/** Removes a draft that no table knows. It is looked at again: it may have become something else meanwhile. */
export async function discardOrphan(kernel: Kernel, place: string, age: OrphanAge): Promise<void> {
  const { folder: holder, name } = splitPath(place)
  if (!name.startsWith(draftPrefix)) return
  const folder = openFolder(kernel, holder)
  try {
    if (isOld(kernel, folder, name, age) && !isAtWork(name)) await discard(kernel, folder, name)
  } finally {
    kernel.close(folder)
  }
}

function isOld(kernel: Kernel, folder: number, name: string, { now, least }: OrphanAge): boolean {
  const there = kernel.look(folder, name)
  if (there === undefined) return false
  // It has the times of what it was, and got its name when it was hidden.
  if (isHiddenSource(name)) return now * 1000 - there.changed > Math.max(least * 1000, longestMove)
  if (now - there.seconds <= least) return false
  // A folder that is being removed keeps its old time, but was renamed just now.
  return !isFolder(there.mode) || now - lstatSync(`/proc/self/fd/${folder}/${name}`).ctimeMs / 1000 > least
}
