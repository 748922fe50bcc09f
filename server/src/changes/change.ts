import type { VirtualPath } from '../storage/path.ts'

export type ChangeKind = 'save' | 'create' | 'create-folder' | 'upload' | 'copy' | 'move' | 'remove'

/** By which way a change comes in. */
export type Door = 'web'

/** One change of what a storage holds, as data: what followers, intents and hooks learn about it. */
export interface Change {
  readonly kind: ChangeKind
  readonly actor: { readonly id: number; readonly name: string }
  readonly door: Door
  /** The folder below the root that the paths start from, as the account's scope is written. */
  readonly scope: string
  /** What is moved, copied or removed. */
  readonly from?: VirtualPath
  /** What is written, or where it is moved or copied to. */
  readonly to?: VirtualPath
  /** In bytes, where it is known before the work. */
  readonly size?: number | undefined
}

/** What became of the work. One that failed may have been done in part. */
export type Result = 'done' | 'failed'
