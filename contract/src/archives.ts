import { z } from 'zod'
import { archiveFormats, nameEncodings } from './archive-words.ts'
import { Resource } from './resources.ts'

const Inside = z.string().describe('a path in the archive, not percent-encoded once more')
const Encoding = z.enum(nameEncodings).optional().describe('of names that do not say theirs; guessed without it')

export const ArchiveQuery = z.object({ inside: Inside.default('/'), encoding: Encoding })
export type ArchiveQuery = z.output<typeof ArchiveQuery>

/** A file or folder in an archive. */
export const ArchiveEntry = z.object({
  name: z.string(),
  /** Unpacked, as the archive declares it. 0 for folders. */
  size: z.number(),
  /** ISO 8601. The day zero where an archive does not tell. */
  modified: z.string(),
  isDir: z.boolean(),
  type: Resource.shape.type,
  isEncrypted: z.boolean().optional(),
})
export type ArchiveEntry = z.infer<typeof ArchiveEntry>

/** One folder of an archive. */
export const ArchiveListing = z.object({
  format: z.enum(archiveFormats),
  /** How names were read that do not say their encoding; null where all are UTF-8. */
  encoding: z.enum(nameEncodings).nullable(),
  /** Folders first, then by name. */
  entries: z.array(ArchiveEntry),
  /** There are more than are listed. */
  isCut: z.boolean(),
  /** Entries of the whole archive that are neither shown nor extracted: links, devices, names that lead out. */
  skipped: z.number().int(),
  /** Of the whole archive, as it declares them. */
  files: z.number().int(),
  bytes: z.number(),
})
export type ArchiveListing = z.infer<typeof ArchiveListing>
