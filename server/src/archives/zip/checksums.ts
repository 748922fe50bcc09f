import type { Entry } from '../../storage/port.ts'

/**
 * Checksums of files that have been packed, by the file's identity and version. The directory at the end of a zip needs
 * them all: with them, who goes on with a download after a lost connection does not have everything before it read again.
 */
export interface Checksums {
  of(entry: Entry): number | undefined
  note(entry: Entry, checksum: number): void
}

/** A few megabytes of memory. */
const most = 65_536

/** In seconds. A file that was changed just now may change once more without another time to tell by. */
const settled = 2

export function checksumCache(mostKept = most, now: () => number = () => Date.now() / 1000): Checksums {
  const known = new Map<string, number>()
  return {
    of(entry) {
      if (entry.kind !== 'file' || entry.size === 0) return 0
      const key = keyOf(entry)
      const checksum = known.get(key)
      // The last in the order of use.
      if (checksum !== undefined && known.delete(key)) known.set(key, checksum)
      return checksum
    },
    note(entry, checksum) {
      if (entry.kind !== 'file' || entry.size === 0 || entry.seconds > now() - settled) return
      const [oldest] = known.keys()
      if (known.size >= mostKept && oldest !== undefined) known.delete(oldest)
      known.set(keyOf(entry), checksum)
    },
  }
}

const keyOf = ({ id, version }: Entry): string => `${id} ${version}`
