import type { KeptItem } from '@filestead/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../../commands/keyboard.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { ErrorMessage } from '../../errors/ErrorMessage.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { navigate } from '../../navigation/location.ts'
import { pastAddress, trashAddress } from '../../navigation/past-address.ts'
import { useTitle } from '../../navigation/title.ts'
import { ApiError } from '../../server/client.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { inPast } from '../../server/queries/past.ts'
import { type Entry, previewUrl } from '../../server/queries/resources.ts'
import { trashQuery } from '../../server/queries/trash.ts'
import { can, useUser } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useMedia } from '../../ui/media.ts'
import { Panel } from '../../ui/Panel.tsx'
import { PointMenu } from '../../ui/PointMenu.tsx'
import { everything, isPressed, nothing, type Selection } from '../../workspace/selection.ts'
import { useAnnouncements } from '../browse/FolderView.tsx'
import { followFocus, useFocusOfGrid, useGridMemory } from '../browse/folder-memory.ts'
import { SheetHead } from '../browse/SheetHead.tsx'
import { Skeleton } from '../browse/Skeleton.tsx'
import { FileGrid, type Point } from '../grid/FileGrid.tsx'
import { type ShownSorting, sortedBy } from '../grid/sorting.ts'
import { undoLast } from '../operations/undo.ts'
import { trashColumns } from './columns.tsx'
import { saveEntries } from './download.ts'
import { emptyTrash, purgeItems } from './purge.tsx'
import { restore, restoreTo, wantedItem } from './restore.ts'
import { SelectingInTrash, TrashBar, TrashTools } from './TrashBar.tsx'
import styles from './TrashList.module.css'
import { labelOf, shownItems, type TrashEntry, trashOrder } from './trash-entries.ts'

/** So many are read at the most. Older ones are found by their names. */
const mostRead = 20_000

/** What was deleted or replaced, as a listing: where it was, when it went, by whom, and what can be done about it. */
export function TrashList() {
  const { t } = useTranslation()
  const user = useUser()
  const isCoarse = useMedia('coarse')
  const isNarrow = useMedia('narrow')
  const [typed, setTyped] = useState('')
  const words = useDeferredValue(typed.trim())
  const { items, isOn, isAll, isPending, error, refetch } = useTrash(words)
  const [order, setOrder] = useState<ShownSorting>(trashOrder)
  const entries = useMemo(() => shownItems(items, order), [items, order])
  const [selection, setSelection] = useState<Selection>(nothing)
  const [isSelectingMany, setIsSelectingMany] = useState(false)
  const [menu, setMenu] = useState<Point | null>(null)
  const memory = useGridMemory('trash')
  const field = useRef<HTMLInputElement>(null)
  const rows = useMemo(() => entries.filter(({ name }) => selection.names.has(name)), [entries, selection])
  const chosen = useMemo(() => rows.map(({ item }) => item), [rows])
  useTitle(t('trash.title'))
  useAnnouncements(isPending, entries.length, chosen.length)

  const openItem = (item: KeptItem) => {
    if (item.isDir) followFocus()
    void navigate(addressOf(item))
  }
  const act = (work: Promise<unknown>) => void work.then((done) => done && setSelection(nothing)).catch(showFailure)
  const actions = {
    restore: () => act(restore(chosen.map(wantedItem))),
    restoreTo: () => act(restoreTo(chosen.map(wantedItem))),
    download: () => saveEntries(chosen.map(({ path, isDir, past }) => ({ path, isDir, past }))),
    purge: () => act(purgeItems(chosen)),
    empty: () => act(emptyTrash(isAll && words === '' ? items.filter(({ canPurge }) => canPurge).length : null)),
  }
  /** The menu has selected its row. Fingers would find the buttons of the selection in the place of the search. */
  const closeMenu = () => {
    setMenu(null)
    if (isCoarse && selection.names.size === 1 && !isPressed(selection)) setSelection(nothing)
  }
  const allowed = {
    restore: chosen.length > 0 && chosen.every(({ canRestore }) => canRestore),
    purge: chosen.length > 0 && chosen.every(({ canPurge }) => canPurge),
    empty: items.some(({ canPurge }) => canPurge),
  }
  const purgeChosen = () => allowed.purge && actions.purge()
  const selectAll = () => setSelection(everything(entries))
  function endSelecting(): void {
    setSelection(nothing)
    setIsSelectingMany(false)
  }
  function giveUp(): void {
    if (selection.names.size > 0) setSelection(nothing)
    else if (isSelectingMany) setIsSelectingMany(false)
    else setTyped('')
  }
  useKeys(
    {
      Escape: giveUp,
      Delete: purgeChosen,
      'Mod+A': selectAll,
      'Mod+F': () => field.current?.focus(),
      'Mod+Z': () => void undoLast('undo').catch(showFailure),
      'Mod+Shift+Z': () => void undoLast('redo').catch(showFailure),
      'Mod+Y': () => void undoLast('redo').catch(showFailure),
      ArrowDown: enterGrid,
      ArrowUp: enterGrid,
    },
    { level: 'page' },
  )

  const [first, second] = chosen
  const hasAnswer = !isPending && (error === null || entries.length > 0)
  const isEmpty = hasAnswer && entries.length === 0
  return (
    <Panel
      view="trash"
      isBusy={isPending}
      header={
        <>
          <TrashBar>
            {isNarrow && (isSelectingMany || chosen.length > 0) && (
              <SelectingInTrash onAll={selectAll} onEnd={endSelecting} />
            )}
          </TrashBar>
          <TrashTools
            field={field}
            typed={typed}
            onType={setTyped}
            chosen={chosen}
            can={allowed}
            isSelectingMany={isSelectingMany}
            onSelectMany={setIsSelectingMany}
            {...actions}
          />
        </>
      }
      footer={
        <StatusLine
          count={hasAnswer ? entries.length : null}
          selected={chosen.length}
          isOff={!isOn && entries.length > 0}
        />
      }
    >
      {isPending && <Skeleton />}
      {error !== null && entries.length === 0 && (
        <ErrorMessage
          status={error instanceof ApiError ? error.status : 500}
          level={2}
          actions={
            <Button look="primary" icon="retry" onClick={refetch}>
              {t('buttons.tryAgain')}
            </Button>
          }
        />
      )}
      {isEmpty && words !== '' && <EmptyState scene="empty" title={t('trash.noMatch', { text: words })} />}
      {isEmpty && words === '' && <Nothing isOn={isOn} />}
      {entries.length > 0 && (
        <div className={styles.grid}>
          <FileGrid
            label={t('trash.list')}
            entries={entries}
            viewMode="list"
            selection={selection}
            onSelect={setSelection}
            onOpen={(entry) => openItem((entry as TrashEntry).item)}
            onMenu={(entry, at) => entry !== null && setMenu(at)}
            sorting={order}
            onSort={(by) => setOrder(sortedBy(order, by))}
            thumbnailOf={startSettings.EnableThumbs ? thumbnailOf : undefined}
            isSelectingMany={isSelectingMany}
            opensOnClick={user.singleClick}
            opensOnTap={isCoarse || user.singleClick}
            hasExactDates={user.dateFormat}
            places={trashColumns}
            {...memory}
          />
        </div>
      )}
      <PointMenu
        label={t('files.itemActions')}
        head={
          isNarrow && <SheetHead chosen={rows.map((row) => ({ ...row, name: labelOf(row) }))} onClose={closeMenu} />
        }
        sections={[
          first !== undefined && second === undefined
            ? [
                {
                  id: 'open',
                  label: t('files.open'),
                  icon: 'arrow-right',
                  onSelect: () => openItem(first),
                },
              ]
            : [],
          allowed.restore
            ? [
                { id: 'restore', label: t('trash.restore'), icon: 'undo', onSelect: actions.restore },
                { id: 'restore-to', label: t('trash.restoreTo'), icon: 'move', onSelect: actions.restoreTo },
              ]
            : [],
          first === undefined
            ? []
            : [{ id: 'download', label: t('download.download'), icon: 'download', onSelect: actions.download }],
          allowed.purge
            ? [{ id: 'purge', label: t('trash.forGood'), icon: 'trash', isDanger: true, onSelect: actions.purge }]
            : [],
        ]}
        at={menu}
        onClose={closeMenu}
        onFocusBack={enterGrid}
      />
    </Panel>
  )
}

function useTrash(words: string) {
  const query = useInfiniteQuery({ ...trashQuery(words), placeholderData: (before) => before })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPending, error, refetch } = query
  const items = useMemo((): readonly KeptItem[] => data?.pages.flatMap((page) => page.items) ?? [], [data])
  const isMoreWanted = hasNextPage && !isFetchingNextPage && error === null && items.length < mostRead
  useEffect(() => {
    if (isMoreWanted) void fetchNextPage()
  }, [isMoreWanted, fetchNextPage])
  const isOn = data?.pages[0]?.isOn ?? true
  return { items, isOn, isAll: !hasNextPage, isPending, error, refetch: () => void refetch() }
}

const addressOf = ({ path, isDir, past }: KeptItem): string => {
  const shown = { past, top: path }
  return isDir ? trashAddress(path, shown) : pastAddress({ path, isDir }, shown)
}

const thumbnailOf = (entry: Entry): string | null => {
  const { item } = entry as TrashEntry
  const hasOne = item.type === 'image' || (item.type === 'video' && startSettings.EnableVideoThumbs)
  return hasOne && item.size !== 0 ? inPast(previewUrl('thumb', item), item.past) : null
}

const enterGrid = (): void => document.querySelector<HTMLElement>('#listing [role="row"][tabindex="0"]')?.focus()

/** What comes here, and for how long it stays; where nothing does, who can change that. */
function Nothing({ isOn }: { isOn: boolean }) {
  const { t } = useTranslation()
  useFocusOfGrid()
  const { data: mounts = [] } = useQuery({ ...mountsQuery(), enabled: isOn && can('admin') })
  const days = new Set(mounts.flatMap(({ hasTrash, history }) => (hasTrash && history ? history.trashDays : [])))
  const [count = 0] = days.size === 1 ? days : []
  if (!isOn)
    return (
      <EmptyState
        scene="empty"
        title={t('trash.off')}
        text={t('trash.offText')}
        actions={can('admin') ? <SettingsLink /> : undefined}
      />
    )
  return (
    <EmptyState
      scene="empty"
      title={t('trash.nothing')}
      text={count > 0 ? t('trash.nothingTextDays', { count }) : t('trash.nothingText')}
    />
  )
}

function SettingsLink() {
  const { t } = useTranslation()
  return (
    <Link to="/settings/mounts" className={styles.settings}>
      {t('trash.settings')}
    </Link>
  )
}

function StatusLine({ count, selected, isOff }: { count: number | null; selected: number; isOff: boolean }) {
  const { t } = useTranslation()
  return (
    <p className={styles.status}>
      {count !== null && <span>{t('files.items', { count })}</span>}
      {selected > 0 && <span>{t('files.selected', { count: selected })}</span>}
      {isOff && (
        <span className={styles.note}>
          {t('trash.offNote')} {can('admin') && <SettingsLink />}
        </span>
      )}
    </p>
  )
}
