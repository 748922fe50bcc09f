import { isInside, nameOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useKeys } from '../../commands/keyboard.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { ErrorMessage } from '../../errors/ErrorMessage.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { navigate } from '../../navigation/location.ts'
import { pastAddress, type ShownPast, trashAddress } from '../../navigation/past-address.ts'
import { returnTo } from '../../navigation/return-to.ts'
import { useTitle } from '../../navigation/title.ts'
import { ApiError } from '../../server/client.ts'
import { inPast, pastQuery } from '../../server/queries/past.ts'
import { type Entry, isFolder, previewUrl } from '../../server/queries/resources.ts'
import { useUser } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useMedia } from '../../ui/media.ts'
import { Panel } from '../../ui/Panel.tsx'
import { Toolbar } from '../../ui/Toolbar.tsx'
import { everything, nothing, type Selection } from '../../workspace/selection.ts'
import { stepsTo } from '../browse/Breadcrumbs.tsx'
import { followFocus, useGridMemory } from '../browse/folder-memory.ts'
import { Skeleton } from '../browse/Skeleton.tsx'
import { inOrder } from '../grid/entry-order.ts'
import { FileGrid, type ThumbnailSize } from '../grid/FileGrid.tsx'
import { foldersFirst, type ShownSorting, sortedBy } from '../grid/sorting.ts'
import { saveEntries } from './download.ts'
import { restore, restoreTo, wantedEntry } from './restore.ts'
import bar from './TrashBar.module.css'
import { TrashBar, TrashCrumbs } from './TrashBar.tsx'
import styles from './TrashList.module.css'

interface TrashFolderProps {
  path: string
  shown: ShownPast & { top: string }
}

/** A folder that was deleted, looked at as it was. Nothing in it can be changed; what is chosen can be brought back. */
export function TrashFolder({ path, shown }: TrashFolderProps) {
  const { t } = useTranslation()
  const user = useUser()
  const isCoarse = useMedia('coarse')
  const { past, top } = shown
  const { data, error, isPending } = useQuery(pastQuery(path, past))
  const [order, setOrder] = useState<ShownSorting>({ by: 'name', direction: 'ascending' })
  const [selection, setSelection] = useState<Selection>(nothing)
  const entries = useMemo(
    () => (data !== undefined && isFolder(data) ? foldersFirst(inOrder(data.items, order)) : []),
    [data, order],
  )
  const chosen = useMemo(() => entries.filter(({ name }) => selection.names.has(name)), [entries, selection])
  const memory = useGridMemory(trashAddress(path, shown))
  useTitle(nameOf(path), t('trash.title'))

  const goUp = () => void returnTo(path === top ? '/trash' : trashAddress(parentOf(path), shown))
  const leave = () => (selection.names.size > 0 ? setSelection(nothing) : goUp())
  useKeys(
    {
      Escape: leave,
      Backspace: goUp,
      'Alt+ArrowUp': goUp,
      'Mod+A': () => setSelection(everything(entries)),
      ArrowDown: enterGrid,
      ArrowUp: enterGrid,
    },
    { level: 'page' },
  )

  const open = (entry: Entry) => {
    if (entry.isDir) followFocus()
    void navigate(entry.isDir ? trashAddress(entry.path, shown) : pastAddress(entry, shown))
  }
  // Nothing chosen means the folder in view.
  const meant = chosen.length > 0 || data === undefined ? chosen : [data]
  const act = (work: Promise<unknown>) => void work.then((done) => done && setSelection(nothing)).catch(showFailure)
  const steps = stepsTo(path)
    .filter((step) => isInside(step.path, top))
    .map((step) => ({ name: step.name, to: trashAddress(step.path, shown) }))
  const thumbnailOf = (entry: Entry, size: ThumbnailSize) =>
    entry.type === 'image' && entry.size > 0 && entry.can?.includes('download') !== false
      ? inPast(previewUrl(size, entry), past)
      : null

  return (
    <Panel
      view="trash"
      isBusy={isPending}
      heading={nameOf(path)}
      header={
        <>
          <TrashBar crumbs={<TrashCrumbs steps={steps} />} />
          <div className={bar.tools}>
            <Toolbar label={t('trash.actions')} className={bar.actions}>
              <Button
                size="small"
                look="primary"
                icon="undo"
                disabled={meant.length === 0}
                onClick={() => act(restore(meant.map((entry) => wantedEntry(entry, past))))}
              >
                {t('trash.restore')}
              </Button>
              <Button
                size="small"
                look="line"
                icon="move"
                disabled={meant.length === 0}
                onClick={() => act(restoreTo(meant.map((entry) => wantedEntry(entry, past))))}
              >
                {t('trash.restoreTo')}
              </Button>
              <Button
                size="small"
                look="line"
                icon="download"
                disabled={meant.length === 0}
                onClick={() => saveEntries(meant.map((entry) => ({ path: entry.path, isDir: entry.isDir, past })))}
              >
                {t('download.download')}
              </Button>
            </Toolbar>
          </div>
        </>
      }
      footer={
        <p className={styles.status}>
          {data !== undefined && <span>{t('files.items', { count: entries.length })}</span>}
          {chosen.length > 0 && <span>{t('files.selected', { count: chosen.length })}</span>}
        </p>
      }
    >
      {isPending && <Skeleton />}
      {error !== null && (
        <ErrorMessage
          status={error instanceof ApiError ? error.status : 500}
          level={2}
          actions={
            <Button look="primary" onClick={() => void navigate('/trash')}>
              {t('trash.back')}
            </Button>
          }
        />
      )}
      {data !== undefined && entries.length === 0 && <EmptyState scene="empty" title={t('trash.emptyFolder')} />}
      {entries.length > 0 && (
        <FileGrid
          label={t('trash.list')}
          entries={entries}
          viewMode="list"
          selection={selection}
          onSelect={setSelection}
          onOpen={open}
          sorting={order}
          onSort={(by) => setOrder(sortedBy(order, by))}
          thumbnailOf={startSettings.EnableThumbs ? thumbnailOf : undefined}
          opensOnClick={user.singleClick}
          opensOnTap={isCoarse || user.singleClick}
          hasExactDates={user.dateFormat}
          {...memory}
        />
      )}
    </Panel>
  )
}

const enterGrid = (): void => document.querySelector<HTMLElement>('#listing [role="row"][tabindex="0"]')?.focus()
