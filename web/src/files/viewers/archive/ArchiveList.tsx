import type { ArchiveListing, NameEncoding } from '@filestead/contract'
import { nameEncodings } from '@filestead/contract'
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useKeys } from '../../../commands/keyboard.ts'
import { showFailure } from '../../../dialogs/show-failure.ts'
import { formatNumber, formatSize } from '../../../i18n/format.ts'
import { useTranslation } from '../../../i18n/i18n.ts'
import { may } from '../../../server/queries/access.ts'
import { memberUrl } from '../../../server/queries/archives.ts'
import type { Entry } from '../../../server/queries/resources.ts'
import { useUser } from '../../../server/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { useMedia } from '../../../ui/media.ts'
import { PointMenu } from '../../../ui/PointMenu.tsx'
import { Toolbar } from '../../../ui/Toolbar.tsx'
import { everything, nothing, only, type Selection } from '../../../workspace/selection.ts'
import { extractSome } from '../../archives/extract.ts'
import { saveFile } from '../../download/save.ts'
import { inOrder } from '../../grid/entry-order.ts'
import { FileGrid, type Point, type Reveal } from '../../grid/FileGrid.tsx'
import { foldersFirst, type ShownSorting, sortedBy } from '../../grid/sorting.ts'
import { ArchiveCrumbs } from './ArchiveCrumbs.tsx'
import styles from './ArchiveViewer.module.css'
import type { Member } from './members.ts'
import type { Place } from './place.ts'

interface ArchiveListProps {
  archive: Entry
  place: Place
  listing: ArchiveListing
  members: readonly Member[]
  order: ShownSorting
  onOrder(order: ShownSorting): void
  /** The name of what was left to come here. */
  cameFrom: string | null
  onGo(to: Partial<Place>, options?: { replace: boolean }): void
  onUp(): void
}

/** One folder of an archive: its entries, the way to it, and what can be taken out. */
export function ArchiveList(props: ArchiveListProps) {
  const { archive, place, listing, members, order, onOrder, cameFrom, onGo, onUp } = props
  const { t } = useTranslation()
  const user = useUser()
  const isCoarse = useMedia('coarse')
  const [typed, setTyped] = useState('')
  const filter = useDeferredValue(typed)
  const [selection, setSelection] = useState<Selection>(() =>
    cameFrom === null || isCoarse ? nothing : only(cameFrom),
  )
  const [menu, setMenu] = useState<Point | null>(null)
  const [reveal] = useState<Reveal | null>(() =>
    cameFrom === null ? null : { name: cameFrom, focus: isCoarse ? 'follow' : 'take', isArrival: true },
  )
  const [takesFocus] = useState(isFocusFree)
  const field = useRef<HTMLInputElement>(null)
  const entries = useMemo(() => shownEntries(members, filter, order), [members, filter, order])
  const chosen = useMemo(() => members.filter(({ name }) => selection.names.has(name)), [members, selection])
  const [first, second] = chosen
  const single = first !== undefined && second === undefined && !first.isDir && !first.isEncrypted ? first : null
  // The server extracts what is there now.
  const mayExtract = may('create') && place.shown === null

  function open({ name, path, isDir }: Entry) {
    onGo(isDir ? { inside: path } : { member: name })
  }
  function extract(some: readonly Member[]) {
    const inside = some.map(({ path }) => path)
    void extractSome({ archive, inside, encoding: place.encoding }).catch(showFailure)
  }
  function download({ path }: Member) {
    saveFile(memberUrl(archive.path, path, { encoding: place.encoding, past: place.shown?.past ?? null }))
  }
  /** First the filter goes, then the selection; then the key is left to the frame, which closes the archive. */
  function giveUp(): boolean {
    if (typed !== '') setTyped('')
    else if (selection.names.size > 0) setSelection(nothing)
    else return false
    return true
  }
  const enter = () => document.querySelector<HTMLElement>('#listing [role="row"][tabindex="0"]')?.focus()
  function leaveField(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    enter()
  }
  useKeys({
    Escape: giveUp,
    Backspace: onUp,
    'Alt+ArrowUp': onUp,
    'Mod+A': () => setSelection(everything(entries)),
    'Mod+F': () => field.current?.focus(),
    ArrowDown: enter,
    ArrowUp: enter,
    // In a list these keys do not mean the file beside the archive.
    ArrowLeft: ignore,
    ArrowRight: ignore,
    Enter: enter,
  })

  const actions = [
    ...(first !== undefined && second === undefined
      ? [{ id: 'open', label: t('files.open'), icon: 'arrow-right' as const, onSelect: () => open(first) }]
      : []),
    ...(single === null
      ? []
      : [
          {
            id: 'download',
            label: t('download.download'),
            icon: 'download' as const,
            onSelect: () => download(single),
          },
        ]),
    ...(mayExtract && first !== undefined
      ? [
          {
            id: 'extract',
            label: t('archives.extractSelected'),
            icon: 'extract' as const,
            onSelect: () => extract(chosen),
          },
        ]
      : []),
  ]

  return (
    <div className={styles.archive} data-archive="list">
      <ArchiveCrumbs archive={archive} place={place} />
      <div className={styles.settings}>
        {members.length > 1 && (
          <input
            ref={field}
            type="search"
            className={styles.filter}
            dir="auto"
            placeholder={t('archives.filter')}
            aria-label={t('archives.filter')}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={leaveField}
          />
        )}
        {listing.encoding !== null && (
          <EncodingMenu
            encoding={place.encoding}
            guessed={listing.encoding}
            onChoose={(encoding) => onGo({ inside: '/', encoding }, { replace: true })}
          />
        )}
      </div>
      <Toolbar label={t('archives.tools')} className={styles.actions}>
        {single !== null && (
          <Button size="small" icon="download" onClick={() => download(single)}>
            {t('download.download')}
          </Button>
        )}
        {mayExtract && first !== undefined && (
          <Button size="small" look="primary" icon="extract" onClick={() => extract(chosen)}>
            {t('archives.extractSelected')}
          </Button>
        )}
        {mayExtract && listing.files > 0 && (
          <Button
            size="small"
            look={first === undefined ? 'primary' : 'line'}
            {...(first === undefined && { icon: 'extract' })}
            onClick={() => extract([])}
          >
            {t('archives.extractAll')}
          </Button>
        )}
      </Toolbar>
      <div className={styles.list}>
        {members.length === 0 && (
          <EmptyState scene="empty" title={t(place.inside === '/' ? 'archives.empty' : 'archives.emptyFolder')} />
        )}
        {members.length > 0 && entries.length === 0 && (
          <EmptyState scene="empty" title={t('archives.noMatch', { text: filter })} />
        )}
        {entries.length > 0 && (
          <FileGrid
            label={t('archives.list')}
            entries={entries}
            viewMode="list"
            selection={selection}
            onSelect={setSelection}
            onOpen={open}
            onMenu={(entry, at) => entry !== null && setMenu(at)}
            sorting={order}
            onSort={(by) => onOrder(sortedBy(order, by))}
            opensOnClick={user.singleClick}
            opensOnTap={isCoarse || user.singleClick}
            hasExactDates={user.dateFormat}
            reveal={reveal}
            takesFocus={takesFocus && !isCoarse}
          />
        )}
      </div>
      <p className={styles.status}>
        <span>{t('files.items', { count: members.length })}</span>
        {selection.names.size > 0 && <span>{t('files.selected', { count: selection.names.size })}</span>}
        {place.inside === '/' && listing.bytes > 0 && <bdi>{formatSize(listing.bytes)}</bdi>}
        {listing.isCut && (
          <span className={styles.note}>
            {t('archives.isCut', { count: members.length, shown: formatNumber(members.length) })}
          </span>
        )}
        {place.inside === '/' && listing.skipped > 0 && (
          <span className={styles.note}>{t('archives.unshown', { count: listing.skipped })}</span>
        )}
      </p>
      <PointMenu
        label={t('files.itemActions')}
        sections={[actions]}
        at={menu}
        onClose={() => setMenu(null)}
        onFocusBack={enter}
      />
    </div>
  )
}

function ignore(): void {}

/** As the server lists them, which is by name, unless another order is wanted: a large folder is not sorted for nothing. */
function shownEntries(members: readonly Member[], filter: string, order: ShownSorting): readonly Member[] {
  const wanted = filter.trim().toLocaleLowerCase()
  const fitting = wanted === '' ? members : members.filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
  const isListed = order.by === 'name' && order.direction === 'ascending'
  return isListed ? fitting : foldersFirst(inOrder(fitting, order))
}

/** Is the focus nowhere, or in what was shown here before? A button that steps from file to file keeps it. */
function isFocusFree(): boolean {
  const focused = document.activeElement
  return (
    focused === null ||
    focused === document.body ||
    focused.matches('main') ||
    focused.closest('[data-archive]') !== null
  )
}

interface EncodingMenuProps {
  /** What was chosen. */
  encoding: NameEncoding | null
  /** What names were read with. */
  guessed: NameEncoding
  onChoose(encoding: NameEncoding | null): void
}

/** For archives that do not say how their names are written: letters that look wrong can be put right. */
function EncodingMenu({ encoding, guessed, onChoose }: EncodingMenuProps) {
  const { t } = useTranslation()
  return (
    <select
      className={styles.encoding}
      aria-label={t('archives.encoding')}
      data-tip={t('archives.encoding')}
      value={encoding ?? ''}
      onChange={({ target }) => onChoose(nameEncodings.find((known) => known === target.value) ?? null)}
    >
      <option value="">{encoding === null ? t('archives.guessed', { encoding: guessed }) : t('archives.guess')}</option>
      {nameEncodings.map((known) => (
        <option key={known} value={known}>
          {known}
        </option>
      ))}
    </select>
  )
}
