import type { FileAction } from '../../actions/action.ts'
import { currentSession } from '../../api/session.ts'
import { askWith } from '../../prompts/prompts.ts'

export const help: FileAction = {
  id: 'help',
  label: 'help.title',
  icon: 'help',
  shortcut: 'F1',
  otherShortcut: 'Shift+?',
  isAvailable: () => currentSession() !== null,
  async run() {
    await askWith(async () => (await import('./HelpPrompt.tsx')).HelpPrompt, {})
  },
}
