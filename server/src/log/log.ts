import { write, writeSync } from 'node:fs'
import { type Facts, lineOf } from './line.ts'
import { lineWriter, type Sink } from './line-writer.ts'
import { rotatingFile } from './rotating-file.ts'

export const logLevels = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** Tells facts, a message, or both. */
interface Tell {
  (facts: Facts, message?: string): void
  (message: string): void
}

export type Log = Readonly<Record<LogLevel, Tell>>

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
  const noop = async () => {}
  if (target === '') return { ...logWith(level, () => {}), reopen: noop, flush: noop, passOn() {} }
  const lines = lineWriter(sinkOf(target), { lostLine })
  process.on('exit', lines.flushSync)
  return { ...logWith(level, lines.write), reopen: lines.reopen, flush: lines.flush, passOn: lines.write }
}

function logWith(level: LogLevel, write: (line: string) => void): Log {
  const silent: Tell = () => {}
  const telling =
    (own: LogLevel): Tell =>
    (facts: Facts | string, message?: string) =>
      write(typeof facts === 'string' ? lineOf(own, {}, facts) : lineOf(own, facts, message))
  const tell = (own: LogLevel) => (logLevels.indexOf(own) <= logLevels.indexOf(level) ? telling(own) : silent)
  return { error: tell('error'), warn: tell('warn'), info: tell('info'), debug: tell('debug') }
}

const lostLine = (lost: number): string =>
  lineOf('error', { lost }, 'Lines of the log were lost: it could not be written')

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
