import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'

export const info: Command = {
  id: 'info',
  label: 'info.info',
  icon: 'info',
  menus: {
    entry: [4, 2],
    folder: [3, 2],
    toolbar: [2, 2],
    selection: [1, 6],
    editor: [1, 4],
    'viewer-bar': [1, 1],
    'phone-more': [2, 2],
  },
  when: ({ view }) => view !== 'none',
  async run({ folder, chosen }) {
    await askWith(async () => (await import('./InfoDialog.tsx')).InfoDialog, { folder, entries: chosen })
  },
}
