import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { dropTargetForExternal, monitorForExternal } from '@atlaskit/pragmatic-drag-and-drop/external/adapter'
import { containsFiles } from '@atlaskit/pragmatic-drag-and-drop/external/file'
import { preventUnhandled } from '@atlaskit/pragmatic-drag-and-drop/prevent-unhandled'
import { nameOf } from '@filestead/contract'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { isAsking } from '../../dialogs/ask.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { currentLocation } from '../../navigation/location.ts'
import { Scene } from '../../ui/Icon.tsx'
import { targetFolder, toTargetData } from '../../workspace/drag.ts'
import styles from './DropZone.module.css'
import { folderInView, takeFiles } from './entry-points.ts'
import { fromTransfer } from './picked-files.ts'

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
  return createPortal(<Overlay folder={folder} main={main} />, main.parentElement)
}

/** What a link shows is only to look at. */
const isVisiting = (): boolean => currentLocation().pathname.startsWith('/share/')

const innermost = (targets: readonly { data: Record<string | symbol, unknown> }[]): string | null =>
  targets.map(({ data }) => targetFolder(data)).find((found) => found !== null) ?? null

/** Lies over the main area only, so that breadcrumbs and sidebar can still be aimed at. */
function Overlay({ folder, main }: { folder: string; main: HTMLElement }) {
  const { t } = useTranslation()
  const name = folder === '/' ? t('frame.myFiles') : nameOf(folder)

  useEffect(() => {
    document.documentElement.dataset.filesOver = 'true'
    return () => void delete document.documentElement.dataset.filesOver
  }, [])

  return (
    <section
      aria-label={t('upload.dropHere')}
      className={styles.zone}
      // A viewer hides whatever lies beside it, and lies above it.
      style={{ insetBlockStart: main.offsetTop + 8, blockSize: main.offsetHeight - 16, visibility: 'visible' }}
    >
      <div className={styles.card}>
        <span className={styles.scene}>
          <Scene name="empty" />
        </span>
        <div>
          <h2 className={styles.title}>{t('upload.dropHere')}</h2>
          <p className={styles.text}>{t('upload.goInto', { folder: name })}</p>
        </div>
      </div>
    </section>
  )
}
