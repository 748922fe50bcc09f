import type { CurveResult } from './curves/curve.ts'
import type { FairnessRow } from './fairness/fairness.ts'
import type { Machine } from './machine.ts'
import type { Row } from './rounds.ts'
import type { ScaleName } from './scale.ts'

/** All that a run has found out, as it is written to a file and read by the reports. */
export interface Run {
  date: string
  version: string
  commit: string
  machine: Machine
  scale: ScaleName
  rounds: number
  minutes: number
  /** The first is the one that all others are compared with. */
  peers: { name: string; url: string; version?: string }[]
  rows: Row[]
  fairness: FairnessRow[]
  curves: CurveResult[]
  notes: string[]
}

export async function readRun(path: string): Promise<Run> {
  return (await Bun.file(path).json()) as Run
}

export async function writeRun(path: string, run: Run): Promise<void> {
  await Bun.write(path, `${JSON.stringify(run, null, 2)}\n`)
}
