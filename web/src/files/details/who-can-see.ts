import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { needTexts } from '../../i18n/i18n.ts'
import { can } from '../../server/session.ts'

/** In the palette: the way to the first grant of an installation, whose details do not speak of rights yet. */
export const whoCanSee: Command = {
  id: 'who-can-see',
  label: 'info.whoCanSee',
  icon: 'users',
  when: ({ view, chosen }) =>
    view === 'listing' && can('admin') && (chosen.length === 0 || (chosen.length === 1 && chosen[0]?.isDir === true)),
  async run({ folder, chosen }) {
    const load = async () => {
      const [{ FolderRightsDialog }] = await Promise.all([
        import('../rights/FolderRightsDialog.tsx'),
        needTexts('rights'),
      ])
      return FolderRightsDialog
    }
    await askWith(load, { path: chosen[0]?.path ?? folder })
  },
}
