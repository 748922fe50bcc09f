import { write, writeSync } from 'node:fs'
import pino from 'pino'
import { lineWriter, type Sink } from './line-writer.ts'
import { rotatingFile } from './rotating-file.ts'

export const logLevels = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export type Log = Pick<pino.Logger, LogLevel>

export interface LogOutput extends Log {
  /** Reopens the file, after another program has moved it away. */
  reopen(): Promise<void>
  /** Writes a line that another process of this server has made. */
  passOn(line: string): void
  /** Resolves when all lines so far are written or have failed. */
  flush(): Promise<void>
}

/**
 * One JSON object a line, so that no name or address can forge a line. The target is a file, a stream by its name, or an
 * open descriptor.
 */
export function createLog(target: string | number, level: LogLevel = 'info'): LogOutput {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  const noop = async () => {}
  if (target === '')
    return Object.assign(pino({ ...options, enabled: false }), { reopen: noop, flush: noop, passOn() {} })
  const lines = lineWriter(sinkOf(target), { lostLine })
  process.on('exit', lines.flushSync)
  const write = (line: string) => lines.write(line.replace(obeyed, escaped))
  return Object.assign(pino(options, { write }), { reopen: lines.reopen, flush: lines.flush, passOn: lines.write })
}

/**
 * What JSON leaves as it is although a terminal or a reader of lines obeys it: control characters beyond ASCII, further
 * separators of lines, and marks that turn the direction of writing.
 */
const obeyed = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const lostLine = (lost: number): string =>
  `${JSON.stringify({ level: 'error', time: new Date().toISOString(), lost, msg: 'Lines of the log were lost: it could not be written' })}\n`

function sinkOf(target: string | number): Sink {
  if (typeof target === 'number') return streamOf(target)
  if (target === 'stdout') return streamOf(1)
  if (target === 'stderr') return streamOf(2)
  return rotatingFile(target)
}

const streamOf = (fd: number): Sink => ({
  write: (bytes) =>
    new Promise((resolve, reject) => write(fd, bytes, (error, count) => (error ? reject(error) : resolve(count)))),
  writeSync: (bytes) => writeSync(fd, bytes),
})
