import pino from 'pino'
import { rotatingFile } from './rotating-file.ts'

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>

/** One JSON object a line: whatever a name or an address holds, it cannot begin a line of its own. */
export function createLog(target: string): Log {
  const options: pino.LoggerOptions = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  if (target === '') return pino({ ...options, enabled: false })
  return pino(options, destinationOf(target))
}

function destinationOf(target: string): pino.DestinationStream {
  if (target === 'stdout') return pino.destination({ dest: 1, sync: true })
  if (target === 'stderr') return pino.destination({ dest: 2, sync: true })
  return rotatingFile(target)
}
