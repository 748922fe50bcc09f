import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { Node } from '../nodes/node.ts'
import { gauge, type Metric } from './metric.ts'
import { processWatch } from './process.ts'
import { spaceOn } from './space.ts'
import { countRows } from './store.ts'
import { type Traffic, trafficCounter } from './traffic.ts'

export interface MetricsDeps {
  db: Kysely<Database>
  clock: Clock
  version: string
  /** The size of the thumbnail cache in bytes. */
  cacheUsage(): Promise<number>
  mounts: Pick<Mounts, 'all' | 'isAway'>
  /** The disks that can run full: a label, and a folder on the disk. */
  disks: Readonly<Record<string, string>>
  node: Pick<Node, 'others'>
  events: { readonly listeners: number; readonly watches: number }
}

export interface Metrics {
  readonly traffic: Traffic
  /** Of this process alone. */
  own(): Promise<Metric[]>
  /** With those of the database and the disks, which every process of a server would tell alike. */
  all(): Promise<Metric[]>
}

/** In milliseconds: a cache can hold a hundred thousand files, and is not measured for every scrape. */
const countAgainAfter = 60_000

export function metricsOf({ db, clock, version, cacheUsage, mounts, disks, node, events }: MetricsDeps): Metrics {
  const traffic = trafficCounter()
  const watch = processWatch()
  let counted = { bytes: 0, until: 0 }

  async function cacheBytes(): Promise<number> {
    if (Date.now() >= counted.until) counted = { bytes: await cacheUsage(), until: Date.now() + countAgainAfter }
    return counted.bytes
  }

  const own = async () => [
    ...traffic.metrics(),
    summed(gauge('filestead_event_listeners', 'Clients that are told of changes as they happen.', events.listeners)),
    summed(gauge('filestead_watched_folders', 'Folders that are open in clients and watched.', events.watches)),
    ...(await watch.metrics()),
  ]

  return {
    traffic,
    own,
    async all() {
      const { uploads, sessions } = await countRows(db, clock.unixSeconds())
      return [
        {
          ...gauge('filestead_info', 'The version that runs.', 1),
          samples: [{ value: 1, labels: { version } }],
        },
        gauge('filestead_open_uploads', 'Uploads that have begun and can be continued.', uploads),
        gauge('filestead_sessions', 'Sign-ins that have not expired.', sessions),
        gauge(
          'filestead_nodes',
          'Servers on the same PostgreSQL that are alive, this one among them.',
          node.others().length + 1,
        ),
        gauge('filestead_mounts_away', 'Root folders whose disk is not there.', await mountsAway(mounts)),
        gauge(
          'filestead_cache_bytes',
          'Size of the thumbnail cache, counted once a minute at most.',
          await cacheBytes(),
        ),
        ...(await spaceOn(disks)),
        ...(await own()),
      ]
    },
  }
}

const summed = (metric: Metric): Metric => ({ ...metric, together: 'sum' })

/** As far as is known: a scrape waits for no disk. */
const mountsAway = async (mounts: MetricsDeps['mounts']): Promise<number> =>
  (await mounts.all()).filter(({ id }) => mounts.isAway(id)).length
