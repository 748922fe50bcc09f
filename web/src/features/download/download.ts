import type { FileAction } from '../../actions/action.ts'
import { rawUrl } from '../../api/resources.ts'
import { can, currentSession } from '../../api/session.ts'
import { askWith } from '../../prompts/prompts.ts'
import { archiveOf } from './archive-address.ts'
import { saveArchive, saveFile } from './save.ts'

export const download: FileAction = {
  id: 'download',
  label: 'download.download',
  icon: 'download',
  shortcut: 'Mod+S',
  isAvailable: ({ view }) => can('download') && view !== 'none',
  async run(place) {
    const [first, ...others] = place.chosen
    if (first !== undefined && others.length === 0 && !first.isDir) return saveFile(rawUrl(first.path))
    const { folder, names } = archiveOf(place)
    const question = { count: Math.max(place.chosen.length, 1), folder, name: first?.name }
    const format = await askWith(async () => (await import('./FormatPrompt.tsx')).FormatPrompt, question)
    if (format !== null) saveArchive({ folder: rawUrl(folder), names, format, token: currentSession()?.token })
  },
}
