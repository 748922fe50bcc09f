/** A listing that is held as a whole, and the version of that text, in quotes. */
export interface ListingText {
  readonly text: string
  readonly version: string
}

export const listingText = (text: string): ListingText => ({ text, version: `"${Bun.hash(text).toString(36)}"` })
