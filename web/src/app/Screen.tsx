import { lazy, Suspense, useEffect } from 'react'
import { useSession } from '../api/session.ts'
import { navigate, useLocation } from '../navigation/location.ts'
import { dismissPrompts } from '../prompts/prompts.ts'
import { ErrorScreen } from '../screens/errors/ErrorScreen.tsx'
import { FilesScreen } from '../screens/files/FilesScreen.tsx'
import { LoginScreen } from '../screens/login/LoginScreen.tsx'
import { type Route, routeOf } from './routes.ts'
import { Shell } from './Shell.tsx'

const SettingsScreen = lazy(async () => ({
  default: (await import('../screens/settings/SettingsScreen.tsx')).SettingsScreen,
}))
const ShareScreen = lazy(async () => ({ default: (await import('../screens/share/ShareScreen.tsx')).ShareScreen }))

/** The screen of the present address, in the frame that goes with it. */
export function Screen() {
  const address = useLocation()
  useSession()
  const route = routeOf(address)
  const redirect = 'redirect' in route ? route.redirect : null

  useEffect(() => {
    if (redirect !== null) void navigate(redirect, { replace: true })
  }, [redirect])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is the trigger, not an input
  useEffect(() => dismissPrompts, [address.pathname])

  if ('redirect' in route) return null
  if (route.screen === 'login') return <LoginScreen />
  if (route.screen === 'share') {
    return (
      <Suspense fallback={null}>
        <ShareScreen />
      </Suspense>
    )
  }
  return (
    <Shell>
      <Suspense fallback={null}>
        <Content route={route} />
      </Suspense>
    </Shell>
  )
}

function Content({ route }: { route: Exclude<Route, { redirect: string } | { screen: 'login' | 'share' }> }) {
  switch (route.screen) {
    case 'files':
      return <FilesScreen />
    case 'settings':
      return <SettingsScreen tab={route.tab} />
    case 'error':
      return <ErrorScreen status={route.status} />
  }
}
