import { perSession } from '../../state/session-scope.ts'
import type { Seen } from './grid/FileGrid.tsx'

const most = 100

/**
 * Where one was in folders that were left, so that one comes back to the same rows. A listing takes it when it opens:
 * by the time it is left the session may be over.
 */
export const folderMemory = perSession(() => {
  const seen = new Map<string, Seen>()
  return {
    recall: (folder: string): Seen | null => seen.get(folder) ?? null,

    remember(folder: string, place: Seen): void {
      seen.delete(folder)
      seen.set(folder, place)
      const [oldest] = seen.keys()
      if (seen.size > most && oldest !== undefined) seen.delete(oldest)
    },
  }
})
