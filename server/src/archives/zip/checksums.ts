import { LruMap } from '../../lru-map.ts'
import type { Entry } from '../../storage/port.ts'

/**
 * The checksums of the files of one zip, by their place in it. The directory at the end of a zip needs all of them:
 * without them, continuing a download after a lost connection reads everything before it again.
 */
export interface Checksums {
  of(place: number, entry: Entry): number | undefined
  note(place: number, entry: Entry, checksum: number): void
}

/** In all; each takes eight bytes. */
const most = 500_000

/** In seconds. A file that was changed just now may change again within the resolution of its modification time. */
const minimumAge = 2

/**
 * LRU cache by the version of a zip, which tells the version of every file at its place: a key for each file would take
 * longer than to pack a small one.
 */
export function checksumCache(mostKept = most, now: () => number = () => Date.now() / 1000) {
  const known = new LruMap<string, Float64Array>(mostKept, (_, { length }) => length)

  function keep(version: string, count: number): Float64Array {
    const made = new Float64Array(count).fill(Number.NaN)
    known.set(version, made)
    return made
  }

  return (version: string, count: number): Checksums => {
    let ofZip = known.get(version)
    return {
      of(place, entry) {
        if (entry.kind !== 'file' || entry.size === 0) return 0
        const checksum = ofZip?.[place]
        return checksum === undefined || Number.isNaN(checksum) ? undefined : checksum
      },
      note(place, { seconds }, checksum) {
        if (seconds > now() - minimumAge) return
        ofZip ??= keep(version, count)
        ofZip[place] = checksum
      },
    }
  }
}

/** For a zip of which no part can be asked for. */
export const noChecksums: Checksums = { of: () => undefined, note() {} }
