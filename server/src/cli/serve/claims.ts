import { parseAddress } from '../../http/listen-address.ts'
import { createLog, type LogLevel, type LogOutput } from '../../log/log.ts'
import type { Metric } from '../../metrics/metric.ts'
import { listenForMetrics } from '../../metrics/routes.ts'
import { logFileError, portError } from './start-errors.ts'

/** The log and the listener for metrics: opened before anything is written, since a start that fails must change nothing. */
export interface Claims {
  readonly log: LogOutput
  readonly metrics: ClaimedMetrics | undefined
}

export interface ClaimedMetrics {
  readonly url: string
  /** What is told from now on; until then, scrapes wait. */
  tell(metrics: () => Promise<readonly Metric[]>): void
  close(): Promise<void>
}

export interface ClaimOptions {
  readonly log: string
  readonly logLevel: LogLevel
  readonly metrics: string
}

export function claimsFor({ log: target, logLevel, metrics }: ClaimOptions): Claims {
  const log = logFor(target, logLevel)
  return { log, metrics: claimMetrics(metrics) }
}

function logFor(target: string, level: LogLevel): LogOutput {
  try {
    return createLog(target, level)
  } catch (error) {
    const reason = logFileError(error as NodeJS.ErrnoException)
    throw new Error(`Cannot write the log ${target}: ${reason}. Name another file with --log`)
  }
}

/** Undefined without --metrics: then nothing is counted, and requests take no detour. */
function claimMetrics(wanted: string): ClaimedMetrics | undefined {
  const address = parseAddress(wanted)
  if (address === undefined) return undefined
  const ready = Promise.withResolvers<() => Promise<readonly Metric[]>>()
  try {
    const listener = listenForMetrics(address, ready.promise)
    const host = address.host.includes(':') ? `[${address.host}]` : address.host
    return { url: `http://${host}:${listener.port}/metrics`, tell: ready.resolve, close: listener.close }
  } catch (error) {
    const reason = portError({ ...address, option: '--metrics' }, error as NodeJS.ErrnoException)
    throw new Error(`Cannot listen on ${wanted} for metrics: ${reason}`)
  }
}
