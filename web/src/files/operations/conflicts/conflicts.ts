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
  /** Bytes, or null where nobody knows. */
  size: number | null
  /** ISO time, or null where nobody knows. */
  modified: string | null
}

export type Decision = 'overwrite' | 'rename' | 'skip'
