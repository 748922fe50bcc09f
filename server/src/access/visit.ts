import type { VirtualPath } from '../storage/path.ts'
import type { Scope } from './scope.ts'

/** A share that was opened: what is asked for, and the view of the owner's files it is found in. */
export interface Visit {
  readonly scope: Scope
  readonly path: VirtualPath
  /** The name of the shared file or folder. */
  readonly name: string
  readonly isFolder: boolean
  /** The owner may change what is shared. Old clients are told so of text; it gives a visitor no right. */
  readonly isChangeable: boolean
  /** Opens the same share again without the password; only for shares that have one. */
  readonly pass: string | undefined
  /** When the share ends, in Unix seconds; 0 never. */
  readonly expire: number
}
