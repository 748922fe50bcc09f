import type { ReactNode } from 'react'
import { ErrorBoundary } from '../errors/ErrorBoundary.tsx'
import { ErrorMessage } from '../errors/ErrorMessage.tsx'
import { t } from '../i18n/i18n.ts'
import { Button } from '../ui/Button.tsx'

/** The last boundary: what it catches is in the frame of the page itself, and only another start of the page helps. */
export function Crash({ children }: { children: ReactNode }) {
  const restart = () => window.location.reload()
  return (
    <ErrorBoundary
      onReachable={restart}
      fallback={({ status }) => (
        <main data-view="error" data-status={status} aria-busy="false" style={{ blockSize: '100dvh' }}>
          <ErrorMessage
            status={status}
            level={1}
            actions={
              <Button look="primary" icon="retry" onClick={restart}>
                {t('buttons.tryAgain')}
              </Button>
            }
          />
        </main>
      )}
    >
      {children}
    </ErrorBoundary>
  )
}
