import type { Entry } from '../api/resources.ts'
import { sessionSignal } from '../state/session-scope.ts'

/**
 * What rows, breadcrumbs and the sidebar say when something is dragged, so that those who draw and those who move
 * or upload need not know each other. Travels as the data of pragmatic-drag-and-drop.
 */

/** The data of a dragged row: everything chosen, or the row alone. */
export interface DraggedEntries {
  /** Where they come from. */
  from: string
  entries: readonly Entry[]
}

const draggedKey = Symbol('dragged entries')
const targetKey = Symbol('target folder')

type Data = Record<string | symbol, unknown>

export const toDragData = (dragged: DraggedEntries): Data => ({ [draggedKey]: { dragged, session: sessionSignal() } })

/** What was picked up in a session that has ended since is dropped nowhere. */
export function draggedEntries(data: Data): DraggedEntries | null {
  const held = data[draggedKey] as { dragged: DraggedEntries; session: AbortSignal } | undefined
  return held === undefined || held.session.aborted ? null : held.dragged
}

/** The data of a drop target: the folder that takes what is dropped. */
export const toTargetData = (folder: string): Data => ({ [targetKey]: folder })

export const targetFolder = (data: Data): string | null => (data[targetKey] as string | undefined) ?? null

/** May these be dropped there? Not where they are already, and no folder into itself or below itself. */
export const canDrop = ({ from, entries }: DraggedEntries, folder: string): boolean =>
  folder !== from && !entries.some(({ isDir, path }) => isDir && (folder === path || folder.startsWith(`${path}/`)))
