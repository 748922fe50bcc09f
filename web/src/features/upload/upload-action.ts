import type { FileAction } from '../../actions/action.ts'
import { can } from '../../api/session.ts'
import { askWith } from '../../prompts/prompts.ts'
import { canChooseFolders, openChooser } from './fields.ts'

export const uploadAction: FileAction = {
  id: 'upload',
  label: 'upload.upload',
  icon: 'upload',
  isAvailable: () => can('create'),
  async run() {
    if (!canChooseFolders()) return openChooser('file')
    await askWith(async () => (await import('./UploadPrompt.tsx')).UploadPrompt, {})
  },
}
