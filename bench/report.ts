import type { FairnessCell } from './fairness/fairness.ts'
import type { Cell, Row } from './rounds.ts'
import type { Run } from './run.ts'
import { median, ratioOf } from './statistics.ts'
import { toFigure, toTable } from './table.ts'

export function toReport({ rows, fairness, peers, notes }: Pick<Run, 'rows' | 'fairness' | 'peers' | 'notes'>): string {
  const names = peers.map(({ name }) => name)
  const parts = [
    rows.length > 0 ? toTable(...workLines(rows, names), 3) : '',
    rows.flatMap(toVerdict).join('\n'),
    rows.some(({ cells }) => cells.some(({ cpu }) => cpu))
      ? `processor time in ms per request\n\n${cpuTable(rows, names)}`
      : '',
    fairness.length > 0
      ? `small listings beside heavy work, median and worst in ms\n\n${toTable(...fairnessLines(fairness, names), 1)}`
      : '',
    remarksOf({ rows, notes }).join('\n'),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function workLines(rows: readonly Row[], names: readonly string[]): [string[], string[][]] {
  const header = ['work', 'unit', 'against', 'median', ...names.flatMap((name) => [name, 'ratio'])]
  const lines = rows.map((row) => [
    row.work,
    row.unit,
    row.against,
    toFigure(median(row.reference)),
    ...names.flatMap((name) => toFigures(row.cells.find(({ peer }) => peer === name))),
  ])
  return [header, lines]
}

function cpuTable(rows: readonly Row[], names: readonly string[]): string {
  const works = [...new Map(rows.map((row) => [row.work, row])).values()]
  const lines = works
    .filter(({ cells }) => cells.some(({ cpu }) => cpu))
    .map(({ work, cells }) => [work, ...names.map((name) => toCpuFigure(cells.find(({ peer }) => peer === name)))])
  return toTable(['work', ...names], lines, 1)
}

function toCpuFigure(cell: Cell | undefined): string {
  return cell?.cpu === undefined || cell.failure !== undefined ? '-' : toFigure(cell.cpu.ms / cell.cpu.requests)
}

function fairnessLines(rows: Run['fairness'], names: readonly string[]): [string[], string[][]] {
  const header = ['beside', ...names.flatMap((name) => [name, 'worst'])]
  const lines = rows.map(({ burden, cells }) => [
    burden,
    ...names.flatMap((name) => toWaits(cells.find(({ peer }) => peer === name))),
  ])
  return [header, lines]
}

function toWaits(cell: FairnessCell | undefined): string[] {
  return cell === undefined ? ['-', '-'] : [toFigure(cell.median), toFigure(cell.worst)]
}

/** A failed peer's few samples would read like a result, so none are shown. */
function toFigures(cell: Cell | undefined): string[] {
  if (cell === undefined) return ['-', '-']
  if (cell.failure !== undefined) return ['failed', '-']
  const ratio = ratioOf(cell)
  return [toFigure(median(cell.samples)), Number.isNaN(ratio) ? '-' : `${ratio.toFixed(2)}x`]
}

function toVerdict({ work, against, limit, cells }: Row): string[] {
  if (limit === undefined || cells.length === 0) return []
  const verdicts = cells.flatMap((cell) => {
    if (cell.failure !== undefined) return `${cell.peer} failed`
    // The printed figure is compared, so that the report never says "at most 1.2: 1.20x missed".
    const ratio = ratioOf(cell).toFixed(2)
    if (ratio === 'NaN') return []
    return `${cell.peer} ${ratio}x ${Number(ratio) <= limit ? 'met' : 'missed'}`
  })
  return [`${work}: at most ${limit} x ${against}: ${verdicts.join(', ')}`]
}

/** Who failed in what, and whatever else was noted. */
export function remarksOf({ rows, notes }: Pick<Run, 'rows' | 'notes'>): string[] {
  return [...new Set([...rows.flatMap(toFailures), ...notes])]
}

function toFailures({ work, cells }: Row): string[] {
  return cells.flatMap(({ peer, failure }) => (failure === undefined ? [] : `${work}: ${peer} failed: ${failure}`))
}
