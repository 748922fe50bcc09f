import { lstatSync, realpathSync } from 'node:fs'
import { breathe } from '../../concurrency/pauses.ts'
import type { FolderItem, Kernel } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { draftPrefix } from '../path.ts'
import { discard, isAtWork, placeOf } from './drafts.ts'
import { openFolder, splitPlace } from './full-names.ts'
import { isDraft } from './trees.ts'

/** Drafts that no table knows: a power cut may take away the row of a draft that the disk has kept. */
export interface Orphans {
  /** Whoever reads a folder sees the drafts in it for nothing, and tells of them here. */
  sawAmong(folder: number, items: readonly Pick<FolderItem, 'name'>[]): void
  /** Looks into a folder that nobody reads. */
  look(folder: string): Promise<void>
  /** Waits until all that was seen is dealt with. */
  settled(): Promise<void>
}

interface OrphanOptions {
  kernel: Kernel
  /** Does unfinished work exist that this draft is part of? */
  isKnown(place: string): Promise<boolean>
  unixSeconds(): number
  /** Nothing younger, in seconds, is an orphan: another server may be at work here with a database of its own. */
  age: number
}

const mostWaiting = 1000

export function orphansOf({ kernel, isKnown, unixSeconds, age }: OrphanOptions): Orphans {
  const waiting = new Set<string>()
  let clearing: Promise<void> | undefined

  const isOld = (folder: number, name: string): boolean => {
    const there = kernel.look(folder, name)
    if (there === undefined || unixSeconds() - there.seconds <= age) return false
    // A folder that is being removed keeps its old time, but was renamed just now.
    return !isFolder(there.mode) || unixSeconds() - lstatSync(`/proc/self/fd/${folder}/${name}`).ctimeMs / 1000 > age
  }

  /** Everything is asked again: what was seen may have become something else meanwhile. */
  async function clear(place: string): Promise<void> {
    const { folder: holder, name } = splitPlace(place)
    if (!name.startsWith(draftPrefix) || (await isKnown(place))) return
    const folder = openFolder(kernel, holder)
    try {
      if (isOld(folder, name) && !isAtWork(name)) await discard(kernel, folder, name)
    } finally {
      kernel.close(folder)
    }
  }

  async function clearAll(): Promise<void> {
    for (const place of waiting) {
      await breathe()
      // What cannot be reached or asked now is seen again.
      await clear(place).catch(() => {})
      waiting.delete(place)
    }
  }

  function saw(folder: number, name: string): void {
    if (waiting.size >= mostWaiting || isAtWork(name)) return
    try {
      if (!isOld(folder, name)) return
      waiting.add(`${placeOf(folder)}/${name}`)
    } catch {
      // Whoever reads the folder wants to know of other things.
      return
    }
    clearing ??= clearAll().finally(() => {
      clearing = undefined
    })
  }

  const self: Orphans = {
    sawAmong(folder, items) {
      for (const item of items) if (isDraft(item)) saw(folder, item.name)
    },
    async look(place) {
      const folder = openFolder(kernel, realpathSync(place))
      try {
        for (let items = kernel.readNames(folder); items !== null; items = kernel.readNames(folder)) {
          self.sawAmong(folder, items)
          await breathe()
        }
      } finally {
        kernel.close(folder)
      }
    },
    async settled() {
      while (clearing !== undefined) await clearing
    },
  }
  return self
}
