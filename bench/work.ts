import type { Bench, Place } from './bench.ts'
import type { Peer } from './peer.ts'
import type { Scale } from './scale.ts'
import type { Subject } from './subjects.ts'

/** One piece of work that every peer does, and what it is held against. One sample is one figure in `unit`. */
export interface Work {
  name: string
  /** What is done, in the words of a reader who does not know the names of works. */
  title: string
  unit: 'ms' | 'MB'
  /** What the work is done on; works that ask for the same share it. */
  subject: Subject
  references(bench: Bench, place: Place): Promise<Reference[]>
  /** Says which peers can be measured; all of them when absent. */
  isFor?(peer: Peer): boolean
  /** Throws when the peer does not do the work rightly. Asked once, before the first sample. */
  verify?(peer: Peer, place: Place): Promise<void>
  sample(peer: Peer, place: Place, bench: Bench): Promise<number>
  /** How many requests, or files that were sent, a sample of this figure stands for: one when absent. */
  requestsIn?(figure: number, scale: Scale): number
}

/** `shared` is measured once a round for all peers, the other kind on each peer's own server. */
export type Reference = { name: string; limit?: number } & (
  | { kind: 'shared'; sample(): Promise<number> }
  | { kind: 'own'; sample(peer: Peer): Promise<number> }
)
