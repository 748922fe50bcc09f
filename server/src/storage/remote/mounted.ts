import type { MountedStorage } from '../mounted.ts'

/** Files of a server elsewhere, behind a mount. */
export interface RemoteMount extends MountedStorage {
  readonly kind: 's3' | 'sftp'
  /** What the server cannot promise, in sentences for administrators. */
  readonly weaknesses: readonly string[]
  /** A sentence for administrators where the server cannot be used now. It may be long in coming. */
  probe(): Promise<string | undefined>
}
