import { Component, type ReactNode } from 'react'
import { t } from '../i18n/i18n.ts'
import { ErrorMessage } from '../screens/errors/ErrorMessage.tsx'
import { Button } from '../ui/Button.tsx'

/** What stands where the page would, if a mistake of ours took it away: a word, and a way back. */
export class Crash extends Component<{ children: ReactNode }, { hasCrashed: boolean }> {
  override state = { hasCrashed: false }

  static getDerivedStateFromError() {
    return { hasCrashed: true }
  }

  override render() {
    if (!this.state.hasCrashed) return this.props.children
    return (
      <main data-view="error" data-status="500" aria-busy="false" style={{ blockSize: '100dvh' }}>
        <ErrorMessage
          status={500}
          level={1}
          actions={
            <Button look="primary" icon="retry" onClick={() => window.location.reload()}>
              {t('buttons.tryAgain')}
            </Button>
          }
        />
      </main>
    )
  }
}
