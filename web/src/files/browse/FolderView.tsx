import type { FolderResource } from '@filestead/contract'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { currentLocation } from '../../navigation/location.ts'
import { can } from '../../server/session.ts'
import { instanceName } from '../../server/start-settings.ts'
import { announce } from '../../ui/live-status.ts'
import { useMedia } from '../../ui/media.ts'
import { Panel } from '../../ui/Panel.tsx'
import { enterFolder, takeRevealed, useWorkspace, workspace } from '../../workspace/workspace.ts'
import { makeUploadTarget } from '../grid/drag.ts'
import type { Reveal } from '../grid/FileGrid.tsx'
import { foldersFirst, shownSorting } from '../grid/sorting.ts'
import { EmptyFolder } from './EmptyFolder.tsx'
import { FolderGrid } from './FolderGrid.tsx'
import { FolderHeader } from './FolderHeader.tsx'
import { FolderMenu, type OpenMenu } from './FolderMenu.tsx'
import { FolderTools } from './FolderTools.tsx'
import { useFolderKeys } from './folder-keys.ts'
import { PhoneBar } from './PhoneBar.tsx'
import { Skeleton } from './Skeleton.tsx'
import { StatusBar } from './StatusBar.tsx'

/** `folder` is undefined until the server has answered. */
export function FolderView({ path, folder }: { path: string; folder: FolderResource | undefined }) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const panel = useRef<HTMLDivElement>(null)
  const [reveal, setReveal] = useState<Reveal | null>(null)
  const listed = useRef('')
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const entries = useMemo(() => foldersFirst(folder?.items ?? []), [folder])

  useEffect(() => {
    if (folder === undefined) {
      // The selection elsewhere ends at once, not when the server has answered.
      if (currentLocation().pathname.endsWith('/') && workspace().folder !== path) enterFolder(path, [])
      return
    }
    enterFolder(path, entries)
    const arrived = takeRevealed()
    if (arrived !== null) setReveal({ ...arrived, isArrival: listed.current !== path })
    listed.current = path
  }, [path, folder, entries])

  useEffect(
    () => (panel.current === null || !can('create') ? undefined : makeUploadTarget(panel.current, path)),
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
          <FolderTools />
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
      {folder !== undefined && entries.length === 0 && (
        <EmptyFolder onMenu={(at) => setMenu({ isForItems: false, at })} />
      )}
      {folder !== undefined && entries.length > 0 && (
        <FolderGrid
          key={path}
          path={path}
          label={t('files.grid')}
          entries={entries}
          sorting={shownSorting(folder.sorting)}
          reveal={reveal}
          onMenu={(entry, at) => setMenu({ isForItems: entry !== null, at })}
        />
      )}
      <FolderMenu menu={menu} onClose={() => setMenu(null)} onFocusBack={focusGrid} />
    </Panel>
  )
}

/** Announces in the page's live region that the listing loads, how many entries it has and how many are selected. */
function useAnnouncements(isLoading: boolean, count: number): void {
  const { t } = useTranslation()
  const selected = useWorkspace(({ selection }) => selection.names.size)
  const text = isLoading
    ? t('frame.loading')
    : selected > 0
      ? t('files.selected', { count: selected })
      : t('files.items', { count })
  useEffect(() => announce(text), [text])
  // "Loading" is no longer true once something else is shown.
  useEffect(() => () => announce(''), [])
}

/** The row that had the focus. */
const focusGrid = (): void =>
  document.querySelector<HTMLElement>('#listing [tabindex="0"][data-index]')?.focus({ preventScroll: true })
