import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { can } from '../../server/session.ts'
import { canChooseFolders, openChooser } from './entry-points.ts'

export const upload: Command = {
  id: 'upload',
  label: 'upload.upload',
  icon: 'upload',
  menus: { folder: [1, 3], toolbar: [1, 1], 'empty-folder': [1, 1], 'phone-bar': [1, 2], 'phone-more': [1, 3] },
  when: () => can('create'),
  async run() {
    if (!canChooseFolders()) return openChooser('file')
    await askWith(async () => (await import('./UploadDialog.tsx')).UploadDialog, {})
  },
}
