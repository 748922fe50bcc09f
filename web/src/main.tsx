import './styles/tokens.css'
import './styles/reset.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { currentSession, resumeSession } from './api/session.ts'
import { startSettings } from './api/start-settings.ts'
import { App } from './app/App.tsx'
import { watchInstalledApp } from './app/installed-app.ts'
import { browserLocale, speak } from './i18n/i18n.ts'
import { applyBrandColor, applyTheme } from './ui/theme.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app element')

applyTheme(startSettings.Theme)
applyBrandColor(startSettings.Color)
await resumeSession(60_000)
await speak(currentSession()?.user.locale ?? browserLocale())
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
watchInstalledApp()
