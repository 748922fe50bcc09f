import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { useEffect } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { mayTransfer } from '../../server/queries/access.ts'
import { canDrop, draggedEntries, targetFolder } from '../../workspace/drag.ts'
import { transferEntries } from './transfer.ts'

/** Moves what is dropped on a folder to it, or copies it while Ctrl or Command is held. Draws nothing. */
export function DropListener() {
  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => draggedEntries(source.data) !== null,
        onDrop({ source, location: { current } }) {
          const dragged = draggedEntries(source.data)
          const to = targetFolder(current.dropTargets[0]?.data ?? {})
          const action = current.input.ctrlKey || current.input.metaKey ? 'copy' : 'rename'
          if (dragged === null || to === null || !canDrop(dragged, to)) return
          if (mayTransfer(action, dragged.entries, to))
            void transferEntries({ action, entries: dragged.entries, from: dragged.from, to }).catch(showFailure)
        },
      }),
    [],
  )
  return null
}
