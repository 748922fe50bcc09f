import { type NameFormat, nameFormat } from './name-times.ts'

/** Programs whose snapshots are found by themselves, and patterns of the administrator. */
const snapshotSources = [
  ...['zfs', 'truenas', 'sanoid', 'zfs-auto-snapshot', 'zrepl', 'pyznap'],
  ...['snapper', 'btrbk', 'samba', 'rsnapshot', 'own'],
] as const
export type SnapshotSource = (typeof snapshotSources)[number]

interface KnownNames {
  readonly source: SnapshotSource
  readonly format: NameFormat
}

function known(source: SnapshotSource, clock: 'local' | 'utc', ...patterns: string[]): KnownNames[] {
  return patterns.flatMap((pattern) => {
    const format = nameFormat(pattern, { isLocal: clock === 'local' })
    return format === undefined ? [] : [{ source, format }]
  })
}

/** What programs call their snapshots, where the name tells the time. */
const knownNames: readonly KnownNames[] = [
  ...known('truenas', 'local', 'auto-%Y-%m-%d_%H-%M', 'auto-%Y-%m-%d_%H-%M-*', 'auto-%Y%m%d.%H%M-*'),
  ...known('sanoid', 'local', 'autosnap_%Y-%m-%d_%H:%M:%S_*', 'autosnap_%Y-%m-%d_%H:%M:%S'),
  ...known('samba', 'utc', '@GMT-%Y.%m.%d-%H.%M.%S'),
  ...known('zfs-auto-snapshot', 'utc', 'zfs-auto-snap_*-%Y-%m-%d-%H%M'),
  ...known('zrepl', 'utc', 'zrepl_%Y%m%d_%H%M%S_*'),
  ...known('pyznap', 'local', 'pyznap_%Y-%m-%d_%H:%M:%S_*'),
]

const btrbkTimes = ['%Y%m%dT%H%M%S%z', '%Y%m%dT%H%M%S', '%Y%m%dT%H%M', '%Y%m%d']
const btrbkNames = known('btrbk', 'local', ...btrbkTimes.flatMap((time) => [`*.${time}`, `*.${time}_*`]))

export interface KnownName {
  readonly source: SnapshotSource
  readonly at: number
}

export function knownName(name: string): KnownName | undefined {
  for (const { source, format } of knownNames) {
    const at = format(name)?.at
    if (at !== undefined) return { source, at }
  }
  return undefined
}

/** btrbk calls a snapshot by its subvolume, and by the time. */
export function btrbkName(name: string): { subvolume: string; at: number } | undefined {
  for (const { format } of btrbkNames) {
    const { at, any } = format(name) ?? {}
    if (at !== undefined && any !== undefined && any !== '') return { subvolume: any, at }
  }
  return undefined
}

/** How rsnapshot calls what it makes, the newest of each with 0. */
export const isRsnapshotName = (name: string): boolean =>
  /^(hourly|daily|weekly|monthly|yearly|alpha|beta|gamma|delta|epsilon)\.\d+$/.test(name)

/** `info.xml` of snapper says it in UTC. */
export function snapperTime(info: string): number | undefined {
  const [, date, time] = /<date>\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\s*<\/date>/.exec(info) ?? []
  const at = Date.parse(`${date}T${time}Z`)
  return Number.isNaN(at) ? undefined : at
}
