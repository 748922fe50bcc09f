import type { Command } from '../commands/command.ts'
import { can } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import { sessionStore } from '../state/session-scope.ts'

const isOpen = sessionStore(false)

export const useIsShellOpen = isOpen.use

export const showShell = isOpen.set

export const toggleShell: Command = {
  id: 'toggle-shell',
  label: 'shell.toggle',
  icon: 'terminal',
  menus: { toolbar: [2, 4], 'phone-more': [2, 6] },
  toggle: { says: 'aria-expanded', useIsOn: useIsShellOpen },
  when: ({ view }) => view !== 'none' && startSettings.EnableExec && can('execute'),
  run: () => showShell(!isOpen.get()),
}
