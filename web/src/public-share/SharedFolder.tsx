import type { FolderResource } from '@filestead/contract'
import { useMemo, useState } from 'react'
import { copyLink } from '../commands/copy-link.ts'
import { useKeys } from '../commands/keyboard.ts'
import { askWith } from '../dialogs/ask.ts'
import { saveArchive, saveFile } from '../files/download/save.ts'
import { FileGrid } from '../files/grid/FileGrid.tsx'
import { foldersFirst } from '../files/grid/sorting.ts'
import { useTranslation } from '../i18n/i18n.ts'
import { shareAddress } from '../navigation/addresses.ts'
import { hrefOf, navigate } from '../navigation/location.ts'
import type { Entry } from '../server/queries/resources.ts'
import { startSettings } from '../server/start-settings.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Icon } from '../ui/Icon.tsx'
import { NamedText } from '../ui/NamedText.tsx'
import { Toolbar } from '../ui/Toolbar.tsx'
import { everything, nothing, type Selection } from '../workspace/selection.ts'
import { QrCode } from './QrCode.tsx'
import { SelectionPreview } from './SelectionPreview.tsx'
import { ShareCrumbs } from './ShareCrumbs.tsx'
import styles from './SharedFolder.module.css'
import { SharedItemDetails } from './SharedItemDetails.tsx'
import { absolute, downloadUrl, type Shared, shareSource } from './shared.ts'

/** Entries shown at first, and added with each press. */
const page = 100

/** A shared folder: its name, the download, and its entries. */
export function SharedFolder({ shared, folder }: { shared: Shared; folder: FolderResource & { token?: string } }) {
  const { t } = useTranslation()
  const all = useMemo(() => foldersFirst(folder.items), [folder])
  const [shown, setShown] = useState(page)
  const [selection, setSelection] = useState<Selection>(nothing)
  const [isSelectingMany, setIsSelectingMany] = useState(false)
  const [isGallery, setIsGallery] = useState(
    () => startSettings.EnableThumbs && all.some(({ type }) => type === 'image'),
  )
  const entries = useMemo(() => all.slice(0, shown), [all, shown])
  const chosen = all.filter(({ name }) => selection.names.has(name))
  const [first] = chosen
  const single = chosen.length === 1 && first !== undefined && !first.isDir ? first : null
  const seen = chosen.length === 1 && !isSelectingMany ? first : undefined
  const link = downloadUrl(shared)
  const source = shareSource(shared)
  // The same keys as in the listing of files.
  const clear = () => setSelection(nothing)
  useKeys({ Escape: clear, 'Mod+A': () => setSelection(everything(all)) }, { level: 'page' })

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
        <div className={styles.about}>
          <h1 className={styles.title}>
            <bdi>{shared.name}</bdi>
          </h1>
          <SharedItemDetails name={shared.name} item={folder} isInline />
        </div>
        <Toolbar label={t('visit.actions')} className={styles.tools}>
          {single !== null && (
            <IconButton
              icon="link"
              label={t('visit.copyDownload')}
              onClick={() => void copyLink(absolute(downloadUrl(shared, { name: single.name })))}
            />
          )}
          <IconButton
            icon="select"
            label={t('visit.selectMany')}
            aria-pressed={isSelectingMany}
            onClick={() => setIsSelectingMany(!isSelectingMany)}
          />
          <IconButton
            icon={isGallery ? 'list' : 'gallery'}
            label={t('visit.switchView')}
            onClick={() => setIsGallery(!isGallery)}
          />
          <DownloadButton all={all.length} chosen={chosen.length} link={link} onDownload={() => void download()} />
        </Toolbar>
      </div>
      <p role="status" className={styles.count}>
        {chosen.length > 0 ? t('visit.selected', { count: chosen.length }) : t('visit.items', { count: all.length })}
      </p>
      {/* Selecting moves nothing in the list: the second click of a double click would open another entry. */}
      <div className={`share__box ${styles.content}`}>
        {all.length === 0 && <EmptyState scene="empty" title={t('visit.empty')} />}
        {all.length > 0 && (
          <div className={styles.grid}>
            <FileGrid
              label={t('visit.files')}
              entries={entries}
              viewMode={isGallery ? 'mosaic gallery' : 'list'}
              selection={selection}
              onSelect={setSelection}
              onOpen={(entry) => void navigate(addressIn(shared, entry))}
              onOpenInNewTab={(entry) => void window.open(hrefOf(addressIn(shared, entry)), '_blank', 'noopener')}
              thumbnailOf={(entry) =>
                startSettings.EnableThumbs && entry.type === 'image' ? source.preview('thumb', entry) : null
              }
              isSelectingMany={isSelectingMany}
            />
          </div>
        )}
        <div className={styles.aside}>
          {seen !== undefined && (
            <section aria-label={t('visit.preview')} className={styles.preview}>
              <SelectionPreview shared={shared} entry={seen} />
              <bdi className={styles.caption}>{seen.name}</bdi>
            </section>
          )}
          <div className={styles.qr}>
            <QrCode value={absolute(link)} size={100} />
          </div>
        </div>
      </div>
      {shown < all.length && (
        <div className={styles.more}>
          <Button look="line" onClick={() => setShown(shown + page)}>
            {t('visit.more', { count: Math.min(page, all.length - shown) })}
          </Button>
        </div>
      )}
    </div>
  )
}

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
  const whole = all === 0 ? name : t('visit.downloadAll', { total: all })
  const words = chosen === 0 ? whole : t('visit.downloadItems', { count: chosen })
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
