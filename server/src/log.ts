import pino from 'pino'

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>

/** One JSON object a line: whatever a name or an address holds, it cannot begin a line of its own. */
export const createLog = (): Log =>
  pino({
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
