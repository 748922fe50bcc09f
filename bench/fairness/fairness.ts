import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Bench } from '../bench.ts'
import { connectTo } from '../exchange.ts'
import type { Peer } from '../peer.ts'
import { median } from '../statistics.ts'
import { folderOf } from '../subjects.ts'
import type { BurdenOrder, BurdenReport } from './burden-worker.ts'
import { type Burden, burdens } from './burdens.ts'

/** Small listings while one kind of heavy work goes on. */
export interface FairnessRow {
  burden: string
  title: string
  cells: FairnessCell[]
}

export interface FairnessCell {
  peer: string
  /** In milliseconds. */
  median: number
  worst: number
  count: number
}

const SECONDS = { small: 0.5, full: 3 }
/** Between two listings: they are to be met by the burden, not to be one. */
const PAUSE_MS = 5
const WARM_UPS = 20

export async function measureFairness(bench: Bench, peers: readonly Peer[], scale: 'small' | 'full') {
  const rows: FairnessRow[] = []
  for (const burden of burdens) {
    const cells: FairnessCell[] = []
    for (const peer of peers) {
      if (bench.isStopped) return rows
      try {
        const waits = await measureBeside(burden, peer, bench, SECONDS[scale])
        if (waits === undefined) continue
        cells.push({ peer: peer.name, median: median(waits), worst: Math.max(...waits), count: waits.length })
      } catch (error) {
        bench.fail(`small listings beside ${burden.name}: ${peer.name} failed`, error)
      }
    }
    rows.push({ burden: burden.name, title: burden.title, cells })
  }
  return rows
}

/** Milliseconds of every small listing; nothing when the peer cannot do the heavy work. */
export async function measureBeside(burden: Burden, peer: Peer, bench: Bench, seconds: number) {
  const outbox = '/outbox'
  const outboxDisk = `${bench.root}${bench.served}${outbox}`
  mkdirSync(outboxDisk)
  try {
    const requests = await burden.requests(peer, bench, bench.served + outbox)
    if (requests === undefined) return
    const { served } = await bench.place(folderOf(() => 20))
    const line = await connectTo(peer)
    const ask = () => line.ask(peer.dialect.list(served))
    for (let warm = 0; warm < WARM_UPS; warm++) await ask()
    const heavy = requests.length > 0 ? startBurden(burden, peer, requests) : undefined
    try {
      await heavy?.begun
      const waits = await askMeanwhile(ask, seconds, () => heavy?.isOver === true)
      if (waits.length > 0) return waits
    } finally {
      line.end()
      await heavy?.end()
    }
    throw new Error('the heavy work was over before anything was asked beside it')
  } finally {
    await rm(outboxDisk, { recursive: true, force: true })
  }
}

async function askMeanwhile(ask: () => Promise<void>, seconds: number, isOver: () => boolean): Promise<number[]> {
  const waits: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end && !isOver()) {
    const started = performance.now()
    await ask()
    waits.push(performance.now() - started)
    await Bun.sleep(PAUSE_MS)
  }
  return waits
}

function startBurden({ atOnce }: Burden, { url, token }: Peer, requests: BurdenOrder['requests']) {
  const worker = new Worker(new URL('./burden-worker.ts', import.meta.url).href)
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const state = {
    /** A thread takes a moment to start, and so long nothing is measured. */
    begun,
    isOver: false,
    async end() {
      worker.postMessage('stop')
      await over.finally(() => worker.terminate())
    },
  }
  worker.onmessage = ({ data }: MessageEvent<BurdenReport>) => {
    begin()
    if (data === 'begun') return
    state.isOver = true
    if (data === 'done') resolve()
    else reject(new Error(data.failure))
  }
  worker.onerror = ({ message }) => {
    begin()
    state.isOver = true
    reject(new Error(message))
  }
  // A failure is told by `end`; nothing waits for it before.
  over.catch(() => {})
  worker.postMessage({ url: url.href, token, requests, atOnce } satisfies BurdenOrder)
  return state
}
