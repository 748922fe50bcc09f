import type { Command, PaletteEntry } from '../../commands/command.ts'
import { untilComplete } from '../../commands/registry.ts'
import { askWith } from '../../dialogs/ask.ts'
import { needTexts } from '../../i18n/i18n.ts'
import { currentSession } from '../../server/session.ts'

interface Question {
  folder: string
  withCommands: boolean
  text?: string
}

async function load() {
  const [{ SearchDialog }] = await Promise.all([import('./SearchDialog.tsx'), needTexts('palette'), untilComplete()])
  return SearchDialog
}

let loadEntries = async (): Promise<readonly PaletteEntry[]> => []

/** Called once, by the application, with what the palette offers besides files and commands. */
export function offerInPalette(load: typeof loadEntries): void {
  loadEntries = load
}

const open = async (question: Question): Promise<void> => void (await askWith(load, { ...question, loadEntries }))

const isSignedIn = (): boolean => currentSession() !== null

/** Looks for names below the folder in view; where results are shown, what they were searched for can be changed. */
export const searchFiles: Command = {
  id: 'search',
  label: 'search.search',
  icon: 'search',
  menus: { 'phone-bar': [1, 1] },
  keys: [{ keys: 'Mod+Shift+F' }],
  when: isSignedIn,
  run: ({ folder, query }) => open({ folder, withCommands: false, ...(query !== null && { text: query }) }),
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
