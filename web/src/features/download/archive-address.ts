/** The formats as people read them. On the wire they have no dot. */
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

interface Choice {
  folder: string
  entries: readonly unknown[]
  chosen: readonly { name: string; path: string }[]
}

/**
 * What to pack for what is chosen. One folder is asked for by itself, also where it is the only entry: packed with the
 * folder around it, the archive would have that one's name and one level more. Everything is the folder in view.
 */
export function archiveOf({ folder, entries, chosen }: Choice): { folder: string; names: string[] } {
  const [first, second] = chosen
  if (first !== undefined && second === undefined) return { folder: first.path, names: [] }
  if (first === undefined || chosen.length === entries.length) return { folder, names: [] }
  return { folder, names: chosen.map(({ name }) => name) }
}
