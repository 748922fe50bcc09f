import type { ReactNode } from 'react'
import { ErrorMessage } from '../../errors/ErrorMessage.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { ApiError } from '../../server/client.ts'
import { Button, Spinner } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import type { Stop } from './moments.ts'
import { StopList } from './StopList.tsx'
import styles from './TimelineFrame.module.css'
import { TimeSlider } from './TimeSlider.tsx'
import whole from './WholeDialog.module.css'

interface TimelineFrameProps {
  /** What it is about, below the title. */
  subject: ReactNode
  stops: readonly Stop[]
  index: number
  onChoose(index: number): void
  isLoading: boolean
  error: Error | null
  onRetry(): void
  /** Instead of everything else, where there is no state but the present one. */
  empty: ReactNode
  /** Says that there are more states than are told. */
  isCut: boolean
  actions: ReactNode
  onClose(): void
  /** The chosen state. */
  children: ReactNode
}

/** Slider, list and the chosen state; on a phone one below the other. */
export function TimelineFrame(props: TimelineFrameProps) {
  const { subject, stops, index, onChoose, isLoading, error, onRetry, empty, isCut, actions, onClose, children } = props
  const { t } = useTranslation()
  const isShown = error === null && !isLoading && empty === null
  return (
    <Dialog
      title={t('history.title')}
      width="stage"
      onClose={onClose}
      asideAction={
        <Button look="line" onClick={onClose}>
          {t('buttons.close')}
        </Button>
      }
      actions={isShown ? actions : null}
    >
      <div className={whole.whole} aria-busy={isLoading}>
        <p className={styles.subject}>{subject}</p>
        {error !== null && (
          <ErrorMessage
            status={error instanceof ApiError ? error.status : 500}
            level={2}
            actions={
              <Button look="primary" icon="retry" onClick={onRetry}>
                {t('buttons.tryAgain')}
              </Button>
            }
          />
        )}
        {error === null && isLoading && (
          <div className={styles.waiting} role="status" aria-label={t('history.loading')}>
            <Spinner />
          </div>
        )}
        {error === null && !isLoading && empty}
        {isShown && (
          <>
            <TimeSlider stops={stops} index={index} onChoose={onChoose} />
            <div className={styles.columns}>
              <div className={styles.list}>
                <StopList stops={stops} index={index} onChoose={onChoose} />
                {isCut && <p className={styles.cut}>{t('history.cut')}</p>}
              </div>
              <div className={styles.state}>{children}</div>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
