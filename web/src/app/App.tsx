import type { StartSettings } from '@filestead/contract'
import { useMemo } from 'react'
import { createApi } from '../api/client.ts'
import { storedToken } from '../features/session/token.ts'
import { StartScreen } from '../screens/start/StartScreen.tsx'

export function App({ settings }: { settings: StartSettings }) {
  const api = useMemo(() => createApi(settings.BaseURL, storedToken), [settings.BaseURL])

  return (
    <StartScreen
      api={api}
      name={settings.Name || 'File Browser'}
      version={settings.Version}
      logo={`${settings.StaticURL}/img/logo.svg`}
    />
  )
}
