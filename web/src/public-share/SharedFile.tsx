import { Suspense, useRef } from 'react'
import { copyLink } from '../commands/copy-link.ts'
import { ErrorBoundary, lazyPart } from '../errors/ErrorBoundary.tsx'
import { ViewFailure } from '../errors/ViewFailure.tsx'
import { previewKind } from '../files/formats/kinds.ts'
import { useNeighbours } from '../files/viewers/neighbours.ts'
import { usePosition, useStepButtons } from '../files/viewers/StepButtons.tsx'
import { isOnStage, useStepping, useSwipe } from '../files/viewers/stepping.ts'
import { Loading, ModeContext } from '../files/viewers/ViewerParts.tsx'
import { useTranslation } from '../i18n/i18n.ts'
import { shareAddress } from '../navigation/addresses.ts'
import { navigate } from '../navigation/location.ts'
import type { Entry } from '../server/queries/resources.ts'
import { IconButton } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { QrCode } from './QrCode.tsx'
import { ShareCrumbs } from './ShareCrumbs.tsx'
import styles from './SharedFile.module.css'
import { SharedItemDetails } from './SharedItemDetails.tsx'
import { absolute, downloadUrl, type Shared, shareSource } from './shared.ts'
import { type SharedItem, useFilesBeside } from './shared-items.ts'

const Viewer = lazyPart(async () => (await import('../files/viewers/Viewer.tsx')).Viewer)

/** One file in its viewer, with the ways to its neighbours in the shared folder, and its download. */
export function SharedFile({ shared, file }: { shared: Shared; file: SharedItem }) {
  const { t } = useTranslation()
  const link = downloadUrl(shared)

  return (
    <div className={styles.page}>
      {shared.path !== '/' && <ShareCrumbs hash={shared.hash} path={shared.path} isDir={false} />}
      <div className={styles.columns}>
        <SharedViewer shared={shared} file={file} />
        <div className={`share__box ${styles.side}`}>
          <h1 className={styles.title}>
            <bdi>{shared.name}</bdi>
          </h1>
          <SharedItemDetails name={shared.name} item={file} />
          <a className={styles.primary} href={link} download="">
            <Icon name="download" />
            {t('visit.download')}
          </a>
          <div className={styles.second}>
            <a className={styles.line} href={downloadUrl(shared, { inline: true })} target="_blank" rel="noopener">
              <Icon name="external" />
              {t('visit.openFile')}
            </a>
            <IconButton icon="link" label={t('visit.copyDownload')} onClick={() => void copyLink(absolute(link))} />
          </div>
          <QrCode value={absolute(link)} size={200} />
        </div>
      </div>
    </div>
  )
}

function SharedViewer({ shared, file }: { shared: Shared; file: SharedItem }) {
  const { t } = useTranslation()
  const region = useRef<HTMLElement>(null)
  const { items, isKnown } = useFilesBeside(shared)
  const neighbours = useNeighbours(items, shared.name)
  const position = usePosition(neighbours)
  const open = (entry: Entry) => void navigate(shareAddress(shared.hash, entry), { replace: true })
  const step = useStepping({ neighbours, isKnown, onOpen: open })
  const steps = useStepButtons({ frame: region, path: shared.path, neighbours, onStep: step })
  const swipe = useSwipe(step)
  // A file that was shared itself has no path below the share.
  const entry = { ...file, path: shared.path, name: shared.name }
  const kind = previewKind(entry)

  return (
    <section ref={region} aria-label={t('visit.preview')} className={`share__box ${styles.preview}`}>
      <div className={styles.frame} data-preview-type={kind} {...(kind !== 'image' && isOnStage(kind) && swipe)}>
        <ModeContext value="embedded">
          <ErrorBoundary of={shared.path} fallback={(failure) => <ViewFailure level={2} {...failure} />}>
            <Suspense fallback={<Loading />}>
              <Viewer
                source={shareSource(shared)}
                file={entry}
                neighbours={neighbours}
                onStep={step}
                onOpen={open}
                onPlaying={ignore}
              />
            </Suspense>
          </ErrorBoundary>
        </ModeContext>
      </div>
      {(neighbours.previous !== null || neighbours.next !== null) && (
        <div className={styles.steps}>
          {steps}
          {position !== null && <span className={styles.position}>{position}</span>}
        </div>
      )}
    </section>
  )
}

const ignore = () => {}
