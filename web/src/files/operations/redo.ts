import type { Command } from '../../commands/command.ts'
import { lastChange } from '../../server/operations/undo-stack.ts'
import { isGuest } from '../../server/session.ts'
import { isUndoing, undoLast } from './undo.ts'

export const redo: Command = {
  id: 'redo',
  label: 'change.redo',
  icon: 'redo',
  keys: [{ keys: 'Mod+Shift+Z' }, { keys: 'Mod+Y' }],
  menus: { folder: [2, 4], 'phone-more': [2, 7] },
  when: (workspace) => isUndoing(workspace) && lastChange('redo') !== undefined,
  run: () => undoLast('redo'),
}

/** After a reload the server knows what was done last: the same keys as before, and no place in menus. */
const earlier = (way: 'undo' | 'redo', { label, icon, keys = [] }: Command): Command => ({
  id: `${way}-earlier`,
  label,
  icon,
  keys,
  when: (workspace) => isUndoing(workspace) && !isGuest() && lastChange(way) === undefined,
  run: () => undoLast(way),
})

export const undoCommands = (undo: Command): readonly Command[] => [redo, earlier('undo', undo), earlier('redo', redo)]
