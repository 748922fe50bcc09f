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

/**
 * Found by a hash, which is quick, and then compared: names and times are chosen by users, and two folders with the same
 * hash must not show each other's entries.
 */
export function listingCache<T>(most: number, hash: typeof hashOf = hashOf): ListingCache<T> {
  const known = new Map<bigint | number, Known<T>>()
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
      const items = make()
      const [oldest] = known.size === most && before === undefined ? known.keys() : []
      if (oldest !== undefined) known.delete(oldest)
      known.set(key, { names: names.slice(), stats: stats.slice(), items })
      return items
    },
  }
}
