import { z } from 'zod'
import type { ChecksumAlgorithm } from './checksums.ts'
import type { Sorting } from './users.ts'

export type ResourceType = '' | 'video' | 'audio' | 'image' | 'pdf' | 'text' | 'textImmutable' | 'blob' | 'invalid_link'

/** A file or folder on the wire. `mode` holds Go's FileMode bits, which clients have always read. */
export interface Resource {
  path: string
  name: string
  size: number
  extension: string
  modified: string
  mode: number
  isDir: boolean
  isSymlink: boolean
  type: ResourceType
  subtitles?: string[]
  content?: string
  checksums?: Partial<Record<ChecksumAlgorithm, string>>
}

/** A folder with what is in it: listing and folder fields share one object. */
export interface FolderResource extends Resource {
  items: Resource[]
  numDirs: number
  numFiles: number
  sorting: Sorting
}

/** One line of a flat listing. */
export interface RecursiveEntry {
  path: string
  name: string
  size: number
  modified: string
  isDir: boolean
}

export interface Usage {
  total: number
  used: number
}

/** What happens when the name is taken. On the wire it travels as two booleans. */
export type OnConflict = 'fail' | 'overwrite' | 'rename'

/** Only the exact word counts: `override=1` or `TRUE` never replaced anything. */
const Yes = z
  .string()
  .optional()
  .transform((value) => value === 'true')

export const CreateQuery = z.object({ override: Yes })

export const TransferQuery = z
  .object({ destination: z.string().default(''), override: Yes, rename: Yes })
  .transform(({ destination, override, rename }) => ({
    destination,
    onConflict: (rename ? 'rename' : override ? 'overwrite' : 'fail') satisfies OnConflict as OnConflict,
  }))
