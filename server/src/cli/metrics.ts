import { dirname } from 'node:path'
import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { parseAddress } from '../http/listen-address.ts'
import { metricsOf } from '../metrics/metrics.ts'
import { counting, listenForMetrics } from '../metrics/routes.ts'
import { cacheFolderIn } from '../previews/cache.ts'
import { cacheUsage } from '../previews/cache-trim.ts'
import { version } from '../version.ts'

/** Where somebody wants numbers, answers are counted and the numbers told; everywhere else nothing is in the way. */
export function measured(
  app: App,
  { metrics: wanted, cacheDir, root, database }: Config,
): Pick<App, 'fetch'> & { url?: string } {
  const address = parseAddress(wanted)
  if (address === undefined) return app
  const metrics = metricsOf({
    ...app.deps,
    version,
    disks: { files: root, database: dirname(database) },
    cacheUsage: async () => (cacheDir === '' ? 0 : cacheUsage(cacheFolderIn(cacheDir))),
  })
  try {
    const { port } = listenForMetrics(address, metrics)
    const host = address.host.includes(':') ? `[${address.host}]` : address.host
    return { fetch: counting(app.fetch, metrics.traffic), url: `http://${host}:${port}/metrics` }
  } catch (error) {
    throw new Error(`Cannot tell metrics on ${wanted}: ${(error as Error).message}`)
  }
}
