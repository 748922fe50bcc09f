import type { Location } from '../mounts/location.ts'

export type ChangeKind =
  | 'save'
  | 'create'
  | 'create-folder'
  | 'upload'
  | 'copy'
  | 'move'
  | 'extract'
  | 'remove'
  | 'restore'

/** By which way a change comes in. */
export type Door = 'web'

/** One change of what a storage holds, as data: what followers, intents and hooks learn about it. */
export interface Change {
  readonly kind: ChangeKind
  readonly actor: { readonly id: number; readonly name: string }
  readonly door: Door
  /** What is moved, copied or removed. */
  readonly from?: Location
  /** What is written, or where it is moved or copied to: perhaps in another mount. Of a removal, where it is kept. */
  readonly to?: Location
  /** In bytes, where it is known before the work. */
  readonly size?: number | undefined
  /** Changes of one act are taken back together: the id of a job, or what the client says. */
  readonly batch?: string | undefined
  /** The batch that this takes back. */
  readonly undoes?: string | undefined
}

/** What became of the work. One that failed may have been done in part. */
export type Result = 'done' | 'failed'
