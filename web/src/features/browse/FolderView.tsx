import type { FolderResource } from '@filestead/contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { can } from '../../api/session.ts'
import { instanceName } from '../../api/start-settings.ts'
import { enterFolder, takeArrived } from '../../place/place.ts'
import { useMedia } from '../../ui/media.ts'
import { Panel } from '../../ui/Panel.tsx'
import { useAnnouncements } from './announcements.ts'
import { EmptyFolder } from './EmptyFolder.tsx'
import { FileToolbar } from './FileToolbar.tsx'
import { FolderGrid } from './FolderGrid.tsx'
import { FolderHeader } from './FolderHeader.tsx'
import { useFolderKeys } from './folder-keys.ts'
import { makeDropTarget } from './grid/drag.ts'
import { foldersFirst, shownSorting } from './grid/sorting.ts'
import { PhoneBar } from './PhoneBar.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { Skeleton } from './Skeleton.tsx'
import { StatusBar } from './StatusBar.tsx'
import styles from './Toolbars.module.css'

/** `folder` is undefined until the server has answered. */
export function FolderView({ path, folder }: { path: string; folder: FolderResource | undefined }) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const panel = useRef<HTMLDivElement>(null)
  const [reveal, setReveal] = useState<{ name: string } | null>(null)
  const entries = useMemo(() => foldersFirst(folder?.items ?? []), [folder])

  useEffect(() => {
    if (folder === undefined) return
    enterFolder(path, entries)
    const [name] = takeArrived()
    if (name !== undefined) setReveal({ name })
  }, [path, folder, entries])

  useEffect(
    () => (panel.current === null ? undefined : makeDropTarget(panel.current, path, { canUpload: can('create') })),
    [path],
  )
  useAnnouncements(folder === undefined, entries.length)
  useFolderKeys(path)

  return (
    <Panel
      ref={panel}
      view="listing"
      isBusy={folder === undefined}
      heading={instanceName}
      header={
        <>
          <FolderHeader path={path} />
          <div className={styles.box}>
            {!isNarrow && <FileToolbar />}
            <SelectionBar />
          </div>
        </>
      }
      footer={
        <>
          <StatusBar />
          {isNarrow && <PhoneBar />}
        </>
      }
    >
      {folder === undefined && <Skeleton />}
      {folder !== undefined && entries.length === 0 && <EmptyFolder />}
      {folder !== undefined && entries.length > 0 && (
        <FolderGrid
          key={path}
          path={path}
          label={t('files.grid')}
          entries={entries}
          sorting={shownSorting(folder.sorting)}
          reveal={reveal}
        />
      )}
    </Panel>
  )
}
