import type { FileAction } from '../../actions/action.ts'
import { rawUrl } from '../../api/resources.ts'
import { can, currentSession } from '../../api/session.ts'
import type { Place } from '../../place/place.ts'
import { askWith } from '../../prompts/prompts.ts'
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
    const { folder, names } = wantedBy(place)
    const question = { count: Math.max(place.chosen.length, 1), folder, name: first?.name }
    const format = await askWith(async () => (await import('./FormatPrompt.tsx')).FormatPrompt, question)
    if (format !== null) saveArchive({ folder: rawUrl(folder), names, format, token: currentSession()?.token })
  },
}

/** One folder is asked for by itself, and so is everything in it; else the names are listed. */
function wantedBy({ folder, entries, chosen }: Place): { folder: string; names: string[] } {
  const [first] = chosen
  if (first === undefined || chosen.length === entries.length) return { folder, names: [] }
  if (chosen.length === 1) return { folder: first.path, names: [] }
  return { folder, names: chosen.map(({ name }) => name) }
}
