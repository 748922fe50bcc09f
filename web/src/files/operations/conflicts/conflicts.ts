/** Two things that want the same name. */
export interface Conflict {
  /** Where they meet, relative to the destination: 'photos/a.jpg'. */
  path: string
  isDir: boolean
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
}

export type Decision = 'overwrite' | 'rename' | 'skip'

/** Of an upload that is tried again the name stays: it may have been sent in part. */
export type TransferKind = 'upload' | 'retry' | 'transfer'
