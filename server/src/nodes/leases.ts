import type { NodeRow } from '../database/schema.ts'

/**
 * Which nodes are alive, by the heartbeats that they count in the database. No clock is read, so one that jumps changes
 * nothing: a node is dead once this one has made `mostMissed` beats of its own without seeing a new beat of
 * the other. Neither does a machine that sleeps change anything, or a database that takes no rows for a while: without a
 * beat of its own, this node judges no other.
 */
export interface Leases {
  isAlive(id: string): boolean
  /** Was a node asked about recently that only heartbeats tell about? */
  isWatching(): boolean
  rowOf(id: string): NodeRow | undefined
  /** As they were when they were read last. */
  rows(): Iterable<NodeRow>
  /** This node has made a beat, and these rows were there right after it. */
  beaten(rows: readonly NodeRow[]): void
  /** These rows are there now. */
  seen(rows: readonly NodeRow[]): void
  /** Found dead in another way: it counts as dead until it beats again. */
  ended(id: string): void
}

interface Watched {
  beats: number | undefined
  /** The own beat at which the last one of the other was seen. */
  seenAt: number
  askedAt: number
}

export function leasesAfter(mostMissed: number): Leases {
  const watched = new Map<string, Watched>()
  let rows = new Map<string, NodeRow>()
  let ownBeats = 0

  function seen(found: readonly NodeRow[]): void {
    rows = new Map(found.map((row) => [row.id, row]))
    for (const [id, known] of watched) {
      const beats = rows.get(id)?.beats
      if (beats === known.beats) continue
      // A row that goes was taken back by its node, or by another one that has found it dead.
      known.seenAt = beats === undefined ? Number.NEGATIVE_INFINITY : ownBeats
      known.beats = beats
    }
  }

  /** A node whose row is not there may have joined a moment ago. */
  function watch(id: string): Watched {
    const known = watched.get(id) ?? { beats: rows.get(id)?.beats, seenAt: ownBeats, askedAt: ownBeats }
    watched.set(id, known)
    known.askedAt = ownBeats
    return known
  }

  return {
    isAlive: (id) => ownBeats - watch(id).seenAt < mostMissed,
    isWatching: () => watched.size > 0,
    rowOf: (id) => rows.get(id),
    rows: () => rows.values(),
    beaten(found) {
      ownBeats += 1
      for (const [id, { askedAt }] of watched) if (ownBeats - askedAt > 2 * mostMissed) watched.delete(id)
      seen(found)
    },
    seen,
    ended(id) {
      watch(id).seenAt = Number.NEGATIVE_INFINITY
    },
  }
}
