import { lazy } from 'react'
import type { FileAction } from '../../actions/action.ts'
import { currentSession } from '../../api/session.ts'
import { ask } from '../../prompts/prompts.ts'

const SearchPrompt = lazy(async () => ({ default: (await import('./SearchPrompt.tsx')).SearchPrompt }))

const isSignedIn = (): boolean => currentSession() !== null

/** Looks for names below the folder in view. */
export const searchFiles: FileAction = {
  id: 'search',
  label: 'search.search',
  icon: 'search',
  shortcut: 'Mod+Shift+F',
  isAvailable: isSignedIn,
  run: async ({ folder }) => void (await ask(SearchPrompt, { folder, withCommands: false })),
}

/** The same box, with everything that can be done here by name. */
export const openPalette: FileAction = {
  id: 'palette',
  label: 'search.palette',
  icon: 'command',
  shortcut: 'Mod+K',
  isAvailable: isSignedIn,
  run: async ({ folder }) => void (await ask(SearchPrompt, { folder, withCommands: true })),
}
