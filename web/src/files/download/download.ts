import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { may, mayIn } from '../../server/queries/access.ts'
import { rawUrl } from '../../server/queries/resources.ts'
import { currentSession } from '../../server/session.ts'
import { archiveOf } from './archive-address.ts'
import { archiveOfResults } from './results-archive.ts'
import { saveArchive, saveFile } from './save.ts'

export const download: Command = {
  id: 'download',
  label: 'download.download',
  icon: 'download',
  menus: {
    entry: [4, 1],
    folder: [3, 1],
    toolbar: [2, 1],
    selection: [1, 1],
    editor: [1, 2],
    'viewer-bar': [1, 2],
    'phone-more': [2, 1],
  },
  keys: [{ keys: 'Mod+S' }],
  when: ({ view, folder, chosen }) =>
    view !== 'none' && (chosen.length > 0 ? may('download', chosen) : mayIn(folder, 'download')),
  async run(place) {
    const [first, ...others] = place.chosen
    if (first !== undefined && others.length === 0 && !first.isDir) {
      saveFile(rawUrl(first.path))
      return 'done'
    }
    const { folder, names } = place.query === null ? archiveOf(place) : archiveOfResults(place)
    const question = { count: Math.max(place.chosen.length, 1), folder, name: first?.name }
    const format = await askWith(async () => (await import('./FormatDialog.tsx')).FormatDialog, question)
    if (format === null) return
    saveArchive({ folder: rawUrl(folder), names, format, token: currentSession()?.token })
    return 'done'
  },
}
