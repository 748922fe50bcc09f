import { archiveFormatOf, parentOf } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../../commands/keyboard.ts'
import { needTexts, useTranslation } from '../../i18n/i18n.ts'
import { fileAddress, folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { returnTo } from '../../navigation/return-to.ts'
import { may } from '../../server/queries/access.ts'
import { cache } from '../../server/queries/cache.ts'
import { type Entry, isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { announce } from '../../ui/live-status.ts'
import { enterFile, revealWhenListed } from '../../workspace/workspace.ts'
import { previewKind } from '../formats/kinds.ts'
import { asListed, useOwnOrder } from '../grid/list-order.ts'
import { Header, type HeaderAction } from './Header.tsx'
import { useIdleBars } from './idle-bars.ts'
import { useNeighbours } from './neighbours.ts'
import styles from './Preview.module.css'
import { keepSelection, togglePicked, usePicked } from './picks.ts'
import { type Results, useResultsAround } from './results-around.ts'
import { usePosition, useStepButtons } from './StepButtons.tsx'
import { sessionSource } from './source.ts'
import { isOnStage, useStepping, useSwipe } from './stepping.ts'
import { Viewer } from './Viewer.tsx'
import { Loading } from './ViewerParts.tsx'

const ArchiveViewer = lazyPart(async () => {
  const [{ ArchiveViewer }] = await Promise.all([import('./archive/ArchiveViewer.tsx'), needTexts('archives')])
  return ArchiveViewer
})

/**
 * One file: the frame, the ways to its neighbours, and the viewer for its kind. It stays while files
 * are stepped through, and asks the server for nothing but the listing of the folder, once. What was opened from the
 * results of a search has those as its neighbours.
 */
export function Preview({ file }: { file: Entry }) {
  const { t } = useTranslation()
  const kind = previewKind(file)
  const folder = parentOf(file.path)
  const frame = useRef<HTMLElement>(null)
  const [isPlaying, setIsPlaying] = useState(false)
  const source = sessionSource(file)
  // Visitors of a link do not look into archives: to the viewers that they share with users these are files like others.
  const isArchive = source.isReadable && archiveFormatOf(file.name) !== undefined
  const results = useResultsAround(file.path)
  const { items, isKnown } = useFilesBeside(folder, results)
  const neighbours = useNeighbours(items, file.path)
  const isIdle = useIdleBars(frame, kind === 'image' || (kind === 'video' && isPlaying))

  useEffect(() => {
    keepSelection(folder)
    enterFile('preview', folder, file)
  }, [folder, file])
  useEffect(() => announce(file.name), [file.name])

  function close() {
    revealWhenListed(folder, file.name)
    returnTo(folderAddress(folder))
  }
  async function open(entry: Entry) {
    // Of a result less is known than of an entry of its folder. This file stays in view until that is there.
    if (results !== null) await cache().prefetchQuery(resourceQuery(entry.path))
    await navigate(fileAddress(entry.path), { replace: true })
  }

  const step = useStepping({ neighbours, isKnown, onOpen: (entry) => void open(entry) })
  const listing = results ?? { folder, query: null }
  const picked = usePicked(listing)
  const pick = () => announce(t('files.selected', { count: togglePicked(listing, file.path) }))
  useKeys({ Escape: close, x: pick }, { level: 'frame' })
  const swipe = useSwipe(step)

  const own: HeaderAction[] = []
  if (kind === 'csv' && may('change', [file]))
    own.push({
      id: 'edit-as-text',
      label: t('preview.editAsText'),
      icon: 'edit',
      run: () => void navigate(`${fileAddress(file.path)}?edit=true`),
    })
  if ((kind === 'image' || kind === 'video' || kind === 'audio' || kind === 'pdf') && may('download', [file]))
    own.push({
      id: 'view-raw',
      label: t('preview.viewRaw'),
      icon: 'external',
      run: () => void window.open(source.raw(file), '_blank', 'noopener'),
    })

  const steps = useStepButtons({ frame, path: file.path, neighbours, onStep: step })
  const position = usePosition(neighbours)

  return (
    <main
      id="content"
      tabIndex={-1}
      className={isOnStage(kind) ? styles.cover : styles.panel}
      data-view="preview"
      aria-busy={false}
    >
      <h1 className={styles.visuallyHidden}>{t('preview.title')}</h1>
      <section
        ref={frame}
        // The name that installed custom style sheets know.
        id="previewer"
        className={styles.frame}
        aria-label={t('preview.title')}
        data-preview-type={isArchive ? 'archive' : kind}
        data-stage={isOnStage(kind) ? 'dark' : 'plain'}
        data-idle={isIdle}
      >
        <Header
          name={file.name}
          position={position}
          own={own}
          steps={isOnStage(kind) ? null : steps}
          picks={{ isPicked: picked.has(file.path), count: picked.size, onToggle: pick }}
          onClose={close}
        />
        <div className={styles.content} {...(kind !== 'image' && isOnStage(kind) && swipe)}>
          {isArchive ? (
            <ArchiveViewer key={file.path} file={file} onClose={close} waiting={<Loading />} />
          ) : (
            <Viewer
              source={source}
              file={file}
              neighbours={neighbours}
              onStep={step}
              onOpen={(entry) => void open(entry)}
              onPlaying={setIsPlaying}
              isAmongResults={results !== null}
              picked={picked}
            />
          )}
          {isOnStage(kind) && steps}
        </div>
      </section>
    </main>
  )
}

interface Beside {
  items: readonly Entry[] | undefined
  isKnown: boolean
}

/**
 * The listing as it was when the file was opened, in the order that is shown. Where it cannot be read there are no
 * neighbours, and no message.
 */
function useFilesBeside(folder: string, results: Results | null): Beside {
  const known = { staleTime: Number.POSITIVE_INFINITY, retry: false, enabled: results === null }
  const { data, isPending } = useQuery({ ...resourceQuery(folder), ...known })
  const own = useOwnOrder()
  const listed = useMemo(() => (data !== undefined && isFolder(data) ? asListed(data, own) : undefined), [data, own])
  if (results !== null) return { items: results.entries, isKnown: true }
  return { items: listed, isKnown: !isPending }
}
