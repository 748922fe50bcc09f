import { encodePath } from '@filestead/contract'

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

/** What to ask /api for: a folder, or some of what is in it, as one archive. */
export function archivePath(folder: string, names: readonly string[], format: ArchiveFormat): string {
  const algo = format.replaceAll('.', '')
  const address = `raw${encodePath(folder)}`
  if (names.length === 0) return `${address}?algo=${algo}`
  // Each name is encoded before they are joined, so that a comma in a name separates nothing.
  const files = encodeURIComponent(names.map(encodeURIComponent).join(','))
  return `${address}?files=${files}&algo=${algo}`
}
