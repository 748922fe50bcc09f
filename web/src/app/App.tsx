import { useTranslation } from '../i18n/i18n.ts'
import { useSession } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import { currentScope, ScopeProvider } from '../state/session-scope.ts'
import { useLiveStatus } from '../ui/live-status.ts'
import { Toasts } from '../ui/Toasts.tsx'
import styles from './App.module.css'
import { Crash } from './Crash.tsx'
import { Screen } from './Screen.tsx'
import { useSessionClock } from './session-clock.ts'

const issues = 'https://github.com/filestead/filestead/issues/new'

export function App() {
  const { t } = useTranslation()
  useSession()
  const scope = currentScope()
  useSessionClock()
  const report = {
    label: t('frame.reportIssue'),
    open: (text: string) => void window.open(`${issues}?title=${encodeURIComponent(text)}`, '_blank', 'noopener'),
  }

  return (
    <ScopeProvider value={scope}>
      <Crash>
        {/* Another session begins with another screen: nothing that was mounted before knows it. */}
        <Screen key={scope.number} />
      </Crash>
      <LiveStatus />
      <Toasts
        label={t('frame.notifications')}
        closeLabel={t('frame.closeNotification')}
        report={startSettings.DisableExternal ? undefined : report}
      />
    </ScopeProvider>
  )
}

/** Announces to screen readers what has changed on the screen. There from the start. */
const LiveStatus = () => (
  <div id="live-status" role="status" aria-live="polite" className={styles.visuallyHidden}>
    {useLiveStatus()}
  </div>
)
