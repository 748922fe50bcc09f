import type { Cell, Row } from './rounds.ts'
import { median, ratioOf } from './statistics.ts'
import { toFigure, toTable } from './table.ts'

export function toReport(rows: readonly Row[], peerNames: readonly string[], notes: Iterable<string>): string {
  const header = ['work', 'unit', 'against', 'median', ...peerNames.flatMap((name) => [name, 'ratio'])]
  const lines = rows.map((row) => [
    row.work,
    row.unit,
    row.against,
    toFigure(median(row.reference)),
    ...peerNames.flatMap((name) => toFigures(row.cells.find(({ peer }) => peer === name))),
  ])
  const parts = [
    toTable(header, lines, 3),
    rows.flatMap(toVerdict).join('\n'),
    [...new Set(rows.flatMap(toFailures)), ...notes].join('\n'),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** A failed peer's few samples would read like a result, so none are shown. */
function toFigures(cell: Cell | undefined): string[] {
  if (cell === undefined) return ['-', '-']
  if (cell.failure !== undefined) return ['failed', '-']
  return [toFigure(median(cell.samples)), `${ratioOf(cell).toFixed(2)}x`]
}

function toVerdict({ work, against, limit, cells }: Row): string[] {
  if (limit === undefined || cells.length === 0) return []
  const verdicts = cells.map((cell) => {
    if (cell.failure !== undefined) return `${cell.peer} failed`
    // The printed figure is compared, so that the report never says "at most 1.2: 1.20x missed".
    const ratio = ratioOf(cell).toFixed(2)
    return `${cell.peer} ${ratio}x ${Number(ratio) <= limit ? 'met' : 'missed'}`
  })
  return [`${work}: at most ${limit} x ${against}: ${verdicts.join(', ')}`]
}

function toFailures({ work, cells }: Row): string[] {
  return cells.flatMap(({ peer, failure }) => (failure === undefined ? [] : `${work}: ${peer} failed: ${failure}`))
}
