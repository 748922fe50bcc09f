import type { Entry } from '../server/queries/resources.ts'
import { sessionSignal } from '../state/session-scope.ts'

/**
 * The data of drags and drop targets, as pragmatic-drag-and-drop carries it: rows and breadcrumbs do not know the
 * operations and uploads that a drop starts.
 */

/** The data of a dragged row: the selection, or the row alone. */
export interface DraggedEntries {
  /** The folder that holds them. */
  from: string
  entries: readonly Entry[]
}

const draggedKey = Symbol('dragged entries')
const targetKey = Symbol('target folder')

type Data = Record<string | symbol, unknown>

export const toDragData = (dragged: DraggedEntries): Data => ({ [draggedKey]: { dragged, session: sessionSignal() } })

/** Null for a drag that began in a session that has ended since. */
export function draggedEntries(data: Data): DraggedEntries | null {
  const held = data[draggedKey] as { dragged: DraggedEntries; session: AbortSignal } | undefined
  return held === undefined || held.session.aborted ? null : held.dragged
}

/** The data of a drop target: the folder that receives the drop. */
export const toTargetData = (folder: string): Data => ({ [targetKey]: folder })

export const targetFolder = (data: Data): string | null => (data[targetKey] as string | undefined) ?? null

/** Entries are not dropped where they are already, and no folder into itself or below itself. */
export const canDrop = ({ from, entries }: DraggedEntries, folder: string): boolean =>
  folder !== from && !entries.some(({ isDir, path }) => isDir && (folder === path || folder.startsWith(`${path}/`)))
