import { useTranslation } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import type { Failure } from './ErrorBoundary.tsx'
import { ErrorMessage } from './ErrorMessage.tsx'

interface ViewFailureProps extends Failure {
  level: 1 | 2
  /** Leads out of the view; absent where there is nothing behind it. */
  onClose?: (() => void) | undefined
}

/** Stands in for a view that threw an error or could not be loaded. */
export function ViewFailure({ status, level, retry, onClose }: ViewFailureProps) {
  const { t } = useTranslation()
  const actions = (
    <>
      <Button look="primary" icon="retry" onClick={retry}>
        {t('buttons.tryAgain')}
      </Button>
      {onClose !== undefined && (
        <Button look="line" icon="x" onClick={onClose}>
          {t('buttons.close')}
        </Button>
      )}
    </>
  )
  if (status === 0) return <ErrorMessage status={0} level={level} actions={actions} />
  return (
    <EmptyState
      scene="500"
      level={level}
      isAlert
      title={t('errors.viewFailed')}
      text={t('errors.viewFailedText')}
      actions={actions}
    />
  )
}
