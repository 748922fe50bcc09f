import pino from 'pino'
import { rotatingFile } from './rotating-file.ts'

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>

export interface ReopenableLog extends Log {
  /** Goes on in a new file where another program has moved the old one away. */
  reopen(): void
}

/** One JSON object a line: whatever a name or an address holds, it cannot begin a line of its own. */
export function createLog(target: string): ReopenableLog {
  const options: pino.LoggerOptions = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  if (target === '') return Object.assign(pino({ ...options, enabled: false }), { reopen() {} })
  const destination = destinationOf(target)
  return Object.assign(pino(options, harmless(destination)), { reopen: () => void destination.reopen?.() })
}

/** A disk that has no room for a line of the log must not refuse what the line is about, nor end the server. */
const harmless = (destination: pino.DestinationStream): pino.DestinationStream => ({
  write(line) {
    try {
      destination.write(line)
    } catch {
      // There is nobody left to tell.
    }
  },
})

interface Destination extends pino.DestinationStream {
  reopen?(): boolean
}

function destinationOf(target: string): Destination {
  // Lines that nobody takes are kept for later; beyond this they are dropped.
  const options = { sync: true, maxLength: 1 << 20 }
  if (target === 'stdout') return { write: writerOf(pino.destination({ dest: 1, ...options })) }
  if (target === 'stderr') return { write: writerOf(pino.destination({ dest: 2, ...options })) }
  return rotatingFile(target)
}

/** Without its own way to be opened again, which streams of the process do not need. */
const writerOf =
  (stream: pino.DestinationStream): pino.DestinationStream['write'] =>
  (line) =>
    stream.write(line)
