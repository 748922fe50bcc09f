import './styles/tokens.css'
import './styles/reset.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { watchInstalledApp } from './app/installed-app.ts'
import { start } from './app/start.ts'
import { startSettings } from './server/start-settings.ts'
import { applyBrandColor } from './ui/theme.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app element')

applyBrandColor(startSettings.Color)
// Not awaited here: the parts that it loads import from this module's chunk, and would wait for it in turn.
void start().then(() => {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
  // The page goes without tooltips until then, and where they cannot be loaded.
  import('./ui/tooltips.ts').catch(() => {})
  // Apart, because few need it.
  if (matchMedia('(forced-colors: active)').matches) import('./styles/forced-colors.css').catch(() => {})
})
watchInstalledApp()
