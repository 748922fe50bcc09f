import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useMemo, useState } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { hrefOf, navigate } from '../../navigation/location.ts'
import { cache } from '../../server/queries/cache.ts'
import { foldersQuery } from '../../server/queries/folders.ts'
import { can } from '../../server/session.ts'
import { forgetPlace } from '../../workspace/recent-places.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { makeDropTarget } from '../grid/drag.ts'
import { FolderRows } from './FolderRows.tsx'
import { useOpenFolders, useTreeInStep } from './folder-tree.ts'
import { useMounts, withMounts, withOrder } from './mount-rows.ts'
import { openedFolders, openWayTo, setOpened } from './opened-folders.ts'
import styles from './SidebarPlaces.module.css'
import { type TreeRow, treeRows } from './tree-rows.ts'

/** All folders, each of them opened when it is asked for. A folder leads to its listing, and takes what is dropped on it. */
export function SidebarTree() {
  const { t } = useTranslation()
  const folder = useWorkspace((workspace) => (workspace.view === 'none' ? null : workspace.folder))
  const opened = openedFolders.use()
  const known = useOpenFolders(opened)
  const mounts = useMounts()
  const rows = useMemo(
    () => withMounts(treeRows('/', opened, withOrder(known, mounts)), mounts, t('tree.away')),
    [opened, known, mounts, t],
  )
  const [active, setActive] = useState<string | null>(null)
  const root = known.get('/')

  useEffect(() => {
    if (folder !== null) openWayTo(folder)
  }, [folder])

  useTreeInStep(
    useCallback((path: string) => {
      setOpened(path, false)
      forgetPlace(path)
    }, []),
  )

  function choose({ key, path }: TreeRow, event: MouseEvent | KeyboardEvent) {
    setActive(key)
    const isAside = event.ctrlKey || event.metaKey || ('button' in event && event.button === 1)
    if (isAside) window.open(hrefOf(folderAddress(path)), '_blank', 'noopener')
    else void navigate(folderAddress(path))
  }

  if (root?.error != null)
    return (
      <p className={styles.note} role="status">
        {describeFailure(root.error)}
      </p>
    )
  return (
    <FolderRows
      kind="tree"
      label={t('tree.label')}
      rows={rows}
      active={active}
      onActive={({ key }) => setActive(key)}
      isMarked={({ path }) => path === folder}
      onToggle={toggle}
      onChoose={choose}
      attach={attach}
      isBusy={root?.names === undefined}
      revealed={folder}
    />
  )
}

function toggle({ path, error }: TreeRow, isOpen: boolean): void {
  setOpened(path, isOpen)
  // One that could not be read is asked for again.
  if (error !== null) void cache().refetchQueries({ queryKey: foldersQuery(path).queryKey, exact: true })
}

const attach = (element: HTMLElement, { path }: TreeRow) =>
  makeDropTarget(element, path, { canUpload: can('create'), onSpring: () => setOpened(path, true) })
