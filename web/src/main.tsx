import './styles/tokens.css'
import './styles/reset.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { readStartSettings } from './app/start-settings.ts'
import { applyBrandColor, applyTheme } from './app/theme.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app element')

const settings = readStartSettings()
applyTheme(settings.Theme)
applyBrandColor(settings.Color)
createRoot(root).render(
  <StrictMode>
    <App settings={settings} />
  </StrictMode>,
)
