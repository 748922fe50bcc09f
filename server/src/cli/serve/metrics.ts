import { dirname } from 'node:path'
import type { App } from '../../app.ts'
import type { Config } from '../../config/config.ts'
import { parseAddress } from '../../http/listen-address.ts'
import { type Metrics, metricsOf } from '../../metrics/metrics.ts'
import { counting, listenForMetrics } from '../../metrics/routes.ts'
import { cacheFolderIn } from '../../previews/cache.ts'
import { cacheUsage } from '../../previews/cache-trim.ts'
import { version } from '../../version.ts'
import { portError } from './start-errors.ts'

/** The listener for metrics, opened before the app exists. */
export interface ClaimedMetrics {
  readonly url: string
  /** Wraps the app's fetch so that its answers are counted. */
  measure(app: App, config: Config): App['fetch']
  close(): Promise<void>
}

/** Undefined without --metrics: then nothing is counted, and requests take no detour. */
export function claimMetrics({ metrics: wanted }: Config): ClaimedMetrics | undefined {
  const address = parseAddress(wanted)
  if (address === undefined) return undefined
  const ready = Promise.withResolvers<Metrics>()
  try {
    const listener = listenForMetrics(address, ready.promise)
    const host = address.host.includes(':') ? `[${address.host}]` : address.host
    return {
      url: `http://${host}:${listener.port}/metrics`,
      measure(app, { cacheDir, root, database }) {
        const metrics = metricsOf({
          ...app.deps,
          version,
          disks: { files: root, database: dirname(database) },
          cacheUsage: async () => (cacheDir === '' ? 0 : cacheUsage(cacheFolderIn(cacheDir))),
        })
        ready.resolve(metrics)
        return counting(app.fetch, metrics.traffic)
      },
      close: listener.close,
    }
  } catch (error) {
    const reason = portError({ ...address, option: '--metrics' }, error as NodeJS.ErrnoException)
    throw new Error(`Cannot listen on ${wanted} for metrics: ${reason}`)
  }
}
