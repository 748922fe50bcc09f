import { Failure } from '../../failure.ts'
import { type Kernel, type Name, O, type Stat } from '../linux/kernel.ts'
import { isSame } from './target.ts'

/** The open folders from the top of a tree down to one below it. Those far up are closed and opened again on the way back. */
export interface FolderStack {
  /** The lowest folder. */
  readonly fd: number
  enter(name: Name): void
  leave(): void
  close(): void
}

/** So many folders stay open; of those further up only the identity is kept. */
const mostOpen = 64

interface Level {
  fd: number | undefined
  stat?: Stat
}

/** Begins in an open folder, which stays open. */
export function folderStackFrom(kernel: Kernel, start: number): FolderStack {
  const levels: Level[] = []
  let fd = start

  /** By '..', and only if that is still the folder we came from: the open folder may have been moved. */
  function openAgain(level: Level): number {
    const again = kernel.open(fd, '..', O.RDONLY | O.DIRECTORY)
    if (isSame(kernel.statOpen(again), level.stat)) return again
    kernel.close(again)
    throw new Failure('changed-meanwhile', 'A folder was moved meanwhile')
  }

  function closeOldest(): void {
    const oldest = levels.at(-mostOpen)
    if (oldest?.fd === undefined) return
    oldest.stat = kernel.statOpen(oldest.fd)
    kernel.close(oldest.fd)
    oldest.fd = undefined
  }

  return {
    get fd() {
      return fd
    },
    enter(name) {
      fd = kernel.open(fd, name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
      levels.push({ fd })
      closeOldest()
    },
    leave() {
      const above = levels.at(-2)
      const next = above === undefined ? start : (above.fd ?? openAgain(above))
      levels.pop()
      kernel.close(fd)
      if (above !== undefined) above.fd = next
      fd = next
    },
    close() {
      for (const level of levels) if (level.fd !== undefined) kernel.close(level.fd)
      levels.length = 0
      fd = start
    },
  }
}
