interface Known<T> {
  readonly names: Uint8Array
  readonly stats: Uint8Array
  readonly items: T
}

/** What was made of readings of folders, by all that the system said of them; the oldest goes first. */
export interface ListingCache<T> {
  /** The items of an equal reading before, or else new ones. */
  itemsOf(names: Uint8Array, stats: Uint8Array, make: () => T): T
}

const hashOf = (names: Uint8Array, stats: Uint8Array): bigint | number =>
  Bun.hash.wyhash(stats, BigInt(Bun.hash(names)))

const bytesOf = ({ names, stats }: Known<unknown>): number => names.length + stats.length + 1024

/**
 * Of at most so many bytes, and a few besides for each. Found by a hash, which is quick, and then compared: names and times are chosen by users, and two
 * folders with the same hash must not show each other's entries.
 */
export function listingCache<T>(most: number, hash: typeof hashOf = hashOf): ListingCache<T> {
  const known = new Map<bigint | number, Known<T>>()
  let total = 0
  const forget = (key: bigint | number, before: Known<T>) => {
    known.delete(key)
    total -= bytesOf(before)
  }
  return {
    itemsOf(names, stats, make) {
      const key = hash(names, stats)
      const before = known.get(key)
      if (
        before !== undefined &&
        Buffer.compare(before.names, names) === 0 &&
        Buffer.compare(before.stats, stats) === 0
      )
        return before.items
      if (before !== undefined) forget(key, before)
      // Copies: the slice of a Buffer would be the buffer itself, which the next folder is read into.
      const made = { names: new Uint8Array(names), stats: new Uint8Array(stats), items: make() }
      total += bytesOf(made)
      for (const [oldest, old] of known) {
        if (total <= most) break
        forget(oldest, old)
      }
      known.set(key, made)
      return made.items
    },
  }
}
