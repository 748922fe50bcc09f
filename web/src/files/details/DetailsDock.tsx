import { ErrorBoundary } from '../../errors/ErrorBoundary.tsx'
import { ViewFailure } from '../../errors/ViewFailure.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { useMedia } from '../../ui/media.ts'
import styles from './DetailsDock.module.css'
import { openDetails, useIsDetailsOpen } from './details.ts'

const DetailsPane = lazyPart(async () => (await import('./DetailsPane.tsx')).DetailsPane)

/** The place of the pane. It is there at once, so that the listing does not move when the pane is loaded. */
export function DetailsDock() {
  const { t } = useTranslation()
  const isOpen = useIsDetailsOpen()
  const hasRoom = useMedia('docked')
  if (!isOpen || !hasRoom) return null
  const close = () => openDetails(false)
  return (
    <aside className={styles.dock} aria-label={t('info.details')}>
      <ErrorBoundary fallback={(failure) => <ViewFailure level={2} {...failure} onClose={close} />}>
        <DetailsPane onClose={close} />
      </ErrorBoundary>
    </aside>
  )
}
