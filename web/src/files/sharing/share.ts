import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { may } from '../../server/queries/access.ts'

/** Both rights are needed: without the one to download, the page of the link would be empty. */
export const share: Command = {
  id: 'share',
  label: 'share.share',
  icon: 'share',
  menus: { entry: [2, 1], selection: [1, 2], editor: [1, 3], viewer: [1, 0] },
  when: ({ chosen }) => chosen.length === 1 && may('share', chosen),
  async run({ chosen: [entry] }) {
    if (entry !== undefined) await askWith(async () => (await import('./ShareDialog.tsx')).ShareDialog, { entry })
  },
}
