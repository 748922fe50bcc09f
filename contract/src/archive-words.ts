/** Archives that open as if they were folders. What is in a file decides; the name only tells whether it is worth trying. */
export const archiveFormats = ['zip', 'tar', 'tar.gz', 'tar.zst', 'tar.bz2', 'tar.xz'] as const
export type ArchiveFormat = (typeof archiveFormats)[number]

const formatBySuffix: readonly (readonly [suffix: string, format: ArchiveFormat])[] = [
  ...(['.zip', '.cbz', '.jar', '.war', '.apk'] as const).map((suffix) => [suffix, 'zip'] as const),
  ['.tar', 'tar'],
  ...(['.tar.gz', '.tgz'] as const).map((suffix) => [suffix, 'tar.gz'] as const),
  ...(['.tar.zst', '.tzst'] as const).map((suffix) => [suffix, 'tar.zst'] as const),
  ...(['.tar.bz2', '.tbz2', '.tbz'] as const).map((suffix) => [suffix, 'tar.bz2'] as const),
  ...(['.tar.xz', '.txz'] as const).map((suffix) => [suffix, 'tar.xz'] as const),
]

const endOf = (name: string) => {
  const lower = name.toLowerCase()
  return formatBySuffix.find(([suffix]) => lower.endsWith(suffix) && lower.length > suffix.length)
}

/** What a file of this name most likely is; undefined where it is no archive that opens. */
export const archiveFormatOf = (name: string): ArchiveFormat | undefined => endOf(name)?.[1]

/** The name of an archive without what tells its format: what the folder is called that it is extracted to. */
export const archiveTitleOf = (name: string): string => name.slice(0, name.length - (endOf(name)?.[0].length ?? 0))

/** Encodings of names in archives that do not tell theirs, in the order of a menu. */
export const nameEncodings = [
  ...(['utf-8', 'cp437', 'windows-1252', 'windows-1251', 'ibm866', 'shift_jis', 'gbk', 'big5', 'euc-kr'] as const),
] as const
export type NameEncoding = (typeof nameEncodings)[number]

/** So many entries of one folder are listed at the most. */
export const mostListedInside = 100_000
