import { rm, statfs } from 'node:fs/promises'
import type { Bench } from '../bench.ts'
import type { Peer } from '../peer.ts'
import { median } from '../statistics.ts'

/** The same work on more and more. Every figure is in milliseconds. */
export interface Curve {
  name: string
  title: string
  axis: Axis
  sizes: readonly number[]
  /** What the size takes on the disk while it is measured. */
  needs?(size: number): { bytes?: number; files?: number }
  /** Makes what the work is done on, at a path of its own. */
  make(disk: string, size: number): void
  tool?: { name: string; sample(spot: Spot): Promise<number> }
  sample(peer: Peer, spot: Spot): Promise<number>
}

export type Axis = 'entries' | 'bytes' | 'clients'

export interface Spot {
  disk: string
  served: string
  size: number
  notes: Set<string>
}

export interface CurveResult {
  name: string
  title: string
  axis: Axis
  lines: Line[]
}

/** The tool first, then peer after peer. */
export interface Line {
  name: string
  isTool: boolean
  points: Point[]
}

interface Point {
  size: number
  ms: number
}

/** A size ends after this time, however few rounds there were. */
const SECONDS_PER_SIZE = 8
const SECONDS_TO_WARM_UP = 60
/** What takes a millisecond is asked more often than there are rounds. */
const SECONDS_AT_LEAST = 1
/** What takes longer is not asked for the next size, which is several times as large. */
const SECONDS_PER_SAMPLE = 15
const SPARE_BYTES = 2_000_000_000

export async function runCurve(curve: Curve, bench: Bench, peers: readonly Peer[], rounds: number) {
  const { name, title, axis, tool } = curve
  const runners: Runner[] = peers.map((peer) => toRunner(peer.name, false, (spot) => curve.sample(peer, spot)))
  if (tool !== undefined) runners.unshift(toRunner(tool.name, true, tool.sample))

  for (const size of curve.sizes) {
    if (bench.isStopped) break
    if (!(await fits(curve, bench, size))) {
      bench.notes.add(`${name}: ${size} ${axis} left out, the disk has no room for them`)
      break
    }
    const disk = `${bench.root}${bench.served}/${name}-${size}`
    try {
      curve.make(disk, size)
      // Otherwise the kernel writes the new files out in the middle of a round.
      Bun.spawnSync(['sync'])
      const spot = { disk, served: `${bench.served}/${name}-${size}`, size, notes: bench.notes }
      await measureSize(runners, spot, bench, rounds)
      if (size !== curve.sizes.at(-1)) leaveOutSlow(runners, spot)
    } finally {
      await rm(disk, { recursive: true, force: true })
    }
  }
  return { name, title, axis, lines: runners.map(({ line }) => line) } satisfies CurveResult
}

interface Runner {
  line: Line
  sample(spot: Spot): Promise<number>
  isOut: boolean
}

function toRunner(name: string, isTool: boolean, sample: (spot: Spot) => Promise<number>): Runner {
  return { line: { name, isTool, points: [] }, sample, isOut: false }
}

async function measureSize(runners: readonly Runner[], spot: Spot, bench: Bench, rounds: number): Promise<void> {
  const samples = new Map<Runner, number[]>()
  const started = performance.now()
  const hasTakenSeconds = (seconds: number) => performance.now() - started > seconds * 1000
  // The first round warms up, and counts only where there is no time for a second one.
  for (let round = 0; !bench.isStopped; round++) {
    if (round > 0 && hasTakenSeconds(round === 1 ? SECONDS_TO_WARM_UP : SECONDS_PER_SIZE)) break
    if (round > rounds && hasTakenSeconds(SECONDS_AT_LEAST)) break
    const active = runners.filter(({ isOut }) => !isOut)
    if (active.length === 0) break
    for (const runner of active) {
      try {
        samples.set(runner, [...(samples.get(runner) ?? []), await runner.sample(spot)])
      } catch (error) {
        runner.isOut = true
        samples.delete(runner)
        bench.fail(`${runner.line.name} failed at ${spot.served}`, error)
      }
    }
  }
  for (const [runner, taken] of samples) {
    const ms = median(taken.length > 1 ? taken.slice(1) : taken)
    runner.line.points.push({ size: spot.size, ms })
  }
}

function leaveOutSlow(runners: readonly Runner[], { served, size, notes }: Spot): void {
  for (const runner of runners) {
    const last = runner.line.points.at(-1)
    if (runner.isOut || last?.size !== size || last.ms < SECONDS_PER_SAMPLE * 1000) continue
    runner.isOut = true
    notes.add(`${runner.line.name} was asked for nothing larger than ${served}, which took it ${last.ms.toFixed(0)} ms`)
  }
}

/** File systems that make room for files as they need it tell of none. */
async function fits({ needs }: Curve, { root }: Bench, size: number): Promise<boolean> {
  const { bytes = 0, files = 0 } = needs?.(size) ?? {}
  const { bavail, bsize, ffree, files: all } = await statfs(root)
  return bytes + SPARE_BYTES < bavail * bsize && (all === 0 || files * 1.1 < ffree)
}
