import type { Sorting } from '@filestead/contract'

/** A listing that is held as a whole, and the version of that text, in quotes. */
export interface ListingText {
  readonly text: string
  readonly version: string
}

export const listingText = (text: string): ListingText => ({ text, version: `"${Bun.hash(text).toString(36)}"` })

/** A long answer, made while it is sent. */
export interface LargeListing {
  readonly pieces: AsyncGenerator<string | Uint8Array>
  /** The order of a folder's entries. */
  readonly sorting?: Sorting
}
