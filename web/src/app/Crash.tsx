import { Component, type ReactNode, useEffect, useState } from 'react'
import { isReachable, useWhenReachable } from '../api/line.ts'
import { isMissingPart } from '../api/show-failure.ts'
import { t } from '../i18n/i18n.ts'
import { ErrorMessage } from '../screens/errors/ErrorMessage.tsx'
import { Button } from '../ui/Button.tsx'

/** What stands where the page would, if a mistake of ours took it away: a word, and a way back. */
export class Crash extends Component<{ children: ReactNode }, { status: 0 | 500 | null }> {
  override state: { status: 0 | 500 | null } = { status: null }

  static getDerivedStateFromError(error: unknown) {
    return { status: isMissingPart(error) ? 0 : 500 }
  }

  override render() {
    const { status } = this.state
    if (status === null) return this.props.children
    return (
      <main data-view="error" data-status={status} aria-busy="false" style={{ blockSize: '100dvh' }}>
        {status === 0 && <ComesBack />}
        <ErrorMessage
          status={status}
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

/**
 * A part of the program did not come. If the line is to blame the page begins anew once it is back; if not, beginning
 * anew may not help either, and is left to the person.
 */
function ComesBack() {
  const [isLineDown, setIsLineDown] = useState(false)
  useEffect(() => void isReachable().then((isThere) => setIsLineDown(!isThere)), [])
  useWhenReachable(isLineDown, () => window.location.reload())
  return null
}
