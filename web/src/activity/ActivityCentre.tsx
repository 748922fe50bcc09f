import { ErrorBoundary, type Failure } from '../errors/ErrorBoundary.tsx'
import { needTexts, useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import styles from './ActivityCentre.module.css'
import { useActivities } from './activities.ts'

/** Work that may outlast the connection loads it before it begins: later it could not be loaded any more. */
export async function loadTray() {
  const [{ ActivityTray }] = await Promise.all([import('./ActivityTray.tsx'), needTexts('jobs')])
  return ActivityTray
}

const ActivityTray = lazyPart(loadTray)

/** The tray, fetched when something is under way for the first time. */
export function ActivityCentre() {
  const isNeeded = useActivities(({ length }) => length > 0)
  if (!isNeeded) return null
  return (
    <ErrorBoundary fallback={(failure) => <FailedTray {...failure} />}>
      <ActivityTray />
    </ErrorBoundary>
  )
}

/** The work itself goes on. */
function FailedTray({ status, retry }: Failure) {
  const { t } = useTranslation()
  return (
    <section aria-label={t('activity.title')} className={styles.failed}>
      <p role="alert">{t(status === 0 ? 'errors.connection' : 'errors.viewFailed')}</p>
      <Button look="line" size="small" icon="retry" onClick={retry}>
        {t('buttons.tryAgain')}
      </Button>
    </section>
  )
}
