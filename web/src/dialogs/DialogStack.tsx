import { Suspense } from 'react'
import { useTranslation } from '../i18n/i18n.ts'
import { useAfterAWhile } from '../ui/after-a-while.ts'
import { Spinner } from '../ui/Button.tsx'
import { useLoadingDialog, useOpenDialogs } from './ask.ts'
import styles from './DialogStack.module.css'

/** The open dialogs, oldest first: the newest lies on top and is answered first. */
export function DialogStack() {
  const loading = useLoadingDialog()
  return (
    <>
      {useOpenDialogs().map(({ id, element }) => (
        <Suspense key={id} fallback={null}>
          {element}
        </Suspense>
      ))}
      {loading !== null && <LoadingIndicator onCancel={loading.cancel} />}
    </>
  )
}

/** In milliseconds. A dialog that is loaded faster needs no indicator. */
const indicatorDelay = 300

/** Stands where the dialog will. A click cancels it, as beside any dialog. */
function LoadingIndicator({ onCancel }: { onCancel: () => void }) {
  const { t } = useTranslation()
  if (!useAfterAWhile(indicatorDelay)) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is heard wherever the focus is
    <div
      role="status"
      aria-label={t('frame.loading')}
      className={styles.loading}
      onClick={(event) => event.detail < 2 && onCancel()}
    >
      <Spinner />
    </div>
  )
}
