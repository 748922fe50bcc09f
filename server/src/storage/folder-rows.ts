import type { Sorting } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import type { VirtualPath } from './path.ts'

/** The text of a large folder is made where the folder is read: to make it of entries takes several times as long. */
export interface FolderRows {
  /**
   * Undefined where links are among the names: they have to be followed first. The same object as before says that neither
   * names nor facts of the folder have changed, for as long as a minute where the change was made untold.
   */
  namesInOrder(folder: VirtualPath, wish: OrderWish, signal?: Cancellation): Promise<NamesInOrder | undefined>
  /** The items of a listing for some of these names; those that are gone by now are left out. */
  rowsOf(folder: VirtualPath, names: Uint8Array<ArrayBuffer>, form: RowForm, signal?: Cancellation): Promise<Rows>
}

export interface OrderWish {
  readonly sorting: Sorting
  readonly showsDotfiles: boolean
}

export interface NamesInOrder {
  /** The id of the folder that they are in. */
  readonly folder: string
  /** See entries/name-list.ts: each name ends with a zero, which is where the list can be cut. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Is one of them a subtitle, or a folder of subtitles? */
  readonly hasSubtitles: boolean
  /** Of the folders among them, their exact names; undefined where there are many, or the disk does not tell. */
  readonly folders?: readonly string[] | undefined
}

/** A folder with more folders in it is not watched for what it shows of them: each takes a watch. */
export const mostWatchedBelow = 16

export interface RowForm {
  /** What paths begin with: that of the folder, and a slash. */
  readonly prefix: string
  /** Read the beginning of files whose name does not tell their type. */
  readonly detectsByContent: boolean
}

export interface Rows {
  /** The id of the folder in which the names were looked at: its path may lead to another one than before. */
  readonly folder: string
  /** The items as JSON, each behind a comma. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly count: number
  readonly folders: number
  /** Has a file among them another name, by which it can change? */
  readonly hasShared: boolean
}
