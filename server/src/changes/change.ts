import type { Location } from '../mounts/location.ts'

export type ChangeKind = 'save' | 'create' | 'create-folder' | 'upload' | 'copy' | 'move' | 'extract' | 'remove'

/** By which way a change comes in. */
export type Door = 'web'

/** One change of what a storage holds, as data: what followers, intents and hooks learn about it. */
export interface Change {
  readonly kind: ChangeKind
  readonly actor: { readonly id: number; readonly name: string }
  readonly door: Door
  /** What is moved, copied or removed. */
  readonly from?: Location
  /** What is written, or where it is moved or copied to: perhaps in another mount. */
  readonly to?: Location
  /** In bytes, where it is known before the work. */
  readonly size?: number | undefined
}

/** What became of the work. One that failed may have been done in part. */
export type Result = 'done' | 'failed'
