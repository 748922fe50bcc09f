import { type Entry, previewUrl } from '../../../server/queries/resources.ts'
import { startSettings } from '../../../server/start-settings.ts'

/** Two things that want the same name. */
export interface Conflict {
  /** Where they meet, relative to the destination: 'photos/a.jpg'. */
  path: string
  isDir: boolean
  /** Both are folders: what lies in them is put together. */
  isMerge?: boolean
  /** What comes. */
  origin: Side
  /** What is there already. */
  destination: Side
}

export interface Side {
  /** Bytes, or null where it is unknown. */
  size: number | null
  /** ISO time, or null where it is unknown. */
  modified: string | null
  /** The address of a thumbnail, or a picture that the browser has. */
  picture?: string | File
}

/** `newer` replaces what is older: of transfers alone. */
export type Decision = 'overwrite' | 'rename' | 'skip' | 'newer'

/** Of an upload that is tried again the name stays: it may have been sent in part. `restore` brings back what was there. */
export type TransferKind = 'upload' | 'retry' | 'transfer' | 'restore'

/** The thumbnail of an entry, as far as enough is known of it to ask for one. */
export function thumbnailOf({ path, modified, type, size = 0 }: Partial<Entry>): string | undefined {
  const hasOne = type === 'image' || (type === 'video' && startSettings.EnableVideoThumbs)
  if (!startSettings.EnableThumbs || !hasOne || size === 0 || path === undefined || modified === undefined) return
  return previewUrl('thumb', { path, modified })
}

/** In bytes. To show a larger picture small costs more than it tells. */
const largestShown = 10_000_000

export const pictureIn = (file: File): File | undefined =>
  file.type.startsWith('image/') && file.size <= largestShown ? file : undefined

/** What the side that comes is called. */
export const originLabels = {
  upload: 'conflict.uploading',
  retry: 'conflict.uploading',
  transfer: 'conflict.origin',
  restore: 'conflict.restore.origin',
} as const satisfies Record<TransferKind, string>
