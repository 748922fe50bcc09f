import type { Bench } from './bench.ts'
import { readCpuMs } from './cpu-time.ts'
import type { Peer } from './peer.ts'
import type { Reference, Work } from './work.ts'

/** One work held against one reference. */
export interface Row {
  work: string
  title: string
  unit: Work['unit']
  against: string
  limit?: number
  /** Empty when each peer is held against its own server. */
  reference: number[]
  cells: Cell[]
}

/** One peer's samples, and beside each the reference's sample of the same round. */
export interface Cell {
  peer: string
  samples: number[]
  references: number[]
  /** Of all rounds together, because the system counts in hundredths of a second. Only where the process is known. */
  cpu?: { ms: number; requests: number }
  failure?: string
}

/** After this time no further round begins, so that a whole run has an end however slow one of the servers is. */
const SECONDS_PER_WORK = 20

/** Tool, then peer after peer, and that again in every round, so that a slow moment of the machine hits all alike. */
export async function runWork(
  work: Work,
  bench: Bench,
  peers: readonly Peer[],
  rounds: number,
  seconds = SECONDS_PER_WORK,
): Promise<Row[]> {
  const able = peers.filter((peer) => work.isFor?.(peer) ?? true)
  if (able.length === 0) return []
  const place = await bench.place(work.subject)
  const references = await work.references(bench, place)
  const lanes = able.map((peer) => toLane(peer, references))

  for (const lane of lanes) await guard(lane, async () => !bench.isStopped && work.verify?.(lane.peer, place))
  // Round 0 warms caches and compilers, and does not count.
  const shared = references.map((): number[] => [])
  const started = performance.now()
  for (let round = 0; round <= rounds && !bench.isStopped; round++) {
    if (round > 1 && performance.now() - started >= seconds * 1000) break
    const figures: number[] = []
    for (const [index, reference] of references.entries()) {
      if (reference.kind !== 'shared') continue
      figures[index] = await reference.sample()
      if (round > 0) shared[index]?.push(figures[index])
    }
    for (const lane of lanes) {
      await guard(lane, async () => {
        for (const [index, reference] of references.entries()) {
          if (reference.kind === 'own') figures[index] = await reference.sample(lane.peer)
        }
        const before = await cpuOf(lane.peer)
        const sample = await work.sample(lane.peer, place, bench)
        const spent = (await cpuOf(lane.peer)) - before
        if (round === 0) return
        const requests = work.requestsIn?.(sample, place.scale) ?? 1
        for (const [index, cell] of lane.cells.entries()) {
          cell.samples.push(sample)
          cell.references.push(figures[index] ?? Number.NaN)
          if (work.unit !== 'ms' || Number.isNaN(spent)) continue
          cell.cpu = { ms: (cell.cpu?.ms ?? 0) + spent, requests: (cell.cpu?.requests ?? 0) + requests }
        }
      })
    }
  }
  return references.map(({ name, limit }, index) => ({
    work: work.name,
    title: work.title,
    unit: work.unit,
    against: name,
    limit,
    reference: shared[index] ?? [],
    cells: lanes.flatMap(({ cells }) => cells[index] ?? []),
  }))
}

/** A peer in one work, with a cell for each reference. */
interface Lane {
  peer: Peer
  cells: Cell[]
}

function toLane(peer: Peer, references: readonly Reference[]): Lane {
  return { peer, cells: references.map(() => ({ peer: peer.name, samples: [], references: [] })) }
}

async function cpuOf({ pid }: Peer): Promise<number> {
  return pid === undefined ? Number.NaN : readCpuMs(pid)
}

/** A peer that fails is out of this work; the others go on. */
async function guard(lane: Lane, step: () => Promise<unknown>): Promise<void> {
  if (lane.cells.some(({ failure }) => failure !== undefined)) return
  try {
    await step()
  } catch (error) {
    for (const cell of lane.cells) cell.failure = error instanceof Error ? error.message : String(error)
  }
}
