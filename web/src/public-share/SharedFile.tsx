import { parentOf } from '@filestead/contract'
import { type ReactNode, useEffect, useRef } from 'react'
import { copyLink } from '../commands/copy-link.ts'
import { useKeys } from '../commands/keyboard.ts'
import { ErrorBoundary } from '../errors/ErrorBoundary.tsx'
import { ViewFailure } from '../errors/ViewFailure.tsx'
import { isText, previewKind } from '../files/formats/kinds.ts'
import { type Neighbours, useNeighbours } from '../files/viewers/neighbours.ts'
import { usePosition, useStepButtons } from '../files/viewers/StepButtons.tsx'
import { isOnStage, type Step, useStepping, useSwipe } from '../files/viewers/stepping.ts'
import { Viewer } from '../files/viewers/Viewer.tsx'
import { ModeContext, type ViewerMode } from '../files/viewers/ViewerParts.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { shareAddress } from '../navigation/addresses.ts'
import { navigate } from '../navigation/location.ts'
import { returnTo } from '../navigation/return-to.ts'
import type { Entry } from '../server/queries/resources.ts'
import { IconButton } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { announce } from '../ui/live-status.ts'
import { canSendLinks, sendLink } from '../ui/send-link.ts'
import { Facts } from './Facts.tsx'
import { QrCode } from './QrCode.tsx'
import { ShareCrumbs } from './ShareCrumbs.tsx'
import styles from './SharedFile.module.css'
import { absolute, downloadUrl, type Shared, shareSource } from './shared.ts'
import type { SharedItem } from './shared-items.ts'

/** A file that was shared by itself: its viewer, and beside it what it is and its download. */
export function SharedFile({ shared, file }: { shared: Shared; file: SharedItem }) {
  const { t } = useTranslation()
  // It has no path below the share.
  const entry = { ...file, path: shared.path, name: shared.name }

  return (
    <div className={styles.page}>
      <section
        aria-label={t('preview.title')}
        className={`share__box ${styles.preview}`}
        data-preview-type={previewKind(entry)}
      >
        <Content shared={shared} file={entry} mode="embedded" neighbours={alone} onStep={ignore} onOpen={ignore} />
      </section>
      <div className={`share__box ${styles.side}`}>
        <h1 className={styles.name}>
          <bdi>{shared.name}</bdi>
        </h1>
        <Facts name={shared.name} item={file} />
        <div className={styles.actions}>
          <DownloadLink shared={shared} />
          <a className={styles.open} href={downloadUrl(shared, { inline: true })} target="_blank" rel="noopener">
            <Icon name="external" />
            {t('preview.openFile')}
          </a>
          <LinkButtons shared={shared} />
        </div>
      </div>
    </div>
  )
}

interface FolderFileProps {
  shared: Shared
  file: SharedItem
  /** Of its folder; undefined while they are not known, and where the folder cannot be read. */
  items: readonly Entry[] | undefined
  isFolderKnown: boolean
}

/** A file of a shared folder, over the whole page, with the ways to its neighbours and back. */
export function FolderFile({ shared, file, items, isFolderKnown }: FolderFileProps) {
  const { t } = useTranslation()
  const frame = useRef<HTMLDivElement>(null)
  const entry = { ...file, path: shared.path, name: shared.name }
  const kind = previewKind(entry)
  // What is to be read has no buttons over it.
  const isStage = isOnStage(kind) && !isText(entry)
  const folder = parentOf(shared.path)
  const neighbours = useNeighbours(items, shared.path, everyFile)
  const position = usePosition(neighbours)
  const open = (next: Entry) => void navigate(shareAddress(shared.hash, next), { replace: true })
  const step = useStepping({ neighbours, isKnown: isFolderKnown, onOpen: open })
  const steps = useStepButtons({ frame, path: shared.path, neighbours, onStep: step })
  const swipe = useSwipe(step)
  const close = () => void returnTo(shareAddress(shared.hash, { path: folder, isDir: true }))
  useKeys({ Escape: close }, { level: 'frame' })
  useEffect(() => announce(shared.name), [shared.name])

  return (
    <div ref={frame} className={styles.cover} data-preview-type={kind}>
      <header className={styles.header}>
        <IconButton icon="x" label={t('buttons.close')} hint="Esc" onClick={close} />
        <div className={styles.title}>
          <div className={styles.crumbs}>
            <ShareCrumbs hash={shared.hash} path={folder} isDir />
          </div>
          <h1 className={styles.heading} title={shared.name}>
            <bdi>{shared.name}</bdi>
          </h1>
          {position !== null && <span className={styles.position}>{position}</span>}
          <div className={styles.facts}>
            <Facts name={shared.name} item={file} />
          </div>
        </div>
        {!isStage && steps}
        <div className={styles.actions}>
          <a
            className={styles.icon}
            href={downloadUrl(shared, { inline: true })}
            target="_blank"
            rel="noopener"
            aria-label={t('preview.openFile')}
            title={t('preview.openFile')}
          >
            <Icon name="external" />
          </a>
          <LinkButtons shared={shared} />
          <DownloadLink shared={shared} />
        </div>
      </header>
      <section aria-label={t('preview.title')} className={styles.stage} {...(kind !== 'image' && isStage && swipe)}>
        <Content shared={shared} file={entry} mode="screen" neighbours={neighbours} onStep={step} onOpen={open} />
        {isStage && steps}
      </section>
    </div>
  )
}

interface ContentProps {
  shared: Shared
  file: Entry
  mode: ViewerMode
  neighbours: Neighbours
  onStep(step: Step): void
  onOpen(entry: Entry): void
}

const Content = ({ shared, mode, ...viewer }: ContentProps): ReactNode => (
  <ModeContext value={mode}>
    <ErrorBoundary of={shared.path} fallback={(failure) => <ViewFailure level={2} {...failure} />}>
      <Viewer source={shareSource(shared)} {...viewer} onPlaying={ignore} />
    </ErrorBoundary>
  </ModeContext>
)

function DownloadLink({ shared }: { shared: Shared }) {
  const { t } = useTranslation()
  return (
    <a className={styles.download} href={downloadUrl(shared)} download="" title={t('visit.download')}>
      <Icon name="download" />
      <span className={styles.word}>{t('visit.download')}</span>
    </a>
  )
}

/** What can be done with the address of a file: copied, sent, scanned. */
function LinkButtons({ shared }: { shared: Shared }) {
  const { t } = useTranslation()
  const link = absolute(downloadUrl(shared))
  return (
    <>
      <IconButton icon="link" label={t('visit.copyDownload')} onClick={() => void copyLink(link)} />
      {canSendLinks() && (
        <IconButton icon="share" label={t('visit.send')} onClick={() => sendLink(shared.name, location.href)} />
      )}
      <QrCode value={link} size={200} />
    </>
  )
}

const alone: Neighbours = { previous: null, next: null, all: [], position: -1 }
const everyFile = () => true
const ignore = () => {}
