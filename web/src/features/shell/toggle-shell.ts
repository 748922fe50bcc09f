import type { FileAction } from '../../actions/action.ts'
import { can } from '../../api/session.ts'
import { startSettings } from '../../api/start-settings.ts'
import { toggleShellPanel, useIsShellOpen } from './open.ts'

export const toggleShell: FileAction = {
  id: 'toggle-shell',
  label: 'shell.toggle',
  icon: 'terminal',
  toggle: { says: 'aria-expanded', useIsOn: useIsShellOpen },
  isAvailable: ({ view }) => view !== 'none' && startSettings.EnableExec && can('execute'),
  run: toggleShellPanel,
}
