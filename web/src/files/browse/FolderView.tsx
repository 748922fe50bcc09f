import type { FolderResource } from '@filestead/contract'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { untilComplete } from '../../commands/registry.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { Apart } from '../../errors/Apart.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { currentLocation } from '../../navigation/location.ts'
import { can } from '../../server/session.ts'
import { instanceName } from '../../server/start-settings.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { announce } from '../../ui/live-status.ts'
import { useMedia } from '../../ui/media.ts'
import { Panel } from '../../ui/Panel.tsx'
import { enterFolder, takeRevealed, useLooks, useWorkspace, workspace } from '../../workspace/workspace.ts'
import { DetailsDock } from '../details/DetailsDock.tsx'
import { useDragging } from '../grid/dragging.ts'
import type { Reveal } from '../grid/FileGrid.tsx'
import { asListed, useOwnOrder } from '../grid/list-order.ts'
import type { RootMark } from '../grid/Row.tsx'
import { shownSorting } from '../grid/sorting.ts'
import { Beginning, useBeginning } from './Beginning.tsx'
import { EmptyFolder } from './EmptyFolder.tsx'
import { FolderGrid } from './FolderGrid.tsx'
import { FolderHeader } from './FolderHeader.tsx'
import type { OpenMenu } from './FolderMenu.tsx'
import { FolderTools } from './FolderTools.tsx'
import { useFolderKeys } from './folder-keys.ts'
import { asked } from './one-tap.ts'
import { Skeleton } from './Skeleton.tsx'
import { StatusBar } from './StatusBar.tsx'

const loadMenu = async () => (await import('./FolderMenu.tsx')).FolderMenu
const PhoneBar = lazyPart(async () => (await import('./PhoneBar.tsx')).PhoneBar)
const RootMarks = lazyPart(async () => (await import('../tree/RootMarks.tsx')).RootMarks)
const OneTapQuestion = lazyPart(async () => (await import('./OneTapQuestion.tsx')).OneTapQuestion)

const phoneBarPlace = <div style={{ blockSize: 'var(--tabbar-h)' }} />

interface FolderViewProps {
  path: string
  /** Undefined until the server has answered. */
  folder: FolderResource | undefined
  /** What there is to say about the answer. */
  note: ReactNode
}

export function FolderView({ path, folder, note }: FolderViewProps) {
  const { t } = useTranslation()
  const isNarrow = useMedia('narrow')
  const isCoarse = useMedia('coarse')
  const isAskedForOneTap = asked.use((entry) => entry !== null)
  const panel = useRef<HTMLDivElement>(null)
  const [reveal, setReveal] = useState<Reveal | null>(null)
  const listed = useRef('')
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const [roots, setRoots] = useState<ReadonlyMap<string, RootMark>>()
  const own = useOwnOrder()
  const entries = useMemo(() => (folder === undefined ? [] : asListed(folder, own)), [folder, own])
  const beginning = useBeginning(path, own)
  const [FolderMenu, setFolderMenu] = useState<Awaited<ReturnType<typeof loadMenu>> | null>(null)

  const looks = useLooks()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is awaited is looked for again
  useEffect(() => {
    if (folder === undefined) {
      // The selection elsewhere ends at once, not when the server has answered.
      if (currentLocation().pathname.endsWith('/') && workspace().folder !== path) enterFolder(path, [])
      return
    }
    enterFolder(path, entries, { isTouch: isCoarse })
    const arrived = takeRevealed()
    if (arrived !== null) setReveal({ ...arrived, isArrival: listed.current !== path })
    listed.current = path
  }, [path, folder, entries, isCoarse, looks])

  const dragging = useDragging()
  useEffect(
    () => (panel.current === null || !can('create') ? undefined : dragging?.makeUploadTarget(panel.current, path)),
    [path, dragging],
  )
  const fresh = useLiveListing(path, folder !== undefined)
  // Loaded before it is asked for: keys that are pressed while a menu is awaited would be lost.
  useEffect(() => {
    if (folder !== undefined) void loadMenu().catch(() => {})
  }, [folder])
  const selected = useWorkspace(({ selection }) => selection.names.size)
  useAnnouncements(folder === undefined, entries.length, selected)
  useFolderKeys(path)

  async function openMenu(wanted: OpenMenu) {
    try {
      const [part] = await Promise.all([loadMenu(), untilComplete()])
      setFolderMenu(() => part)
      setMenu(wanted)
    } catch (error) {
      showFailure(error)
    }
  }

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
      aside={<DetailsDock />}
      note={note}
      footer={
        <>
          <StatusBar isLoading={folder === undefined} />
          {isNarrow && (
            <Apart place={phoneBarPlace}>
              <PhoneBar waiting={phoneBarPlace} />
            </Apart>
          )}
          {isAskedForOneTap && (
            <Apart>
              <OneTapQuestion />
            </Apart>
          )}
        </>
      }
    >
      {folder === undefined &&
        (beginning === null ? <Skeleton /> : <Beginning label={t('files.grid')} {...beginning} />)}
      {folder !== undefined && entries.length === 0 && (
        <EmptyFolder folder={folder} onMenu={(at) => void openMenu({ isForItems: false, at })} />
      )}
      {folder !== undefined && entries.length > 0 && (
        <FolderGrid
          key={path}
          path={path}
          label={t('files.grid')}
          entries={entries}
          sorting={own ?? shownSorting(folder.sorting)}
          reveal={reveal}
          fresh={fresh}
          roots={path === '/' ? roots : undefined}
          onMenu={(entry, at) => void openMenu({ isForItems: entry !== null, at })}
        />
      )}
      {path === '/' && folder !== undefined && (
        <Apart>
          <RootMarks onKnown={setRoots} />
        </Apart>
      )}
      {FolderMenu !== null && <FolderMenu menu={menu} onClose={() => setMenu(null)} onFocusBack={focusGrid} />}
    </Panel>
  )
}

/** Answers the names that are new. Loaded beside the first listing; without it the folder stays as it was read. */
function useLiveListing(path: string, isListed: boolean): ReadonlySet<string> | undefined {
  const [fresh, setFresh] = useState<ReadonlySet<string>>()
  useEffect(() => {
    if (!isListed) return
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, sessionSignal()])
    import('./watch-listing.ts').then(({ watchListing }) => watchListing(path, signal, setFresh)).catch(() => {})
    return () => {
      over.abort()
      setFresh(undefined)
    }
  }, [path, isListed])
  return fresh
}

/** Announces in the page's live region that the listing loads, how many entries it has and how many are selected. */
export function useAnnouncements(isLoading: boolean, count: number, selected: number): void {
  const { t } = useTranslation()
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
export const focusGrid = (): void =>
  document.querySelector<HTMLElement>('#listing [tabindex="0"][data-index]')?.focus({ preventScroll: true })
