import { z } from 'zod'
import { checksumAlgorithms } from './checksums.ts'
import { Rights } from './rights.ts'
import { Sorting } from './users.ts'

const ResourceType = z.enum(['', 'video', 'audio', 'image', 'pdf', 'text', 'textImmutable', 'blob', 'invalid_link'])
export type ResourceType = z.infer<typeof ResourceType>

/** A file or folder on the wire. `mode` holds Go's FileMode bits, which clients have always read. */
export const Resource = z.object({
  path: z.string(),
  name: z.string(),
  size: z.number(),
  extension: z.string(),
  modified: z.string(),
  mode: z.number(),
  isDir: z.boolean(),
  isSymlink: z.boolean(),
  type: ResourceType,
  subtitles: z.array(z.string()).optional(),
  content: z.string().optional(),
  checksums: z.partialRecord(z.enum(checksumAlgorithms), z.string()).optional(),
  /** What grants allow here; absent where that is everything, and in a listing where it is what its folder says. */
  can: Rights.optional(),
})
export type Resource = z.infer<typeof Resource>

/** A folder with what is in it: listing and folder fields share one object. */
export const FolderResource = Resource.extend({
  items: z.array(Resource),
  numDirs: z.number(),
  numFiles: z.number(),
  sorting: Sorting,
})
export type FolderResource = z.infer<typeof FolderResource>

/** The folders in a folder, by name alone: what a tree needs of a listing. In natural order. */
export const FolderNames = z.object({ names: z.array(z.string()) })
export type FolderNames = z.infer<typeof FolderNames>

/** One line of a flat listing. */
export const RecursiveEntry = z.object({
  path: z.string(),
  name: z.string(),
  size: z.number(),
  modified: z.string(),
  isDir: z.boolean(),
})
export type RecursiveEntry = z.infer<typeof RecursiveEntry>

/** What lies below a folder, as far as it was counted. */
export const FolderSize = z.object({ bytes: z.number(), files: z.number(), folders: z.number(), isWhole: z.boolean() })
export type FolderSize = z.infer<typeof FolderSize>

/** In bytes. */
export const Usage = z.object({
  total: z.number(),
  used: z.number(),
  /** How much of it is in the trash and in older versions, where the caller sees the whole mount. */
  kept: z.number().optional(),
})
export type Usage = z.infer<typeof Usage>

/** What happens when the name is taken. On the wire it travels as two booleans. */
export type OnConflict = 'fail' | 'overwrite' | 'rename'

/** Only the exact word counts: `override=1` or `TRUE` never replaced anything. */
export const Yes = (meaning: string) =>
  z
    .string()
    .optional()
    .transform((value) => value === 'true')
    .describe(`true: ${meaning}`)

export const CreateQuery = z.object({ override: Yes('replace what is there') })

export const TransferQuery = z
  .object({
    action: z.string().optional().describe('copy or rename'),
    destination: z.string().default('').describe('the target path, percent-encoded once more'),
    override: Yes('replace files and merge folders of the same name'),
    rename: Yes('take a free name instead'),
  })
  .transform(({ action, destination, override, rename }) => ({
    action,
    destination,
    onConflict: (rename ? 'rename' : override ? 'overwrite' : 'fail') satisfies OnConflict as OnConflict,
  }))
