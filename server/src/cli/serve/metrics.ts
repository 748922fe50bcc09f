import { dirname } from 'node:path'
import type { App } from '../../app/app.ts'
import type { Config } from '../../config/config.ts'
import { type Metrics, metricsOf } from '../../metrics/metrics.ts'
import { counting } from '../../metrics/routes.ts'
import { cacheFolderIn } from '../../previews/cache.ts'
import { cacheUsage } from '../../previews/cache-trim.ts'
import { version } from '../../version.ts'

/** Wraps the app's fetch so that its answers are counted. */
export function measured(app: App, { cacheDir, root, database }: Config): { fetch: App['fetch']; metrics: Metrics } {
  const metrics = metricsOf({
    ...app.deps,
    version,
    disks: { files: root, database: dirname(database) },
    cacheUsage: async () => (cacheDir === '' ? 0 : cacheUsage(cacheFolderIn(cacheDir))),
  })
  return { fetch: counting(app.fetch, metrics.traffic), metrics }
}
