import { Failure } from '../failure.ts'

const formats = {
  zip: ['.zip', 'application/zip'],
  tar: ['.tar', 'application/x-tar'],
  targz: ['.tar.gz', 'application/gzip'],
  tarbz2: ['.tar.bz2', 'application/x-bzip2'],
  tarxz: ['.tar.xz', 'application/x-xz'],
  tarlz4: ['.tar.lz4', 'application/x-lz4'],
  tarsz: ['.tar.sz', 'application/x-snappy-framed'],
  tarbr: ['.tar.br', 'application/octet-stream'],
  tarzst: ['.tar.zst', 'application/zstd'],
} as const

export type Format = keyof typeof formats
export type CompressedTar = Exclude<Format, 'zip' | 'tar'>

/** By the name that clients have always used; without one, a zip is meant. */
export function parseFormat(name = ''): Format {
  if (name === '' || name === 'true') return 'zip'
  if (Object.hasOwn(formats, name)) return name as Format
  throw new Failure('invalid', `there is no archive format ${JSON.stringify(name)}`)
}

export const isCompressedTar = (format: Format): format is CompressedTar => format !== 'zip' && format !== 'tar'

export const suffixOf = (format: Format): string => formats[format][0]

export const contentTypeOf = (format: Format): string => formats[format][1]
