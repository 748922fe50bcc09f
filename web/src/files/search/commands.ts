import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { currentSession } from '../../server/session.ts'

const open = async (question: { folder: string; withCommands: boolean }): Promise<void> =>
  void (await askWith(async () => (await import('./SearchDialog.tsx')).SearchDialog, question))

const isSignedIn = (): boolean => currentSession() !== null

/** Looks for names below the folder in view. */
export const searchFiles: Command = {
  id: 'search',
  label: 'search.search',
  icon: 'search',
  menus: { 'phone-bar': [1, 1] },
  keys: [{ keys: 'Mod+Shift+F' }],
  when: isSignedIn,
  run: ({ folder }) => open({ folder, withCommands: false }),
}

/** The same box, with everything that can be done here by name. */
export const openPalette: Command = {
  id: 'palette',
  label: 'search.palette',
  icon: 'command',
  keys: [{ keys: 'Mod+K' }],
  when: isSignedIn,
  run: ({ folder }) => open({ folder, withCommands: true }),
}
