import { nameOf, parentOf } from '@filestead/contract'
import { useEffect, useMemo, useState } from 'react'
import { useKeys } from '../../commands/keyboard.ts'
import { ErrorMessage } from '../../errors/ErrorMessage.tsx'
import { t, useTranslation } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { isRevisiting, navigate } from '../../navigation/location.ts'
import { resultsAddress } from '../../navigation/results-address.ts'
import { useTitle } from '../../navigation/title.ts'
import { ApiError } from '../../server/client.ts'
import { instanceName } from '../../server/start-settings.ts'
import { Button, IconButton, Spinner } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { isMedia, useMedia } from '../../ui/media.ts'
import { Panel } from '../../ui/Panel.tsx'
import { clearSelection, enterFolder, takeRevealed, useWorkspace, workspace } from '../../workspace/workspace.ts'
import { FolderGrid } from '../browse/FolderGrid.tsx'
import { FolderHeader } from '../browse/FolderHeader.tsx'
import { FolderMenu, type OpenMenu } from '../browse/FolderMenu.tsx'
import { FolderTools } from '../browse/FolderTools.tsx'
import { focusGrid, useAnnouncements } from '../browse/FolderView.tsx'
import { enterGrid, selectNothing } from '../browse/folder-keys.ts'
import { PhoneBar } from '../browse/PhoneBar.tsx'
import { Skeleton } from '../browse/Skeleton.tsx'
import { StatusBar } from '../browse/StatusBar.tsx'
import { DetailsDock } from '../details/DetailsDock.tsx'
import { inOrder } from '../grid/entry-order.ts'
import type { Reveal } from '../grid/FileGrid.tsx'
import { resultsOrder } from '../grid/list-order.ts'
import { Cell, type Places } from '../grid/Row.tsx'
import { foldersFirst } from '../grid/sorting.ts'
import styles from './ResultsView.module.css'
import { searchRun } from './search-run.ts'

interface ResultsViewProps {
  /** The folder that was searched. */
  path: string
  query: string
}

const places: Places = {
  heading: <PlaceHeading />,
  nameOf: ({ path }) => nameOf(path),
  cellOf({ name, path }, mode) {
    const above = parentOf(path)
    const folder = name.slice(0, Math.max(name.lastIndexOf('/'), 0)) || nameOf(above) || t('frame.myFiles')
    const text = <bdi title={folder}>{folder}</bdi>
    if (mode !== 'list') return <span className={styles.place}>{text}</span>
    return <Cell className={styles.place}>{text}</Cell>
  },
}

function PlaceHeading() {
  const { t } = useTranslation()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a heading in a row that is no table row
    // biome-ignore lint/a11y/useFocusableInteractive: nothing is sorted by it
    <div role="columnheader" className={styles.heading}>
      {t('files.folder')}
    </div>
  )
}

/** The results of a search as a listing with an address of its own: selected, sorted and acted upon like a folder. */
export function ResultsView({ path, query }: ResultsViewProps) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const [run, setRun] = useState(() => searchRun(path, query, { isFresh: !isRevisiting() }))
  const { status, entries: found, error } = run.results.use()
  const order = resultsOrder.use()
  const entries = useMemo(() => foldersFirst(inOrder(found, order)), [found, order])
  const [reveal, setReveal] = useState<Reveal | null>(null)
  const [isFirst, setIsFirst] = useState(true)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const isWaiting = status === 'running' && entries.length === 0
  useTitle(query, t('search.list'))
  const selected = useWorkspace(({ selection }) => selection.names.size)
  useAnnouncements(isWaiting, entries.length, selected)

  useEffect(() => {
    enterFolder(path, entries, { query, isTouch: isMedia('coarse') })
    const arrived = takeRevealed()
    if (arrived !== null) setReveal({ ...arrived, isArrival: isFirst })
    if (entries.length > 0) setIsFirst(false)
  }, [path, query, entries, isFirst])

  const close = () => void navigate(folderAddress(path))
  /** First the selection goes, then the results. */
  const leave = () => (workspace().selection.names.size > 0 ? clearSelection() : close())
  useKeys(
    {
      Escape: leave,
      'Mod+A': selectNothing,
      Backspace: close,
      'Alt+ArrowUp': close,
      ArrowDown: enterGrid,
      ArrowUp: enterGrid,
      Home: enterGrid,
      End: enterGrid,
    },
    { level: 'page' },
  )

  const searchEverywhere = () => void navigate(resultsAddress('/', query), { replace: true })
  const everywhere = path !== '/' && (
    <Button look="line" size="small" icon="globe" onClick={searchEverywhere}>
      {t('search.searchEverywhere')}
    </Button>
  )
  // Its words would leave no room for what was searched for.
  const everywhereOnPhone = path !== '/' && (
    <IconButton small icon="globe" label={t('search.searchEverywhere')} onClick={searchEverywhere} />
  )

  return (
    <Panel
      view="listing"
      isBusy={isWaiting}
      heading={instanceName}
      header={
        <>
          <FolderHeader path={path} />
          <div className={styles.bar}>
            <Icon name="search" small />
            <h2 className={styles.title}>
              <bdi>{t('search.searchFor', { text: query })}</bdi>
            </h2>
            <span className={styles.count}>{t('search.results', { count: entries.length })}</span>
            {status === 'running' && (
              <>
                <Spinner />
                <IconButton small icon="pause" label={t('search.stop')} onClick={() => run.stop()} />
              </>
            )}
            <span className={styles.gap} />
            {entries.length > 0 && (isNarrow ? everywhereOnPhone : everywhere)}
            <IconButton small icon="x" label={t('search.closeResults')} hint="Esc" onClick={close} />
          </div>
          <FolderTools />
        </>
      }
      aside={<DetailsDock />}
      footer={
        <>
          <StatusBar isLoading={isWaiting} />
          {isNarrow && <PhoneBar />}
        </>
      }
    >
      {isWaiting && <Skeleton />}
      {entries.length === 0 && error !== null && (
        <ErrorMessage
          status={error instanceof ApiError ? error.status : 500}
          level={2}
          actions={
            <Button look="primary" icon="retry" onClick={() => setRun(searchRun(path, query, { isFresh: true }))}>
              {t('buttons.tryAgain')}
            </Button>
          }
        />
      )}
      {entries.length === 0 && error === null && !isWaiting && (
        <EmptyState
          scene="empty"
          title={t('search.nothingFor', { text: query })}
          text={t('search.nothingIn', { folder: path === '/' ? t('frame.myFiles') : path })}
          actions={everywhere}
        />
      )}
      {entries.length > 0 && (
        <div className={styles.grid}>
          <FolderGrid
            path={path}
            label={t('search.list')}
            entries={entries}
            sorting={order}
            reveal={reveal}
            results={{ key: resultsAddress(path, query), places }}
            onMenu={(entry, at) => setMenu({ isForItems: entry !== null, at })}
          />
        </div>
      )}
      <FolderMenu menu={menu} onClose={() => setMenu(null)} onFocusBack={focusGrid} />
    </Panel>
  )
}
