import { nameOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { pastAddress } from '../../navigation/past-address.ts'
import { isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { type EntryAt, folderAtQuery, timelineQuery } from '../../server/queries/timeline.ts'
import { deletedFromQuery } from '../../server/queries/trash.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Checkbox } from '../../ui/Tick.tsx'
import { EmptyTimeline } from './EmptyTimeline.tsx'
import { FolderActions } from './FolderActions.tsx'
import { FolderCrumbs } from './FolderCrumbs.tsx'
import styles from './FolderTimeline.module.css'
import { entriesThen, type PastEntry } from './folder-entries.ts'
import { folderStopsOf } from './moments.ts'
import { PastEntries } from './PastEntries.tsx'
import { TimelineFrame } from './TimelineFrame.tsx'
import { formatMoment } from './times.ts'

interface FolderTimelineProps {
  /** The folder that it began with. */
  top: string
  isOnlyGone: boolean
  onClose(): void
}

const none: readonly EntryAt[] = []
const nothing: ReadonlySet<string> = new Set()

/**
 * A folder as it was, and what is in it, at the time of the slider: at first just before the last change. With what is gone
 * alone, "now" shows all that was deleted from it, whenever that was.
 */
export function FolderTimeline({ top, isOnlyGone: isOnlyGoneFirst, onClose }: FolderTimelineProps) {
  const { t } = useTranslation()
  const [path, setPath] = useState(top)
  const [enteredAt, setEnteredAt] = useState(Date.now)
  const [chosenAt, setChosenAt] = useState<number | null>(null)
  const [isOnlyGone, setIsOnlyGone] = useState(isOnlyGoneFirst)
  const [picked, setPicked] = useState(nothing)
  const states = useStates(path, enteredAt, chosenAt, isOnlyGoneFirst)
  const { at, isNow } = states
  const isDeleted = isNow && isOnlyGone
  const then = useEntriesAt(path, at)
  const deleted = useDeleted(path, isDeleted)
  const { entries, error, isLoading, refetch } = isDeleted ? deleted : then
  const present = usePresent(path)
  const shown = useMemo(() => entriesThen(entries, present, isOnlyGone), [entries, present, isOnlyGone])

  /** At the same time, also where the folder has none of its own; one that was deleted, just before it was. */
  function go(next: string, time = at) {
    setPath(next)
    setPicked(nothing)
    setChosenAt(time)
    setEnteredAt(time)
  }

  function choose(index: number) {
    setChosenAt(states.stops[index]?.at ?? null)
    setPicked(nothing)
  }

  async function open(entry: PastEntry) {
    if (entry.isDir) return go(entry.path, deleted.timeOf(entry.id) ?? at)
    const shownPast = entry.past === undefined ? null : { past: entry.past, top: null, at: Date.parse(entry.modified) }
    if (await navigate(shownPast === null ? addressOf(entry) : pastAddress(entry, shownPast))) onClose()
  }

  const isEmpty = path === top && chosenAt === null && states.isReady && states.stops.length <= 1
  return (
    <TimelineFrame
      subject={<FolderCrumbs top={top} path={path} onOpen={(next) => go(next)} />}
      stops={states.stops}
      index={states.index}
      onChoose={choose}
      isLoading={!states.isReady && states.error === null}
      error={states.error}
      onRetry={states.refetch}
      empty={isEmpty ? <EmptyTimeline path={top} isDir /> : null}
      isCut={states.isCut}
      onClose={onClose}
      actions={
        <FolderActions
          folder={path}
          entries={shown.filter(({ name }) => picked.has(name))}
          onDone={() => setPicked(nothing)}
        />
      }
    >
      <div className={styles.bar} role="note">
        <Icon name="clock" small />
        <span className={styles.time}>
          {isDeleted
            ? t('history.deletedHere')
            : isNow
              ? t('history.now')
              : t('history.asOf', { time: formatMoment(at) })}
        </span>
        <Checkbox
          label={t('history.onlyChanged')}
          checked={isOnlyGone}
          onChange={({ target }) => setIsOnlyGone(target.checked)}
        />
      </div>
      <PastEntries
        key={`${path} ${at} ${isDeleted}`}
        label={t('history.entriesOf', { name: nameOf(path) || t('frame.myFiles') })}
        entries={shown}
        picked={picked}
        isLoading={isLoading}
        error={error}
        emptyText={
          isDeleted ? t('history.nothingDeleted') : isOnlyGone ? t('history.nothingGone') : t('history.emptyThen')
        }
        onRetry={refetch}
        onPick={setPicked}
        onOpen={(entry) => void open(entry)}
      />
    </TimelineFrame>
  )
}

/** Where the slider can stop, and where it is. A folder that is gone is known at the time at which it was entered. */
function useStates(path: string, enteredAt: number, chosenAt: number | null, beginsNow: boolean) {
  const [now] = useState(Date.now)
  const folder = useQuery({ ...folderAtQuery(path, enteredAt), retry: false })
  // Only for the names of snapshots.
  const { data: timeline } = useQuery({ ...timelineQuery(path), retry: false })
  const { data, error, refetch } = folder
  const stops = useMemo(() => {
    const all = folderStopsOf(data?.stops ?? [], timeline?.moments ?? [], now)
    if (chosenAt === null || all.some((stop) => stop.at === chosenAt)) return all
    const own = folderStopsOf([chosenAt], timeline?.moments ?? [], now).slice(1)
    return [...all, ...own].toSorted((one, other) => other.at - one.at)
  }, [data, timeline, now, chosenAt])
  const found = stops.findIndex((stop) => stop.at === chosenAt)
  const first = beginsNow ? 0 : Math.min(1, stops.length - 1)
  const index = chosenAt === null ? first : Math.max(found, 0)
  const { at, isNow } = stops[index] ?? { at: now, isNow: true }
  const isReady = data !== undefined || chosenAt !== null
  return { stops, index, at, isNow, isReady, isCut: data?.isCut === true, error, refetch: () => void refetch() }
}

/** The entries of a folder at a time. The server finds those of a folder that was removed as a whole, too. */
function useEntriesAt(path: string, at: number) {
  const { data, error, isPending, refetch } = useQuery({ ...folderAtQuery(path, at), retry: false })
  return { entries: data?.entries ?? none, error, isLoading: isPending, refetch: () => void refetch() }
}

/** What was deleted from a folder, whenever that was. */
function useDeleted(path: string, isWanted: boolean) {
  const { data, error, isPending, refetch } = useQuery({ ...deletedFromQuery(path), retry: false, enabled: isWanted })
  const entries = useMemo(() => data?.map((item): EntryAt => ({ ...item, kind: 'trash' })) ?? none, [data])
  /** The last moment at which it was there. */
  const timeOf = (id: string | undefined): number | undefined => {
    const keptAt = data?.find((item) => item.id === id)?.keptAt
    return keptAt === undefined ? undefined : keptAt - 1
  }
  return { entries, error, isLoading: isPending, refetch: () => void refetch(), timeOf }
}

/** What the folder holds now; nothing where it is gone, and undefined until that is known. */
function usePresent(path: string) {
  const { data, error } = useQuery({ ...resourceQuery(path), retry: false, staleTime: 10_000 })
  return useMemo(() => {
    if (error !== null) return new Map()
    if (data === undefined) return undefined
    return new Map(isFolder(data) ? data.items.map((entry) => [entry.name, entry]) : [])
  }, [data, error])
}
