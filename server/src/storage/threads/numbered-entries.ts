import type { DiskEntry } from '../disk/entry.ts'
import type { Entry } from '../entry.ts'
import type { ListingEnd, NumberedEntries } from './messages.ts'
import { packEntries, unpackEntries } from './packing.ts'

// Small folders are read again and again, mostly unchanged: entries that a thread has sent before are named by a number.

export type Numbering = (entries: readonly DiskEntry[]) => Omit<NumberedEntries, 'thread'>

/** So many entries are remembered, on both sides; an empty folder counts, too. */
const mostNumbered = 6000
const weightOf = (entries: readonly unknown[]): number => entries.length + 20

/** The side of a thread. */
export function numbering(most = mostNumbered): Numbering {
  const sent = new Map<readonly DiskEntry[], number>()
  let last = 0
  let total = 0
  return (entries) => {
    const known = sent.get(entries)
    if (known !== undefined) return { number: known }
    last += 1
    total += weightOf(entries)
    for (const oldest of sent.keys()) {
      if (total <= most) break
      sent.delete(oldest)
      total -= weightOf(oldest)
    }
    sent.set(entries, last)
    const [least = last] = sent.values()
    return { number: last, sent: { least, packed: packEntries(entries) } }
  }
}

/** The side of the event loop, for all threads. */
export interface SentEntries {
  entriesOf(end: Pick<ListingEnd, 'small'>): readonly Entry[] | undefined
  /** The thread has ended, and refers to nothing any more. */
  forget(thread: number): void
}

/** An answer that comes too late to count is taken in as well: later ones refer to it. */
export function sentEntries(): SentEntries {
  const byThread = new Map<number, Map<number, readonly Entry[]>>()
  return {
    entriesOf({ small }) {
      if (small === undefined) return undefined
      const { thread, number, sent } = small
      const known = byThread.get(thread) ?? new Map<number, readonly Entry[]>()
      byThread.set(thread, known)
      if (sent === undefined) return known.get(number)
      const entries = unpackEntries(sent.packed)
      for (const old of known.keys()) if (old < sent.least) known.delete(old)
      known.set(number, entries)
      return entries
    },
    forget: (thread) => void byThread.delete(thread),
  }
}
