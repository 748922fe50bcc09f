import type { StorageKind } from '@filestead/contract'
import type { Storage } from './port.ts'

/** What stands behind a mount: folders of a disk of this machine (`threads/scopes.ts`), or files of a server elsewhere (`remote/mounted.ts`). */
export interface MountedStorage {
  readonly kind: StorageKind
  storageAt(folder: string): Storage
  /** What dead nodes left, and drafts of no known work. */
  clearDrafts(): Promise<void>
  /** Is a task under way, or a draft open? */
  isBusy(): boolean
  close(): void
}
