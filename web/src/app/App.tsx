import { QueryClientProvider } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { registerActions } from '../actions/registry.ts'
import { useShortcuts } from '../actions/shortcuts.ts'
import { cache } from '../api/cache.ts'
import { useSession } from '../api/session.ts'
import { startSettings } from '../api/start-settings.ts'
import { DropListener } from '../features/change/DropListener.tsx'
import { useTakeoverNotice } from '../features/takeover/takeover-notice.ts'
import { PromptStack } from '../prompts/PromptStack.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import { actions } from './actions.ts'
import { Crash } from './Crash.tsx'
import { LiveStatus } from './LiveStatus.tsx'
import { Screen } from './Screen.tsx'
import { useSessionClock } from './session-clock.ts'

registerActions(actions)

const issues = 'https://github.com/filestead/filestead/issues/new'

export function App() {
  const { t } = useTranslation()
  const session = useSession()
  useShortcuts()
  useSessionClock()
  useTakeoverNotice()
  const report = {
    label: t('frame.reportIssue'),
    open: (text: string) => void window.open(`${issues}?title=${encodeURIComponent(text)}`, '_blank', 'noopener'),
  }

  return (
    <QueryClientProvider client={cache}>
      <Crash>
        {/* Another session begins with another screen: nothing that was mounted before knows it. */}
        <Screen key={session?.scope ?? 'nobody'} />
        <PromptStack />
      </Crash>
      <DropListener />
      <LiveStatus />
      <Toasts
        label={t('frame.notifications')}
        closeLabel={t('frame.closeNotification')}
        report={startSettings.DisableExternal ? undefined : report}
      />
    </QueryClientProvider>
  )
}
