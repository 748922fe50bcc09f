// A reader such as `head` that closes its end of the pipe early ends the output, and that is no error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

/** Writes a result to standard output, which scripts read. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`)

let isQuiet = false

/** With --quiet, only results, warnings and errors are written. */
export function setQuiet(quiet: boolean): void {
  isQuiet = quiet
}

/** Writes a message for people to standard error, so that it does not mix with the result. */
export function notice(text: string): void {
  if (!isQuiet) process.stderr.write(`${text}\n`)
}

/** The same for a message that --quiet does not hide. */
export const warn = (text: string): void => void process.stderr.write(`Warning: ${text}\n`)

/** A result for scripts. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

export const ignoredRedis = '--redisCacheUrl is ignored: uploads are remembered in the database'

/** Rows under headings, each column as wide as its widest cell. */
export function columns(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(printable))]
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

/** Titled lists of names and values, with all values in one column. */
export function sections(parts: readonly Section[]): string {
  const width = Math.max(...parts.flatMap(([, values]) => Object.keys(values).map((name) => name.length))) + 1
  return parts
    .map(([title, values]) =>
      [
        `${title}:`,
        ...Object.entries(values).map(([name, value]) =>
          `  ${`${name}:`.padEnd(width)}  ${printable(value)}`.trimEnd(),
        ),
      ].join('\n'),
    )
    .join('\n\n')
}

/** Escapes control characters: a file or user name must not send commands to the terminal. */
export const printable = (value: unknown): string =>
  String(value).replace(/\p{C}/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
