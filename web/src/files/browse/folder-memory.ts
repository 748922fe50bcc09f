import { perSession, sessionStore } from '../../state/session-scope.ts'
import type { Seen } from '../grid/FileGrid.tsx'

const limit = 100

/**
 * Scroll position and active row of the folders visited last. A listing takes it when it opens: by the time it is left
 * the session may be over.
 */
export const folderMemory = perSession(() => {
  const seen = new Map<string, Seen>()
  return {
    recall: (folder: string): Seen | null => seen.get(folder) ?? null,

    remember(folder: string, state: Seen): void {
      seen.delete(folder)
      seen.set(folder, state)
      const [oldest] = seen.keys()
      if (seen.size > limit && oldest !== undefined) seen.delete(oldest)
    },
  }
})

/** Until when the next listing takes the focus. */
const followedUntil = sessionStore(0)
const followTime = 10_000

/** Another folder is being opened: where the focus is in the grid, it will be in the next one, too. */
export function followFocus(): void {
  const isInGrid = document.activeElement?.closest('#listing') != null
  followedUntil.set(isInGrid ? performance.now() + followTime : 0)
}

/** Answers true once. */
export function isFocusFollowing(): boolean {
  const isFollowing = performance.now() < followedUntil.get()
  followedUntil.set(0)
  return isFollowing
}
