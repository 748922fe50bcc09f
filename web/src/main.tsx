import './styles/tokens.css'
import './styles/reset.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startSettings } from './api/start-settings.ts'
import { watchInstalledApp } from './app/installed-app.ts'
import { Start } from './app/Start.tsx'
import { applyBrandColor, applyTheme } from './ui/theme.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app element')

applyTheme(startSettings.Theme)
applyBrandColor(startSettings.Color)
createRoot(root).render(
  <StrictMode>
    <Start />
  </StrictMode>,
)
watchInstalledApp()
