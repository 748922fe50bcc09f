import type { FileAction } from '../../actions/action.ts'
import { currentSession } from '../../api/session.ts'
import { askWith } from '../../prompts/prompts.ts'

const open = async (question: { folder: string; withCommands: boolean }): Promise<void> =>
  void (await askWith(async () => (await import('./SearchPrompt.tsx')).SearchPrompt, question))

const isSignedIn = (): boolean => currentSession() !== null

/** Looks for names below the folder in view. */
export const searchFiles: FileAction = {
  id: 'search',
  label: 'search.search',
  icon: 'search',
  shortcut: 'Mod+Shift+F',
  isAvailable: isSignedIn,
  run: ({ folder }) => open({ folder, withCommands: false }),
}

/** The same box, with everything that can be done here by name. */
export const openPalette: FileAction = {
  id: 'palette',
  label: 'search.palette',
  icon: 'command',
  shortcut: 'Mod+K',
  isAvailable: isSignedIn,
  run: ({ folder }) => open({ folder, withCommands: true }),
}
