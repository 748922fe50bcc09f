/** The formats as they are shown. On the wire they have no dot. */
export const archiveFormats = [
  'zip',
  'tar',
  'tar.gz',
  'tar.bz2',
  'tar.xz',
  'tar.lz4',
  'tar.sz',
  'tar.br',
  'tar.zst',
] as const
export type ArchiveFormat = (typeof archiveFormats)[number]

export const wiredFormat = (format: ArchiveFormat): string => format.replaceAll('.', '')

/** Where to get a folder, or some of what is in it, as one archive; `folder` is the address of the folder itself. */
export function archiveAddress(folder: string, names: readonly string[], format: ArchiveFormat): string {
  // Each name is encoded before they are joined, so that a comma in a name separates nothing.
  const list = names.map(encodeURIComponent).join(',')
  const files = names.length === 0 ? '' : `files=${encodeURIComponent(list)}&`
  return `${folder}${folder.includes('?') ? '&' : '?'}${files}algo=${wiredFormat(format)}`
}

interface Chosen {
  folder: string
  entries: readonly unknown[]
  chosen: readonly { name: string; path: string }[]
}

/**
 * The folder to pack for a selection, and the names in it; no names for all of it. A single folder is packed by itself,
 * also where it is the only entry: with the folder around it the archive would have another name and one level more.
 */
export function archiveOf({ folder, entries, chosen }: Chosen): { folder: string; names: string[] } {
  const [first, second] = chosen
  if (first !== undefined && second === undefined) return { folder: first.path, names: [] }
  if (first === undefined || chosen.length === entries.length) return { folder, names: [] }
  return { folder, names: chosen.map(({ name }) => name) }
}
