import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { copyLink } from '../commands/copy-link.ts'
import { useKeys } from '../commands/keyboard.ts'
import { askWith } from '../dialogs/ask.ts'
import { ErrorBoundary } from '../errors/ErrorBoundary.tsx'
import { saveArchive, saveFile } from '../files/download/save.ts'
import { FileGrid, type Reveal } from '../files/grid/FileGrid.tsx'
import type { AskMedia } from '../files/grid/gallery.ts'
import { foldersFirst } from '../files/grid/sorting.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { shareAddress } from '../navigation/addresses.ts'
import { hrefOf, navigate } from '../navigation/location.ts'
import type { Entry } from '../server/queries/resources.ts'
import { startSettings } from '../server/start-settings.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Icon } from '../ui/Icon.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useMedia } from '../ui/media.ts'
import { NamedText } from '../ui/NamedText.tsx'
import { canSendLinks, sendLink } from '../ui/send-link.ts'
import { Toolbar } from '../ui/Toolbar.tsx'
import { everything, nothing, type Selection } from '../workspace/selection.ts'
import { Facts } from './Facts.tsx'
import { QrCode } from './QrCode.tsx'
import { ShareCrumbs } from './ShareCrumbs.tsx'
import styles from './SharedFolder.module.css'
import { absolute, downloadUrl, type Shared, shareSource } from './shared.ts'
import type { FolderOfLink } from './shared-items.ts'

const SelectionPreview = lazyPart(async () => (await import('./SelectionPreview.tsx')).SelectionPreview)

/** Entries shown at first, and added with each press. */
const page = 100

interface SharedFolderProps {
  shared: Shared
  folder: FolderOfLink
  /** The name of the file of it that is open above; null while the folder is in view. */
  open: string | null
}

/** A shared folder: its name, the download, and its entries. */
export function SharedFolder({ shared, folder, open }: SharedFolderProps) {
  const { t } = useTranslation()
  const all = useMemo(() => foldersFirst(folder.items), [folder])
  const isEmpty = all.length === 0
  const [shown, setShown] = useState(page)
  const [selection, setSelection] = useState<Selection>(nothing)
  const [isSelectingMany, setIsSelectingMany] = useState(false)
  const [isGallery, setIsGallery] = useState(() => startSettings.EnableThumbs && isAlbum(all))
  const entries = useMemo(() => all.slice(0, shown), [all, shown])
  const chosen = all.filter(({ name }) => selection.names.has(name))
  const [first] = chosen
  const single = chosen.length === 1 && first !== undefined && !first.isDir ? first : null
  const isCoarse = useMedia('coarse')
  const seen = chosen.length === 1 && !isSelectingMany && !isCoarse ? first : undefined
  const link = downloadUrl(shared)
  const source = shareSource(shared)
  const { hash, token, path } = shared
  const askMedia = useCallback<AskMedia>(
    (names, signal) => shareSource({ hash, token }).media(path, names, signal),
    [hash, token, path],
  )
  // The same keys as in the listing of files.
  const clear = () => select(nothing)
  useKeys({ Escape: clear, 'Mod+A': () => select(everything(all)) }, { level: 'page', isOn: open === null })

  // The file that was looked at last is in view again, and has the focus.
  const grid = useRef<HTMLDivElement>(null)
  const [lastOpen, setLastOpen] = useState(open)
  const [reveal, setReveal] = useState<Reveal | null>(null)
  if (open !== lastOpen) {
    setLastOpen(open)
    if (open === null && lastOpen !== null) {
      const index = all.findIndex(({ name }) => name === lastOpen)
      setShown(Math.max(shown, Math.ceil((index + 1) / page) * page))
      setReveal({ name: lastOpen, focus: 'take', isArrival: false })
    }
  }
  useEffect(() => {
    const rows = [...(grid.current?.querySelectorAll('[role=row]') ?? [])]
    rows.find(({ ariaLabel }) => ariaLabel === reveal?.name)?.scrollIntoView({ block: 'nearest' })
  }, [reveal])

  // The viewers are what comes next.
  useEffect(() => {
    const timer = setTimeout(() => void import('./SharedFile.tsx').catch(() => {}), 1000)
    return () => clearTimeout(timer)
  }, [])

  /** A tap opens. A long press begins to select, and the taps that follow add, until nothing is selected any more. */
  function select(next: Selection) {
    setSelection(next)
    if (isCoarse) setIsSelectingMany(next.names.size > 0)
  }

  async function download() {
    if (single !== null) return saveFile(downloadUrl(shared, { name: single.name }))
    const question = { count: chosen.length, folder: shared.path, name: first?.name }
    const format = await askWith(
      async () => (await import('../files/download/FormatDialog.tsx')).FormatDialog,
      question,
    )
    if (format === null) return
    // One folder is packed by itself, under its own name.
    if (first !== undefined && chosen.length === 1)
      saveArchive({ folder: downloadUrl(shared, { name: first.name }), names: [], format })
    else saveArchive({ folder: link, names: chosen.map(({ name }) => name), format })
  }

  return (
    <div id="shareList" className={styles.page}>
      {shared.path !== '/' && <ShareCrumbs hash={shared.hash} path={shared.path} isDir />}
      <div className={`share__box ${styles.hero}`}>
        <h1 className={styles.title}>
          <bdi>{shared.name}</bdi>
        </h1>
        <Facts name={shared.name} item={folder} />
      </div>
      <div className={styles.bar}>
        <Toolbar label={t('files.fileActions')} className={styles.tools}>
          {!isEmpty && (
            <DownloadButton all={all.length} chosen={chosen.length} link={link} onDownload={() => void download()} />
          )}
          <p role="status" className={styles.count}>
            {chosen.length > 0 && t('files.selected', { count: chosen.length })}
          </p>
          {single !== null && (
            <IconButton
              icon="link"
              label={t('visit.copyDownload')}
              onClick={() => void copyLink(absolute(downloadUrl(shared, { name: single.name })))}
            />
          )}
          {!isEmpty && (
            <>
              <IconButton
                icon="select"
                label={t('files.selectMultiple')}
                aria-pressed={isSelectingMany}
                onClick={() => (isCoarse && isSelectingMany ? clear() : setIsSelectingMany(!isSelectingMany))}
              />
              <IconButton
                icon={isGallery ? 'list' : 'gallery'}
                label={t('files.switchView')}
                onClick={() => setIsGallery(!isGallery)}
              />
            </>
          )}
          {canSendLinks() && (
            <IconButton icon="share" label={t('visit.send')} onClick={() => sendLink(shared.name, location.href)} />
          )}
          <QrCode value={absolute(link)} size={100} />
        </Toolbar>
      </div>
      {/* Selecting moves nothing in the list: the second click of a double click would open another entry. */}
      <div className={`share__box ${styles.content}`}>
        {isEmpty && <EmptyState scene="empty" title={t('visit.empty')} />}
        {!isEmpty && (
          <div ref={grid} className={styles.grid}>
            <FileGrid
              label={t('visit.files')}
              entries={entries}
              viewMode={isGallery ? 'mosaic gallery' : 'list'}
              selection={selection}
              onSelect={select}
              onOpen={(entry) => void navigate(addressIn(shared, entry))}
              onOpenInNewTab={(entry) => void window.open(hrefOf(addressIn(shared, entry)), '_blank', 'noopener')}
              askMedia={askMedia}
              thumbnailOf={(entry, size) =>
                startSettings.EnableThumbs && entry.type === 'image' ? source.preview(size, entry) : null
              }
              isSelectingMany={isSelectingMany}
              opensOnClick={isCoarse}
              reveal={reveal}
            />
          </div>
        )}
      </div>
      {shown < all.length && (
        <div className={styles.more}>
          <Button look="line" onClick={() => setShown(shown + page)}>
            {t('visit.more', { count: Math.min(page, all.length - shown) })}
          </Button>
        </div>
      )}
      {seen !== undefined && open === null && (
        <section aria-label={t('preview.title')} className={styles.preview}>
          {/* The list does without it where its code does not come. */}
          <ErrorBoundary of={seen.path} fallback={() => null}>
            <SelectionPreview shared={shared} entry={seen} waiting={<div className={styles.waiting} />} />
          </ErrorBoundary>
          <div className={styles.caption}>
            <bdi>{seen.name}</bdi>
            <IconButton icon="x" label={t('buttons.close')} small onClick={clear} />
          </div>
        </section>
      )}
    </div>
  )
}

/** Mostly pictures. */
const isAlbum = (entries: readonly Entry[]): boolean =>
  entries.filter(({ type }) => type === 'image').length > entries.filter(({ isDir }) => !isDir).length / 2

interface DownloadButtonProps {
  all: number
  chosen: number
  /** Everything, as one archive. */
  link: string
  onDownload: () => void
}

/** Downloads everything, or what is selected; its text says which. */
function DownloadButton({ all, chosen, link, onDownload }: DownloadButtonProps) {
  const { t } = useTranslation()
  const name = t('visit.download')
  const words = chosen === 0 ? t('visit.downloadAll', { total: all }) : t('visit.downloadItems', { count: chosen })
  const content = (
    <>
      <Icon name="download" />
      <span>
        <NamedText name={name} shown={words} />
      </span>
    </>
  )
  return chosen === 0 ? (
    <a className={styles.primary} href={link} download="" aria-description={words}>
      {content}
    </a>
  ) : (
    <button type="button" className={styles.primary} aria-description={words} onClick={onDownload}>
      {content}
    </button>
  )
}

const addressIn = ({ hash }: Shared, entry: Entry): string => shareAddress(hash, entry)
