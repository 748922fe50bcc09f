import type { FileAction } from '../../actions/action.ts'
import { apiUrl } from '../../api/client.ts'
import { rawUrl } from '../../api/resources.ts'
import { can } from '../../api/session.ts'
import { t } from '../../i18n/i18n.ts'
import type { Place } from '../../place/place.ts'
import { askWith } from '../../prompts/prompts.ts'
import { toastError } from '../../ui/toasts.ts'
import { archivePath } from './archive-path.ts'

/** Servers and proxies refuse longer addresses. */
const longest = 8000

export const download: FileAction = {
  id: 'download',
  label: 'download.download',
  icon: 'download',
  shortcut: 'Mod+S',
  isAvailable: ({ view }) => can('download') && view !== 'none',
  async run(place) {
    const [first, ...others] = place.chosen
    if (first !== undefined && others.length === 0 && !first.isDir) return save(rawUrl(first.path))
    const { folder, names } = wantedBy(place)
    const question = { count: Math.max(place.chosen.length, 1), folder, name: first?.name }
    const format = await askWith(async () => (await import('./FormatPrompt.tsx')).FormatPrompt, question)
    if (format === null) return
    const address = apiUrl(archivePath(folder, names, format))
    if (address.length > longest) toastError(t('download.tooMany'))
    else save(address)
  },
}

/** One folder is asked for by itself, and so is everything in it; else the names are listed. */
function wantedBy({ folder, entries, chosen }: Place): { folder: string; names: string[] } {
  const [first] = chosen
  if (first === undefined || chosen.length === entries.length) return { folder, names: [] }
  if (chosen.length === 1) return { folder: first.path, names: [] }
  return { folder, names: chosen.map(({ name }) => name) }
}

/** The browser downloads by itself, with the session's cookie, and names the file as the server says. */
function save(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
