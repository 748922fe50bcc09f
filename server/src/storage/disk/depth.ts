import { segmentsOf } from '@filestead/contract/paths'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { succeeds } from '../linux/errno.ts'
import type { Kernel, NamedItem } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import type { VirtualPath } from '../path.ts'
import { folderStackFrom } from './folder-stack.ts'
import type { NameAt } from './target.ts'

/** So many folders may lie in each other: work for every folder of a path must stay small. */
export const mostLevels = 500
/** Bytes in the path of a folder, with room for one more name: what has a longer one could not be asked for. */
const longestFolder = 4096 - 256

export const tooDeep = () => new Failure('invalid', `folders cannot lie in each other more than ${mostLevels} deep`)

export const depthOf = (path: VirtualPath): number => segmentsOf(path).length

export function requireNotTooDeep(path: VirtualPath): void {
  // Each level takes two characters at least, so the usual path need not be taken apart.
  if (path.length > 2 * mostLevels && depthOf(path) > mostLevels) throw tooDeep()
}

/** Would what lies below a folder still be within the limits after a move that takes it further down? */
export async function requireRoomBelow(kernel: Kernel, from: NameAt, to: VirtualPath): Promise<void> {
  const stack = folderStackFrom(kernel, from.folder)
  const pause = timeSlices()
  const waiting: { name: string; bytes: NamedItem['bytes']; size: number; level: number }[] = []
  let level = depthOf(to)
  try {
    waiting.push({ name: String(from.name), bytes: undefined, size: Buffer.byteLength(to), level })
    level -= 1
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (; level >= next.level; level -= 1) stack.leave()
      if (next.level > mostLevels || next.size > longestFolder) throw tooDeep()
      // What we may not look into, or is gone, is moved along as it is.
      const { name, bytes } = next
      if (!succeeds(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP'], () => stack.enter(bytes ?? name))) continue
      level = next.level
      const rest = pause()
      if (rest !== undefined) await rest
      // Most file systems count the folders in a folder; where there are none, what else it holds need not be read.
      if (kernel.statOpen(stack.fd).links === 2) continue
      for (let items = kernel.readNames(stack.fd); items !== null; items = kernel.readNames(stack.fd)) {
        for (const { name, bytes, mode } of items)
          if (isFolder(mode))
            waiting.push({
              name,
              bytes,
              size: next.size + 1 + (bytes?.length ?? Buffer.byteLength(name)),
              level: level + 1,
            })
        const rest = pause()
        if (rest !== undefined) await rest
      }
    }
  } finally {
    stack.close()
  }
}
