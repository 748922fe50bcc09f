/**
 * A pool of connections as a queue: queries come at random moments, each holds a connection for a random time, and waits
 * where none is free. Times are in the unit of the mean hold.
 */
export interface PoolLoad {
  readonly connections: number
  /** How much of the pool is busy on average, below 1. */
  readonly use: number
  readonly queries: number
  readonly seed: number
}

export interface Waits {
  readonly mean: number
  readonly slowest1Percent: number
  /** Of all queries. */
  readonly waiting: number
}

export function simulatePool({ connections, use, queries, seed }: PoolLoad): Waits {
  const random = randomFrom(seed)
  const exponential = (mean: number) => -Math.log(1 - random()) * mean
  const freeAt = new Array<number>(connections).fill(0)
  const waits: number[] = []
  let now = 0
  for (let query = 0; query < queries; query += 1) {
    now += exponential(1 / (connections * use))
    const next = freeAt.indexOf(Math.min(...freeAt))
    const begins = Math.max(now, freeAt[next] ?? 0)
    waits.push(begins - now)
    freeAt[next] = begins + exponential(1)
  }
  const sorted = waits.toSorted((a, b) => a - b)
  return {
    mean: waits.reduce((sum, wait) => sum + wait, 0) / queries,
    slowest1Percent: sorted[Math.floor(queries * 0.99)] ?? 0,
    waiting: waits.filter((wait) => wait > 0).length / queries,
  }
}

/** Erlang's formula for the same: which part of the queries waits. */
export function waitingShare(connections: number, use: number): number {
  const offered = connections * use
  // Erlang B by its recurrence, which needs no factorials.
  let blocked = 1
  for (let count = 1; count <= connections; count += 1) blocked = (offered * blocked) / (count + offered * blocked)
  return blocked / (1 - use * (1 - blocked))
}

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
