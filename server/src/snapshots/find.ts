import { isAbsolute, posix } from 'node:path'
import { type FoundSnapshots, isInside, type MountHistory } from '@filestead/contract'
import type { FolderNames, PlaceTimes, ServerFolders } from '../storage/disk/server-folders.ts'
import { nameFormat } from './name-times.ts'
import { btrbkName, isRsnapshotName, knownName, type SnapshotSource, snapperTime } from './presets.ts'

/** A state of a whole mount that a file system or a program has kept. */
export interface Snapshot {
  /** Tells it from others of the same mount. */
  readonly name: string
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
  readonly source: SnapshotSource
  /** The full name of the folder that holds it, without symlinks. */
  readonly folder: string
  /** The path from there to the root of the mount as it was: '/5/snapshot/files'. It may be missing. */
  readonly inside: string
}

export interface Finding {
  /** The newest first. */
  readonly snapshots: readonly Snapshot[]
  /** Why none can be found, in a sentence for administrators. */
  readonly problem?: string | undefined
}

export type Looks = Pick<ServerFolders, 'inspectPlaces' | 'namesIn' | 'timesOf' | 'textsOf'>

export interface FindOptions {
  readonly history: MountHistory
  /** The folders beside the mount in which an administrator may choose one. */
  readonly mountable: readonly string[]
}

/** More than are looked through; the oldest are left out. */
const mostSnapshots = 5000

/** The snapshots of a mount whose root has this full name, without symlinks. */
export async function findSnapshots(looks: Looks, root: string, options: FindOptions): Promise<Finding> {
  const { snapshots: mode } = options.history
  if (mode === 'off') return { snapshots: [] }
  const { snapshots, problem } =
    mode === 'own'
      ? await findOwn(looks, root, options)
      : { snapshots: await findKnown(looks, root), problem: undefined }
  const byName = new Map<string, Snapshot>()
  for (const snapshot of snapshots) if (!byName.has(snapshot.name)) byName.set(snapshot.name, snapshot)
  const newest = [...byName.values()].sort((one, two) => two.at - one.at).slice(0, mostSnapshots)
  return { snapshots: newest, problem }
}

/** Who made them, and where: for administrators. */
export function sourcesOf({ snapshots, problem }: Finding): FoundSnapshots {
  const bySource = Map.groupBy(snapshots, ({ source, folder }) => `${source} ${folder}`)
  const sources = [...bySource.values()].flatMap((some) => {
    const [newest, oldest] = [some[0], some.at(-1)]
    if (newest === undefined || oldest === undefined) return []
    const { source, folder } = newest
    return [{ source, folder, count: some.length, newest: newest.at, oldest: oldest.at }]
  })
  return { sources, ...(problem !== undefined && { problem }) }
}

/** What programs call the folders with their snapshots. */
const holders = ['.snapshots', 'btrbk_snapshots', '_btrbk_snap', '.btrbk_snapshots']
/** Where rsnapshot puts them unless it is told otherwise. */
const rsnapshotRoots = ['/.snapshots', '/var/cache/rsnapshot']

/** A folder in which some may lie, and what leads from one of them to the root of the mount. */
interface Holder {
  readonly path: string
  /** Who owns the folder that it lies in. */
  readonly owner: number
  readonly rest: string
  readonly kind: 'zfs' | 'folder' | 'beside' | 'rsnapshot' | 'root'
}

/** One look at a time is about one file system, so that one that hangs is known to be that one. */
async function findKnown(looks: Looks, root: string): Promise<Snapshot[]> {
  const all = foldersUpFrom(root)
  const facts = await Promise.all(all.map(async (path) => (await looks.timesOf([path]))[0] ?? undefined))
  const within = sameDevice(all, facts, 0)
  const subvolume = posix.basename(within.at(-1)?.path ?? '')
  // A snapshot ends where another file system or subvolume begins; that one may hold the snapshots of this one.
  const beside = sameDevice(all, facts, within.length)
  const found = await Promise.all(
    [
      ...within.flatMap(({ path, owner }): Holder[] => {
        const rest = restFrom(path, root)
        return [
          { path: posix.join(path, '.zfs/snapshot'), owner, rest, kind: 'zfs' },
          ...holders.map((name) => ({ path: posix.join(path, name), owner, rest, kind: 'folder' as const })),
        ]
      }),
      ...beside.flatMap(({ path, owner }) =>
        holders.map((name): Holder => {
          const rest = restFrom(within.at(-1)?.path ?? root, root)
          return { path: posix.join(path, name), owner, rest, kind: 'beside' }
        }),
      ),
      ...within.slice(0, 1).map(({ path, owner }): Holder => ({ path, owner, rest: '', kind: 'root' })),
      ...rsnapshotRoots.map((path): Holder => ({ path, owner: 0, rest: '', kind: 'rsnapshot' })),
    ].map(async (holder) => {
      const [content] = await looks.namesIn([holder.path])
      return content != null && isBelieved(content, holder)
        ? snapshotsIn(looks, holder, content, { root, subvolume })
        : []
    }),
  )
  return found.flat()
}

/** A folder that any account of the machine could have put there tells nothing, nor does a symlink. */
const isBelieved = ({ real, uid }: FolderNames, { path, owner }: Holder): boolean =>
  real === path && [0, process.geteuid?.(), owner].includes(uid)

async function snapshotsIn(
  looks: Looks,
  { kind, rest }: Holder,
  { real: folder, names }: FolderNames,
  { root, subvolume }: { root: string; subvolume: string },
): Promise<Snapshot[]> {
  const told: Snapshot[] = []
  const add = (name: string, at: number, source: SnapshotSource) =>
    void told.push({ name, at, source, folder, inside: `/${name}${rest}` })
  const untold: string[] = []
  if (kind === 'zfs' || kind === 'folder' || kind === 'root')
    for (const name of names) {
      const known = knownName(name)
      if (known === undefined) untold.push(name)
      else if (kind !== 'root' || known.source === 'samba') add(name, known.at, known.source)
    }
  if (kind === 'zfs') {
    const times = await timesIn(looks, folder, untold)
    for (const [name, time] of times) add(name, Math.max(time.modified, time.changed), 'zfs')
  }
  if (kind === 'folder' || kind === 'beside') {
    for (const { name, at } of btrbkNamesOf(names, subvolume, kind)) add(name, at, 'btrbk')
    if (kind === 'folder') told.push(...(await snapperIn(looks, folder, names, rest)))
  }
  if (kind === 'folder' || kind === 'rsnapshot') told.push(...(await rsnapshotIn(looks, folder, names, { root, rest })))
  return told
}

/** In a folder of the subvolume itself all may be of one name, which need not be that of its folder: it may be mounted. */
function btrbkNamesOf(names: readonly string[], subvolume: string, kind: 'folder' | 'beside') {
  const found = names.flatMap((name) => {
    const known = btrbkName(name)
    return known === undefined ? [] : [{ name, ...known }]
  })
  const isOne = new Set(found.map((each) => each.subvolume)).size === 1
  return kind === 'folder' && isOne ? found : found.filter((each) => each.subvolume === subvolume)
}

async function snapperIn(looks: Looks, folder: string, names: readonly string[], rest: string): Promise<Snapshot[]> {
  const numbers = names.filter((name) => /^[1-9]\d*$/.test(name))
  if (numbers.length === 0) return []
  const [infos, times] = await Promise.all([
    looks.textsOf(numbers.map((number) => `${folder}/${number}/info.xml`)),
    timesIn(looks, folder, numbers),
  ])
  return numbers.flatMap((name, index) => {
    const at = snapperTime(infos[index] ?? '') ?? times.get(name)?.modified
    return at === undefined
      ? []
      : [{ name, at, source: 'snapper' as const, folder, inside: `/${name}/snapshot${rest}` }]
  })
}

async function rsnapshotIn(
  looks: Looks,
  folder: string,
  names: readonly string[],
  { root, rest }: { root: string; rest: string },
): Promise<Snapshot[]> {
  const times = await timesIn(looks, folder, names.filter(isRsnapshotName))
  const [newest] = [...times].sort(([, one], [, two]) => two.modified - one.modified)
  if (newest === undefined) return []
  // Each holds a folder for every machine, and in that the full paths. One that is not understood holds anything.
  const [content] = await looks.namesIn([`${folder}/${newest[0]}`])
  const ways = [...(content?.names ?? []).map((machine) => `/${machine}${root}`), root, ...(rest === '' ? [] : [rest])]
  const there = await looks.timesOf(ways.map((way) => `${folder}/${newest[0]}${way}`))
  const way = ways.find((_, index) => there[index]?.isFolder)
  if (way === undefined) return []
  return [...times].map(([name, { modified }]) => ({
    ...{ name, at: modified, source: 'rsnapshot' as const, folder },
    inside: `/${name}${way}`,
  }))
}

async function findOwn(looks: Looks, root: string, { history, mountable }: FindOptions): Promise<Finding> {
  const { snapshotFolder, snapshotPattern, snapshotInside, snapshotIsLocal: isLocal } = history
  const none = (problem: string): Finding => ({ snapshots: [], problem })
  const format = nameFormat(snapshotPattern || '*', { isLocal })
  if (format === undefined) return none(`The pattern ${JSON.stringify(snapshotPattern)} has an unknown field`)
  const path = isAbsolute(snapshotFolder) ? posix.normalize(snapshotFolder) : posix.join(root, snapshotFolder)
  const [content] = await looks.namesIn([path])
  if (content == null) return none(`The folder ${path} is not there, or cannot be read`)
  const tops = (await Promise.all(mountable.map((top) => looks.inspectPlaces([top])))).flat()
  const bounds = [root, ...tops.flatMap((top) => top?.real ?? [])]
  if (!bounds.some((bound) => isInside(content.real, bound)))
    return none(`The folder ${path} lies neither in the root folder nor in a folder of --mountable`)
  const inside = posix.join('/', snapshotInside)
  const matches = content.names.flatMap((name) => {
    const match = format(name)
    return match === undefined ? [] : [{ name, at: match.at ?? knownName(name)?.at }]
  })
  const untold = matches.filter(({ at }) => at === undefined).map(({ name }) => name)
  const times = await timesIn(looks, content.real, untold)
  const snapshots = matches.flatMap(({ name, at = times.get(name)?.modified }) =>
    at === undefined
      ? []
      : [{ name, at, source: 'own' as const, folder: content.real, inside: `/${name}${inside === '/' ? '' : inside}` }],
  )
  return { snapshots }
}

async function timesIn(looks: Looks, folder: string, names: readonly string[]): Promise<Map<string, PlaceTimes>> {
  if (names.length === 0) return new Map()
  const times = await looks.timesOf(names.map((name) => `${folder}/${name}`))
  return new Map(names.flatMap((name, index) => (times[index]?.isFolder ? [[name, times[index]]] : [])))
}

/** The folder itself, and all above it. */
function foldersUpFrom(root: string): string[] {
  const folders = [root]
  for (let folder = root; folder !== '/'; ) {
    folder = posix.dirname(folder)
    folders.push(folder)
  }
  return folders
}

/** From one of these on, those that are on the same device. */
function sameDevice(
  paths: readonly string[],
  facts: readonly (PlaceTimes | undefined)[],
  start: number,
): { path: string; owner: number }[] {
  const device = facts[start]?.device
  const same: { path: string; owner: number }[] = []
  for (let at = start; device !== undefined && facts[at]?.device === device; at += 1)
    same.push({ path: paths[at] ?? '/', owner: facts[at]?.uid ?? 0 })
  return same
}

/** '/files' from '/tank/data' to '/tank/data/files'; empty for the folder itself. */
const restFrom = (folder: string, root: string): string =>
  folder === '/' ? (root === '/' ? '' : root) : root.slice(folder.length)
