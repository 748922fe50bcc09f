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
  return pino(options, harmless(destinationOf(target)))
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

function destinationOf(target: string): pino.DestinationStream {
  // Lines that nobody takes are kept for later; beyond this they are dropped.
  const options = { sync: true, maxLength: 1 << 20 }
  if (target === 'stdout') return pino.destination({ dest: 1, ...options })
  if (target === 'stderr') return pino.destination({ dest: 2, ...options })
  return rotatingFile(target)
}
