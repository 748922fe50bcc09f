/** Text in columns: the first `leftColumns` start at the left, the others, figures, end at the right. */
export function toTable(header: readonly string[], rows: readonly (readonly string[])[], leftColumns: number): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const pad = (text: string, column: number) => {
    const width = widths[column] ?? 0
    return column < leftColumns ? text.padEnd(width) : text.padStart(width)
  }
  const rule = widths.map((width) => '-'.repeat(width))
  return [header, rule, ...rows].map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}

/** About three figures: more would pretend to a precision that no busy machine has. */
export function toFigure(value: number): string {
  if (!Number.isFinite(value)) return '-'
  if (value >= 100) return value.toFixed(0)
  return value >= 1 ? value.toFixed(1) : value.toPrecision(2)
}
