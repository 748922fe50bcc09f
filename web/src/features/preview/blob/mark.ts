import type { Entry } from '../../../api/resources.ts'
import type { FileMarkName } from '../../../ui/file-marks.tsx'

const byExtension = new Map<string, FileMarkName>(
  Object.entries({
    archive: 'zip rar 7z gz tgz bz2 xz zst tar jar deb rpm cab',
    doc: 'doc docx odt rtf pages epub mobi azw3',
    sheet: 'csv xls xlsx ods numbers',
    slides: 'ppt pptx odp key',
    font: 'ttf otf woff woff2 eot ttc',
    exec: 'exe msi appimage dll so elf bin',
    disk: 'iso img dmg vdi vmdk qcow2',
  } satisfies Partial<Record<FileMarkName, string>>).flatMap(([mark, extensions]) =>
    extensions.split(' ').map((extension) => [`.${extension}`, mark as FileMarkName] as const),
  ),
)

/** The mark of a file that cannot be shown. */
export function markOf({ type, extension }: Pick<Entry, 'type' | 'extension'>): FileMarkName {
  if (type === 'invalid_link') return 'broken'
  if (type === 'image' || type === 'video' || type === 'audio' || type === 'pdf') return type
  return byExtension.get(extension.toLowerCase()) ?? (type === 'text' || type === 'textImmutable' ? 'text' : 'generic')
}
