import { dirname } from 'node:path'
import { type Mount, readMounts } from './mount-table.ts'

/** Which file systems are mounted where. */
export interface Mounts {
  /** The mount point of the file system that a full name lies on. */
  of(name: string): string
  /** Is another file system mounted on a name in this folder? To list the folder asks that one as well. */
  areIn(folder: string): boolean
  /** Something has been mounted, or seems to have been: the table is read again now. */
  lookAgain(): void
}

/** The table is read again after a second. Timers ask it, too, so it never throws: without a descriptor it stays as it was. */
export function mountTable(read: () => readonly Mount[] | undefined = readMounts): Mounts {
  let points: string[] = []
  let parents = new Set<string>()
  let readAt = Number.NEGATIVE_INFINITY
  const lookAgain = () => {
    const now = performance.now()
    if (now - readAt <= 1000) return
    readAt = now
    try {
      const mounted = read() ?? []
      points = mounted.map(({ point }) => point).sort((a, b) => b.length - a.length)
      parents = new Set(points.map((point) => dirname(point)))
    } catch {}
  }
  return {
    of(name) {
      lookAgain()
      // The longest one that the name lies beneath.
      return points.find((point) => name === point || name.startsWith(`${point}/`)) ?? '/'
    },
    lookAgain() {
      readAt = Number.NEGATIVE_INFINITY
    },
    areIn(folder) {
      lookAgain()
      return parents.has(folder.replace(/\/+$/, '') || '/')
    },
  }
}
