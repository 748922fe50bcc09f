import { extensionOf } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { markOf } from '../marks/mark-of.ts'

/** The kind of a file, and the extension where that says more. */
export function typeOf(file: Entry): string {
  const mark = markOf(file)
  const extension = extensionOf(file.name).slice(1).toUpperCase()
  const kind = t(`files.types.${mark === 'folder-open' ? 'folder' : mark}`)
  return extension === '' || extension === kind ? kind : `${kind} · ${extension}`
}
