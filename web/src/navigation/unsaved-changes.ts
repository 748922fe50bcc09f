import { useEffect, useEffectEvent } from 'react'
import { askWith } from '../dialogs/ask.ts'
import { showFailure } from '../dialogs/show-failure.ts'
import { guardLeaving } from './location.ts'

interface UnsavedChanges {
  /** Answers whether the changes are saved now. */
  save: () => Promise<boolean>
  /** The changes are given up. */
  discard?: () => void
}

/** All unsaved changes of the page: the editor's, or those of several forms. One question is asked about all of them. */
const holders = new Set<UnsavedChanges>()
let removeGuard = () => {}

/** Asks before the page is left while there are changes; the browser asks before the tab is closed. */
export function useUnsavedChanges(isDirty: boolean, changes: UnsavedChanges): void {
  const save = useEffectEvent(changes.save)
  const discard = useEffectEvent(() => changes.discard?.())

  useEffect(() => {
    if (!isDirty) return
    const holder = { save: () => save(), discard: () => discard() }
    if (holders.size === 0) removeGuard = guardLeaving(askOnce)
    holders.add(holder)
    return () => {
      holders.delete(holder)
      if (holders.size === 0) removeGuard()
    }
  }, [isDirty])
}

async function askOnce(): Promise<boolean> {
  const answer = await askAboutChanges()
  if (answer === null) return false
  for (const holder of [...holders]) {
    if (answer === 'discard') holder.discard?.()
    else if (!(await holder.save())) return false
  }
  return true
}

/** `null` means: stay. So does a dialog that could not be loaded. */
const askAboutChanges = (): Promise<'save' | 'discard' | null> =>
  askWith(async () => (await import('../dialogs/UnsavedChangesDialog.tsx')).UnsavedChangesDialog, {}).catch((error) => {
    showFailure(error)
    return null
  })
