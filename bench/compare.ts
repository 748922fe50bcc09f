import type { Cell, Row } from './rounds.ts'
import type { Run } from './run.ts'
import { median } from './statistics.ts'

/** One work of the first peer, and how much of that time all others take. */
export interface Comparison {
  work: string
  title: string
  unit: Row['unit']
  own: number
  others: Other[]
}

export interface Other {
  name: string
  isTool: boolean
  figure: number
  /** 2 is twice as long as the first peer, below 1 is faster. */
  ratio: number
}

/** Works that the first peer has failed in are left out: there is nothing to compare with. */
export function compareWorks({ rows, peers }: Pick<Run, 'rows' | 'peers'>): Comparison[] {
  const first = peers[0]?.name
  return firstRows(rows).flatMap(({ work, title, unit, against, reference, cells }) => {
    const own = cells.find(({ peer }) => peer === first)
    if (own === undefined || own.failure !== undefined || own.samples.length === 0) return []
    const others: Other[] = cells
      .filter((cell) => cell !== own && cell.failure === undefined && cell.samples.length > 0)
      .map(({ peer, samples }) => toOther(peer, false, samples, own.samples))
    // A budget is no tool, and what is a peer of this run is not shown twice.
    const isTool = unit === 'ms' && reference.length > 0 && !peers.some(({ name }) => name === against)
    if (isTool) others.unshift(toOther(against, true, reference, own.samples))
    return [{ work, title, unit, own: median(own.samples), others }]
  })
}

/** The same of processor time, of the servers whose processes are known. */
export function compareCpu({ rows, peers }: Pick<Run, 'rows' | 'peers'>): Comparison[] {
  const first = peers[0]?.name
  return firstRows(rows).flatMap(({ work, title, cells }) => {
    const spent = cells.flatMap((cell) => cpuOf(cell))
    const own = spent.find(({ name }) => name === first)
    if (own === undefined) return []
    const others = spent
      .filter((one) => one !== own)
      .map((one) => ({ ...one, isTool: false, ratio: one.figure / own.figure }))
    return [{ work, title, unit: 'ms' as const, own: own.figure, others }]
  })
}

/** Less than this can be an accident of the clock, which counts in hundredths of a second. */
const LEAST_CPU_MS = 30

function cpuOf({ peer, cpu, failure }: Cell): { name: string; figure: number }[] {
  if (cpu === undefined || failure !== undefined || cpu.ms < LEAST_CPU_MS) return []
  return [{ name: peer, figure: cpu.ms / cpu.requests }]
}

/** A work that is held against two things has a row for each. */
function firstRows(rows: readonly Row[]): Row[] {
  return rows.filter(({ work }, index) => rows.findIndex((row) => row.work === work) === index)
}

/** Rounds are compared one by one, because both sides of a round met the same noise. */
function toOther(name: string, isTool: boolean, samples: readonly number[], own: readonly number[]): Other {
  const ratio = median(samples.map((sample, round) => sample / (own[round] ?? Number.NaN)))
  return { name, isTool, figure: median(samples), ratio }
}

/** Those that need less than nine tenths of the time. A smaller lead is within what two runs differ by. */
export function aheadOf({ others }: Comparison): Other[] {
  return others.filter(({ ratio }) => ratio < 0.9).toSorted((a, b) => a.ratio - b.ratio)
}
