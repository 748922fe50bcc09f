import type { Entry } from '../../storage/port.ts'

/**
 * LRU cache of the checksums of packed files, by the file's identity and version. The directory at the end of a zip needs
 * all of them: without the cache, continuing a download after a lost connection reads everything before it again.
 */
export interface Checksums {
  of(entry: Entry): number | undefined
  note(entry: Entry, checksum: number): void
}

/** A few megabytes of memory. */
const most = 65_536

/** In seconds. A file that was changed just now may change again within the resolution of its modification time. */
const minimumAge = 2

export function checksumCache(mostKept = most, now: () => number = () => Date.now() / 1000): Checksums {
  const known = new Map<string, number>()
  return {
    of(entry) {
      if (entry.kind !== 'file' || entry.size === 0) return 0
      const key = keyOf(entry)
      const checksum = known.get(key)
      // Moves the entry to the end of the order of use.
      if (checksum !== undefined && known.delete(key)) known.set(key, checksum)
      return checksum
    },
    note(entry, checksum) {
      if (entry.kind !== 'file' || entry.size === 0 || entry.seconds > now() - minimumAge) return
      const [oldest] = known.keys()
      if (known.size >= mostKept && oldest !== undefined) known.delete(oldest)
      known.set(keyOf(entry), checksum)
    },
  }
}

const keyOf = ({ id, version }: Entry): string => `${id} ${version}`
