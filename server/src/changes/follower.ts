import type { Transaction } from 'kysely'
import type { Database } from '../database/schema.ts'
import type { Change, ChangeKind, Result } from './change.ts'

export type Write = (trx: Transaction<Database>) => Promise<void>

export const inOrder =
  (writes: readonly Write[]): Write =>
  async (trx) => {
    for (const write of writes) await write(trx)
  }

/** A room whose rows depend on what lies where. Rooms implement it; app.ts wires them. */
export interface Follower {
  /** Its notes are stored under this name. */
  readonly name: string
  /** The changes it is asked about; all others cost nothing. */
  readonly kinds: ReadonlySet<ChangeKind>
  /** Asked before the work. Nothing where the change does not concern it; a failure refuses the change. */
  prepare(change: Change): Promise<Preparation | undefined>
  /**
   * The node of a change is dead: finds out by looking at the storage what became of it, and returns what to write about
   * rows that still belong to the intent `id`. May run twice. A failure leaves the intent for the next try.
   */
  recover(change: Change, notes: unknown, id: string): Promise<Write | undefined>
  /** Ends what belongs to no change any more. */
  sweep?(): Promise<void>
}

export interface StoredIntent {
  readonly id: string
  /** False where it could not be stored, or none was needed. */
  readonly isStored: boolean
}

/** What a follower has found out about one change that is about to happen. */
export interface Preparation {
  /**
   * `required`: without a stored intent the change is refused. `wanted`: it goes on where nothing can be written.
   * `none`: there is nothing to recover. If no follower asks for more, the outcome is stored beside the answer and can
   * neither delay it nor fail it.
   */
  readonly intent: 'required' | 'wanted' | 'none'
  /** JSON; what `recover` needs. */
  readonly notes?: unknown
  /** Rows of the follower that belong to the intent, in its transaction. */
  mark?(trx: Transaction<Database>, id: string): Promise<void>
  /**
   * After the work, or where the change was refused before it: what to write, in the transaction that ends the intent.
   * Called again when that could not be stored. A failure here is logged and tried again; the change stays done.
   */
  conclude(result: Result, intent: StoredIntent): Promise<Write | undefined>
  /** Has something happened since `conclude` that it would answer differently? Then it is asked again. */
  isOutdated?(): boolean | Promise<boolean>
  /** The answer waits for `conclude` and `isOutdated`, also without an intent. */
  readonly isAwaited?: boolean
  /** What `conclude` returned is stored. */
  release?(): void
}
