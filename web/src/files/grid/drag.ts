import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import {
  draggable,
  dropTargetForElements,
  type ElementDropTargetGetFeedbackArgs,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { pointerOutsideOfPreview } from '@atlaskit/pragmatic-drag-and-drop/element/pointer-outside-of-preview'
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview'
import { dropTargetForExternal } from '@atlaskit/pragmatic-drag-and-drop/external/adapter'
import { containsFiles } from '@atlaskit/pragmatic-drag-and-drop/external/file'
import { mayIn, mayTransfer } from '../../server/queries/access.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { canDrop, draggedEntries, toDragData, toTargetData } from '../../workspace/drag.ts'
import styles from './drag.module.css'
import type { RowDrag } from './Row.tsx'
import { isBeyondName } from './rubber-band.ts'

/** The folder that is shown, and what can be dragged in it. */
interface DragOptions {
  folder: string
  /** Rows can be dragged. */
  canMove: boolean
  /** Folders take files from outside. */
  canUpload: boolean
  /** The entries that are dragged with this row: the selection, or the row alone, which is selected then. */
  entriesDraggedWith(entry: Entry): readonly Entry[]
  /** The text of the drag preview. */
  describe(entries: readonly Entry[]): string
}

/** Handed to a grid, which does not import it: the page of a link has the grid and no dragging. */
export const rowDrag = (options: DragOptions): RowDrag => ({
  canMove: options.canMove,
  attach(element, entry) {
    const parts: (() => void)[] = []
    if (options.canMove) parts.push(makeDraggable(element, entry, options))
    if (entry.isDir) parts.push(makeDropTarget(element, entry.path, options))
    return combine(...parts)
  },
})

function makeDraggable(element: HTMLElement, entry: Entry, options: DragOptions): () => void {
  return draggable({
    element,
    // Elsewhere on the row a rubber band begins.
    canDrag: ({ input }) => element.ariaSelected === 'true' || !isBeyondName(element, input.clientX),
    getInitialData: () => toDragData({ from: options.folder, entries: options.entriesDraggedWith(entry) }),
    onGenerateDragPreview: ({ nativeSetDragImage, source }) =>
      setCustomNativeDragPreview({
        nativeSetDragImage,
        getOffset: pointerOutsideOfPreview({ x: '12px', y: '8px' }),
        render({ container }) {
          const preview = document.createElement('div')
          preview.className = styles.preview ?? ''
          preview.textContent = options.describe(draggedEntries(source.data)?.entries ?? [entry])
          container.append(preview)
        },
      }),
  })
}

/** The whole panel: files from outside that are dropped on no folder go into the one that is shown. */
export const makeUploadTarget = (element: HTMLElement, folder: string): (() => void) =>
  dropTargetForExternal({
    element,
    getData: () => toTargetData(folder),
    canDrop: ({ source }) => containsFiles({ source }),
  })

/** How long something is held over a folder before it opens, in milliseconds. */
const springTime = 700

interface DropTargetOptions {
  canUpload: boolean
  /** Called when something is held over it for a while, also over the folder that what is dragged lies in. */
  onSpring?: () => void
}

/** A folder or a breadcrumb, marked while something hovers over it that it would take. */
export function makeDropTarget(element: HTMLElement, folder: string, options: DropTargetOptions): () => void {
  const { onSpring } = options
  let timer: ReturnType<typeof setTimeout> | undefined
  const leave = () => {
    clearTimeout(timer)
    element.removeAttribute('data-drop-target')
  }
  const enter = (isTaken: boolean) => {
    if (isTaken) element.setAttribute('data-drop-target', 'true')
    if (onSpring !== undefined) timer = setTimeout(onSpring, springTime)
  }
  const takes = ({ source, input }: Pick<ElementDropTargetGetFeedbackArgs, 'source' | 'input'>) => {
    const dragged = draggedEntries(source.data)
    const action = input.ctrlKey || input.metaKey ? 'copy' : 'rename'
    return dragged !== null && canDrop(dragged, folder) && mayTransfer(action, dragged.entries, folder)
  }
  return combine(
    dropTargetForElements({
      element,
      getData: () => toTargetData(folder),
      canDrop: (over) => takes(over) || (onSpring !== undefined && draggedEntries(over.source.data)?.from === folder),
      onDragEnter: ({ source, location }) => enter(takes({ source, input: location.current.input })),
      onDragLeave: leave,
      onDrop: leave,
    }),
    dropTargetForExternal({
      element,
      getData: () => toTargetData(folder),
      canDrop: ({ source }) => options.canUpload && containsFiles({ source }) && mayIn(folder),
      onDragEnter: () => enter(true),
      onDragLeave: leave,
      onDrop: leave,
    }),
    leave,
  )
}
