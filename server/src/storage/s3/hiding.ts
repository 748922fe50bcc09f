import { LruMap } from '../../lru-map.ts'
import { foldersAbove, type VirtualPath } from '../path.ts'
import type { Names } from './names.ts'
import type { Objects } from './objects.ts'

/** In milliseconds: so long nothing is asked again of a folder that no file hides. */
const sureFor = 60_000
const mostRemembered = 10_000

interface HidingFiles {
  /** Is one of the folders that a path names a file with bytes? Other programs may make such keys. */
  isBelowFile(path: VirtualPath): Promise<boolean>
}

/** Files with bytes hide what lies below their names: in listings, and where a path names it. */
export function hidingFiles(objects: Objects, names: Names): HidingFiles {
  /** When it was seen last that no file has the name of a folder, by its key. */
  const seen = new LruMap<string, number>(mostRemembered)

  async function isFile(folder: VirtualPath): Promise<boolean> {
    const key = names.keyOf(folder)
    const now = performance.now()
    if (now - (seen.get(key) ?? Number.NEGATIVE_INFINITY) < sureFor) return false
    const head = await objects.head(key)
    if (head !== undefined && head.size > 0) return true
    seen.set(key, now)
    return false
  }

  return {
    isBelowFile: async (path) => (await Promise.all(foldersAbove(path).map(isFile))).includes(true),
  }
}
