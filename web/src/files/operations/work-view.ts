import { type Activity, addActivity } from '../../activity/activities.ts'
import { WorkDialog } from '../../activity/WorkDialog.tsx'
import { ask } from '../../dialogs/ask.ts'
import { showFailure } from '../../dialogs/show-failure.ts'

/** Work that is shorter is not shown, in milliseconds. */
export const shownAfter = 500

interface Work {
  readonly finished: Promise<unknown>
  isOver(): boolean
  /** Is it in the tray without this page? */
  isListed?(): boolean
}

/** The dialog of work under way, and its row in the tray once the dialog was folded up. */
export function workView(activity: Activity, { finished, isOver, isListed = () => false }: Work) {
  let isOpen = false
  let wasFolded = false
  let takeOut: (() => void) | null = null

  async function show(): Promise<void> {
    if (isOpen) return
    isOpen = true
    await ask(WorkDialog, { activity, finished: finished.then(() => {}) })
    isOpen = false
    if (isOver()) return
    wasFolded = true
    list()
  }

  /** Once it is folded up, it is in the tray: by this row, or by that of the server. */
  function list(): void {
    if (!wasFolded || isOver()) return
    if (!isListed()) takeOut ??= addActivity({ ...activity, show: openDialog })
    else {
      takeOut?.()
      takeOut = null
    }
  }

  const openDialog = (): void => void show().catch(showFailure)

  return {
    openDialog,
    /** What the server lists may have changed. */
    list,
    /** Tells whether it was folded up. */
    close(): boolean {
      takeOut?.()
      return wasFolded
    },
  }
}
