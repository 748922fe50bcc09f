import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWhenReachable } from '../api/line.ts'
import { currentSession, resumeSession } from '../api/session.ts'
import { browserLocale, speak } from '../i18n/i18n.ts'
import { ErrorMessage } from '../screens/errors/ErrorMessage.tsx'
import { useAfterAWhile } from '../ui/after-a-while.ts'
import { Button, Spinner } from '../ui/Button.tsx'
import { App } from './App.tsx'
import styles from './Start.module.css'

/** How long the server may say nothing before the page says so, in milliseconds. */
const patience = 6000

/** The page from its first moment: who is here has to be found out, and the server may not answer. */
export function Start() {
  const [state, setState] = useState<'starting' | 'silent' | 'ready'>('starting')
  const isTrying = useRef(false)

  async function begin() {
    if (isTrying.current) return
    isTrying.current = true
    const resuming = resumeSession(patience)
    // What is stored says which language it will be, most of the time.
    const locale = localeOfPerson()
    const speaking = speakLocale(locale)
    const hasAnswered = await resuming
    isTrying.current = false
    if (!hasAnswered) return setState('silent')
    await (localeOfPerson() === locale ? speaking : speakLocale(localeOfPerson()))
    setState('ready')
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once; later tries are asked for below
  useEffect(() => void begin(), [])
  useWhenReachable(state === 'silent', () => void begin())

  if (state === 'ready') return <App />
  return state === 'starting' ? <Starting /> : <Silent onRetry={() => void begin()} />
}

/** Texts that do not come must not keep the page from coming. */
const speakLocale = (locale: string): Promise<unknown> =>
  Promise.race([speak(locale), new Promise((resolve) => setTimeout(resolve, patience))])

const localeOfPerson = (): string => currentSession()?.user.locale ?? browserLocale()

/** Below this nobody notices that there was nothing yet. */
const unnoticed = 300

function Starting() {
  const { t } = useTranslation()
  const isLong = useAfterAWhile(unnoticed)
  return (
    <main className={styles.page} aria-busy="true">
      {isLong && (
        <div role="status" aria-label={t('frame.loading')}>
          <Spinner />
        </div>
      )}
    </main>
  )
}

function Silent({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation()
  const retry = (
    <Button look="primary" icon="retry" onClick={onRetry}>
      {t('buttons.tryAgain')}
    </Button>
  )
  return (
    <main className={styles.page} data-view="error" data-status={0} aria-busy="false">
      <ErrorMessage status={0} level={1} actions={retry} />
    </main>
  )
}
