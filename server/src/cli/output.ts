import { Failure } from '../failure.ts'
import { reasonOf } from './system-errors.ts'

// A reader such as `head` that closes its end of the pipe early ends the output, and that is no error. A full disk is one
// for a command whose result is lost, but no reason for a server to end.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || process.exitCode === 1) return
    process.exitCode = 1
    if (stream === process.stdout) process.stderr.write(`Error: ${cannotWrite(error)}\n`)
  })

const cannotWrite = (error: NodeJS.ErrnoException): string =>
  `standard output cannot be written: ${error.code === 'EPIPE' ? 'its reader has ended' : (reasonOf(error) ?? error.message)}`

/** Writes a result to standard output, which scripts read. */
export const print = (text: string): void => void process.stdout.write(`${safe(text)}\n`)

/** The same for what is shown only once: throws when it cannot be written. */
export const printForSure = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) =>
      error ? reject(new Failure('unavailable', cannotWrite(error))) : resolve(),
    )
  })

let isQuiet = false

/** With --quiet, only results, warnings and errors are written. */
export function setQuiet(quiet: boolean): void {
  isQuiet = quiet
}

/** Writes a message for people to standard error, so that it does not mix with the result. */
export function notice(text: string): void {
  if (!isQuiet) process.stderr.write(`${safe(text)}\n`)
}

/** The same for a message that --quiet does not hide. */
export const warn = (text: string): void => void process.stderr.write(`Warning: ${safe(text)}\n`)

/** Writes the one line of an error. */
export const printError = (line: string): void => void process.stderr.write(`Error: ${printable(line)}\n`)

/** A result for scripts. JSON leaves some control characters as they are, which a terminal would obey. */
export const printJson = (value: unknown): void =>
  print(
    JSON.stringify(value, null, 2).replace(/[^\P{C}\n]/gu, (character) =>
      [...Array(character.length).keys()]
        .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
        .join(''),
    ),
  )

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
export const printable = (value: unknown): string => String(value).replace(/\p{C}/gu, escaped)

/** The same for a text of several lines. */
const safe = (text: string): string => text.replace(/[^\P{C}\n\t]/gu, escaped)

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
