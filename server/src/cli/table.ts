/** Rows under headings, each column as wide as its widest cell. */
export function columns(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(shown))]
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export type Section = readonly [title: string, values: Readonly<Record<string, unknown>>]

/** Titled lists of names and values, all values in one line of sight. */
export function sections(parts: readonly Section[]): string {
  const width = Math.max(...parts.flatMap(([, values]) => Object.keys(values).map((name) => name.length))) + 1
  return parts
    .map(([title, values]) =>
      [
        `${title}:`,
        ...Object.entries(values).map(([name, value]) => `  ${`${name}:`.padEnd(width)}  ${shown(value)}`.trimEnd()),
      ].join('\n'),
    )
    .join('\n\n')
}

/** A name may hold anything; what it holds must not move the cursor. */
export const shown = (value: unknown): string =>
  String(value).replace(/\p{C}/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)
