import { useEffect, useState } from 'react'
import { focusContent } from '../../activity/tray.ts'
import { isRevisiting } from '../../navigation/location.ts'
import { perSession, sessionStore } from '../../state/session-scope.ts'
import { isFocusNowhere } from '../../ui/focus-return.ts'
import type { FileGridProps, Seen } from '../grid/FileGrid.tsx'

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

/** Does the next listing take the focus, however late it comes? */
const isFollowed = sessionStore(false)

/** Another folder is being opened: where the focus is in the grid, it will be in the next one, too. */
export function followFocus(): void {
  isFollowed.set(isFocusInGrid())
}

const isFocusInGrid = (): boolean => document.activeElement?.closest('#listing') != null

/** For what takes the place of a grid that is empty. The last row may have the focus still while this is rendered. */
export function useFocusOfGrid(): void {
  const [takesFocus] = useState(() => isFocusFollowing() || isFocusInGrid())
  useEffect(() => {
    if (takesFocus) focusContent()
  }, [takesFocus])
}

/** Answers true once, and only where the person has not put the focus anywhere else since. */
function isFocusFollowing(): boolean {
  const isFollowing = isFollowed.get() && (isFocusNowhere() || isFocusInGrid())
  isFollowed.set(false)
  return isFollowing
}

/** What a grid needs to be found again as it was left, with the keyboard in it: by "back", and step by step into folders. */
export function useGridMemory(key: string): Pick<FileGridProps, 'takesFocus' | 'seen' | 'isReturning' | 'onLeave'> {
  const [takesFocus] = useState(isFocusFollowing)
  const [memory] = useState(folderMemory)
  const [seen] = useState(() => memory.recall(key))
  const [isReturning] = useState(isRevisiting)
  return { takesFocus, seen, isReturning, onLeave: (left) => memory.remember(key, left) }
}
