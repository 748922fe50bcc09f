import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { dropTargetForExternal, monitorForExternal } from '@atlaskit/pragmatic-drag-and-drop/external/adapter'
import { containsFiles } from '@atlaskit/pragmatic-drag-and-drop/external/file'
import { preventUnhandled } from '@atlaskit/pragmatic-drag-and-drop/prevent-unhandled'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { isAsking } from '../../dialogs/ask.ts'
import { Apart } from '../../errors/Apart.tsx'
import { currentLocation } from '../../navigation/location.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { targetFolder, toTargetData } from '../../workspace/drag.ts'
import { folderInView, takeFiles } from './entry-points.ts'
import { fromTransfer } from './picked-files.ts'

/** Loaded with the first drag. Without it files can be dropped all the same. */
const DropOverlay = lazyPart(async () => (await import('./DropOverlay.tsx')).DropOverlay)

/**
 * The whole page takes files that are dragged onto it. They go to the folder in view, or to the folder whose row or
 * breadcrumb is under the pointer: the innermost target that names one decides.
 */
export function DropZone() {
  const [folder, setFolder] = useState<string | null>(null)

  useEffect(
    () =>
      combine(
        dropTargetForExternal({
          element: document.body,
          canDrop: ({ source }) => containsFiles({ source }) && !isAsking() && !isVisiting(),
          getData: () => toTargetData(folderInView()),
        }),
        monitorForExternal({
          canMonitor: containsFiles,
          // Dropped where nothing takes it, a file would replace the page.
          onDragStart: () => preventUnhandled.start(),
          onDropTargetChange: ({ location }) => setFolder(innermost(location.current.dropTargets)),
          onDrop({ location, source }) {
            preventUnhandled.stop()
            setFolder(null)
            const into = innermost(location.current.dropTargets)
            if (into !== null) void takeFiles(fromTransfer(source.items), into)
          },
        }),
      ),
    [],
  )

  const main = document.getElementById('content')
  if (folder === null || main?.parentElement == null) return null
  const overlay = (
    <Apart>
      <DropOverlay folder={folder} main={main} />
    </Apart>
  )
  return createPortal(overlay, main.parentElement)
}

/** What a link shows is only to look at. */
const isVisiting = (): boolean => currentLocation().pathname.startsWith('/share/')

const innermost = (targets: readonly { data: Record<string | symbol, unknown> }[]): string | null =>
  targets.map(({ data }) => targetFolder(data)).find((found) => found !== null) ?? null
