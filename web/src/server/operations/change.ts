import type { Entry } from '../queries/resources.ts'
import type { Delta } from './deltas.ts'

export type ChangeKind = 'rename' | 'move' | 'copy' | 'create' | 'delete'

/** A change of one entry, as data: how the listings look once it is made, and how it is asked of the server. */
export interface Operation {
  /** Of the entry that is changed, for messages. */
  readonly name: string
  /** As far as it can be known without asking the server. */
  readonly expected: readonly Delta[]
  send(signal: AbortSignal): Promise<unknown>
  /**
   * The operation that takes this one back, made right after the server has made the change. `made` is the new entry as
   * the server tells it, undefined where it cannot be had. Absent where there is no way back.
   */
  inverse?(made: Promise<Entry | undefined>, signal: AbortSignal): Operation
}

/** A change that was made and can be taken back. */
export interface UndoableChange {
  readonly kind: ChangeKind
  /** Of the entries that were changed, as they were called before. */
  readonly names: readonly string[]
  /** One operation for each entry. */
  readonly inverse: readonly Operation[]
}
