import type { NamesInOrder } from '../folder-rows.ts'
import type { VirtualPath } from '../path.ts'
import type { QuietFolders, Watched } from './quiet-folders.ts'
import { watchNames } from './recent-folders.ts'

/** The names of large folders, the same object while nothing happens in a folder: what was made of it is still good. */
export interface UnchangedNames {
  /** `place` is the path of the folder below the root. */
  read(key: string, place: VirtualPath, names: ReadNames): Promise<NamesInOrder | undefined>
}

type ReadNames = () => Promise<NamesInOrder | undefined>

interface Unchanged {
  readonly readAt: number
  readonly watched: Watched<NamesInOrder>
}

/** In milliseconds. The kernel does not tell what a program writes to a file through memory. */
const keptFor = 60_000
/** In bytes, all folders together: what is made of names takes about ten times as much. */
const mostBytes = 2 << 20

export function unchangedNames(quiet: QuietFolders, now = () => performance.now()): UnchangedNames {
  const all = new Map<string, Unchanged>()

  function forget(key: string): void {
    all.get(key)?.watched.end()
    all.delete(key)
  }

  function remember(key: string, unchanged: Unchanged): void {
    forget(key)
    all.set(key, unchanged)
    const sizes = [...all].map(([at, { watched }]) => [at, watched.value()?.bytes.length] as const)
    let total = 0
    // The newest first.
    for (const [at, size] of sizes.reverse()) {
      total += size ?? 0
      if (size === undefined || total > mostBytes) forget(at)
    }
  }

  /** Its path may lead to another folder by now, or files in it be the server's own, which is told of no folder. */
  async function known(key: string, place: VirtualPath): Promise<NamesInOrder | undefined> {
    const unchanged = all.get(key)
    if (unchanged === undefined || now() - unchanged.readAt >= keptFor) return undefined
    const { watched } = unchanged
    if (watched.value() === undefined) return undefined
    const id = await watched.add(place, 'contents')
    const names = watched.value()
    return names?.folder === id ? names : undefined
  }

  async function readAnew(key: string, place: VirtualPath, names: ReadNames): Promise<NamesInOrder | undefined> {
    const watched = quiet.begin<NamesInOrder>()
    if (watched === undefined) return names()
    const readAt = now()
    let isKept = false
    try {
      const id = await watched.add(place, 'contents')
      const found = await names()
      isKept = id !== undefined && found?.folder === id && (await isQuietBelow(watched, place, found))
      if (isKept && found !== undefined) {
        watched.keep(found)
        remember(key, { readAt, watched })
      }
      return found
    } finally {
      if (!isKept) watched.end()
    }
  }

  const isQuietBelow = async (watched: Watched<NamesInOrder>, place: VirtualPath, { bytes, folders }: NamesInOrder) =>
    folders !== undefined && bytes.length <= mostBytes && watchNames(watched, place, folders)

  return {
    read: async (key, place, names) => (await known(key, place)) ?? readAnew(key, place, names),
  }
}
