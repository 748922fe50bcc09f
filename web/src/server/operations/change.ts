import type { Delta } from './deltas.ts'

export type ChangeKind = 'rename' | 'move' | 'copy' | 'create' | 'delete' | 'restore' | 'upload' | 'save' | 'extract'

/** A change of one entry, as data: how the listings look once it is made. */
export interface Change {
  /** Of the entry that is changed, for messages. */
  readonly name: string
  /** As far as it can be known without asking the server. */
  readonly expected: readonly Delta[]
}

/** A change that is asked of the server by one request. */
export interface Operation extends Change {
  /** `batch` is the id under which the server can take it back. */
  send(signal: AbortSignal, batch: string): Promise<unknown>
}

/** A change that was made and that the server can take back. */
export interface UndoableChange {
  readonly kind: ChangeKind
  /** Of the entries that were changed, as they were called before. */
  readonly names: readonly string[]
  /** The ids of what was done in one act, in the order in which it was done. */
  readonly batches: readonly string[]
  /** What went with it and what came with it, where that is known: in the same order for what was moved. */
  readonly gone: readonly string[]
  readonly put: readonly string[]
}
