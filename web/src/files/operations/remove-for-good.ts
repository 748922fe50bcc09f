import type { Command } from '../../commands/command.ts'
import { may } from '../../server/queries/access.ts'
import { removeEntries } from './remove-entries.ts'

/** The keys of desktops for deleting past the trash. It asks, too. */
export const removeForGood: Command = {
  id: 'delete-for-good',
  label: 'change.forGood',
  icon: 'trash',
  keys: [{ keys: 'Shift+Delete' }],
  isDanger: true,
  when: ({ chosen }) => chosen.length > 0 && may('delete', chosen),
  run: (begun) => removeEntries(begun, 'for-good'),
}
