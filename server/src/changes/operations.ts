import type { Keep } from '../storage/keeping.ts'
import type { Entry } from '../storage/port.ts'
import type { Change, Result } from './change.ts'

/** Remembers what is done, so that it can be taken back: history/ implements it. */
export interface Operations {
  /** Before the work. What the storage tells under the id of `keep` belongs to it. */
  begin(change: Change, options?: BeginOptions): Promise<OpenOperation>
}

export interface BeginOptions {
  /**
   * Remembered from when the storage tells that it did something, or at its end, and not before. For changes that mostly do
   * nothing, and for those of one step: what a crash leaves of them was not acknowledged.
   */
  readonly isStoredWhenDone?: boolean
  readonly hidden?: HiddenFolder | undefined
  readonly fresh?: FreshFile | undefined
}

/** What comes lies in a hidden folder already, in the folder that gets it or beside that. */
export interface HiddenFolder {
  readonly id: string
  readonly inside: boolean
}

/** A file that comes only where its name is free, as far as it is known before. */
export interface FreshFile {
  readonly size: number | undefined
  /** In milliseconds since 1970: the time that it gets; undefined where that is the present. */
  readonly modified?: number | undefined
}

export interface OpenOperation {
  readonly keep: Keep
  /**
   * Never fails: the change is done, or not, whatever can be stored about it. `change` with the names that were taken;
   * `entry` where the work tells what it made.
   */
  end(change: Change, result: Result, entry?: Entry): Promise<void>
}
