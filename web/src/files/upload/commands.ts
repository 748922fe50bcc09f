import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { mayIn } from '../../server/queries/access.ts'
import { canChooseFolders, folderInView, openChooser } from './entry-points.ts'

/** Asks for files or a folder, where the browser can send one; else the chooser opens at once. */
export const upload: Command = {
  id: 'upload',
  label: 'upload.upload',
  icon: 'upload',
  menus: { folder: [1, 3], toolbar: [1, 1], 'empty-folder': [1, 1], 'phone-bar': [1, 2] },
  when: () => mayIn(folderInView()),
  async run() {
    if (!canChooseFolders()) return openChooser('file')
    await askWith(async () => (await import('./UploadDialog.tsx')).UploadDialog, {})
  },
}

/** The other half of the button "Upload". */
export const uploadFolder: Command = {
  id: 'upload-folder',
  label: 'upload.sendFolder',
  icon: 'folder-plus',
  menus: { folder: [1, 4], 'phone-more': [1, 4] },
  when: ({ view, folder }) => view === 'listing' && mayIn(folder) && canChooseFolders(),
  run: () => openChooser('folder'),
}
