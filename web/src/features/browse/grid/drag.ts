import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { pointerOutsideOfPreview } from '@atlaskit/pragmatic-drag-and-drop/element/pointer-outside-of-preview'
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview'
import { dropTargetForExternal } from '@atlaskit/pragmatic-drag-and-drop/external/adapter'
import { containsFiles } from '@atlaskit/pragmatic-drag-and-drop/external/file'
import { type RefObject, useEffect } from 'react'
import type { Entry } from '../../../api/resources.ts'
import { canDrop, draggedEntries, toDragData, toTargetData } from '../../../place/drag.ts'
import styles from './drag.module.css'

/** The folder that is shown, and what may be dragged there. */
export interface DragPlace {
  folder: string
  /** Rows can be picked up. */
  canMove: boolean
  /** Folders take files from outside. */
  canUpload: boolean
  /** What is dragged along with this row: everything chosen, or the row alone. Chooses the row if it was not. */
  take(entry: Entry): readonly Entry[]
  /** The word on the drag preview. */
  describe(entries: readonly Entry[]): string
}

export function useRowDrag(row: RefObject<HTMLElement | null>, entry: Entry, place: DragPlace | null): void {
  useEffect(() => {
    const element = row.current
    if (element === null || place === null) return
    const parts: (() => void)[] = []
    if (place.canMove) parts.push(makeDraggable(element, entry, place))
    if (entry.isDir) parts.push(makeDropTarget(element, entry.path, place))
    return combine(...parts)
  }, [row, entry, place])
}

function makeDraggable(element: HTMLElement, entry: Entry, place: DragPlace): () => void {
  return draggable({
    element,
    getInitialData: () => toDragData({ from: place.folder, entries: place.take(entry) }),
    onGenerateDragPreview: ({ nativeSetDragImage, source }) =>
      setCustomNativeDragPreview({
        nativeSetDragImage,
        getOffset: pointerOutsideOfPreview({ x: '12px', y: '8px' }),
        render({ container }) {
          const preview = document.createElement('div')
          preview.className = styles.preview ?? ''
          preview.textContent = place.describe(draggedEntries(source.data)?.entries ?? [entry])
          container.append(preview)
        },
      }),
  })
}

/** The whole panel: files from outside that are dropped beside every folder go into the one that is shown. */
export const makeUploadTarget = (element: HTMLElement, folder: string): (() => void) =>
  dropTargetForExternal({
    element,
    getData: () => toTargetData(folder),
    canDrop: ({ source }) => containsFiles({ source }),
  })

/** A folder or a breadcrumb, marked while something hovers over it that it would take. */
export function makeDropTarget(element: HTMLElement, folder: string, options: { canUpload: boolean }): () => void {
  const marks = {
    onDragEnter: () => element.setAttribute('data-drop-target', 'true'),
    onDragLeave: () => element.removeAttribute('data-drop-target'),
    onDrop: () => element.removeAttribute('data-drop-target'),
  }
  return combine(
    dropTargetForElements({
      element,
      getData: () => toTargetData(folder),
      canDrop({ source }) {
        const dragged = draggedEntries(source.data)
        return dragged !== null && canDrop(dragged, folder)
      },
      ...marks,
    }),
    dropTargetForExternal({
      element,
      getData: () => toTargetData(folder),
      canDrop: ({ source }) => options.canUpload && containsFiles({ source }),
      ...marks,
    }),
  )
}
