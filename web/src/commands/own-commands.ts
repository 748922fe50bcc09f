import { askWith } from '../dialogs/ask.ts'
import { needTexts } from '../i18n/i18n.ts'
import { currentSession } from '../server/session.ts'
import { shownToasts, toggleToastFocus } from '../ui/toasts.ts'
import type { Command } from './command.ts'

export const help: Command = {
  id: 'help',
  label: 'help.title',
  icon: 'help',
  keys: [{ keys: 'F1' }, { keys: '?' }],
  when: () => currentSession() !== null,
  async run() {
    await askWith(async () => {
      const [{ HelpDialog }] = await Promise.all([import('./HelpDialog.tsx'), needTexts('palette', 'editor')])
      return HelpDialog
    }, {})
  },
}

/** Takes the keyboard to the newest notification, and back. Without one the keys are the browser's. */
export const notifications: Command = {
  id: 'notifications',
  label: 'frame.notifications',
  icon: 'info',
  keys: [{ keys: 'F6' }],
  when: () => shownToasts().length > 0,
  run: toggleToastFocus,
}
