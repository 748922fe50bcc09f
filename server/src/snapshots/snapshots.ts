import { basename, dirname, join } from 'node:path'
import type { MountHistory } from '@filestead/contract'
import { deadline } from '../concurrency/deadline.ts'
import { Failure } from '../failure.ts'
import { usualHistory } from '../mounts/history.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { OwnPaths } from '../storage/disk/own-files.ts'
import { listedIn, listOf } from '../storage/disk/private-files.ts'
import type { ServerFolders } from '../storage/disk/server-folders.ts'
import type { Storage } from '../storage/port.ts'
import type { ThreadedScopes } from '../storage/threads/scopes.ts'
import { type Finding, findSnapshots, type Snapshot } from './find.ts'
import { openFolders } from './open-folders.ts'
import { type OwnNames, ownNamesIn, snapshotStorage } from './storage.ts'

/** Older states of mounts, which file systems and other programs keep. */
export interface Snapshots {
  /** The newest first. Never fails, and waits for no disk that hangs: then there are those that were known, or none. */
  of(mount: number): Promise<readonly Snapshot[]>
  /** The same for administrators, looked for now, with a reason why there are none. */
  lookNow(mount: number): Promise<Finding>
  /** The files of one, from the root of its mount on. */
  storageOf(mount: number, name: string): Promise<Storage>
  close(): void
}

export interface SnapshotDeps {
  readonly mounts: Pick<Mounts, 'all' | 'serverOf' | 'isAway' | 'kindOf'>
  /** What belongs to the product is not shown in snapshots either. */
  readonly own: OwnPaths
  readonly mountable: readonly string[]
  /** Makes the threads that read below a folder. */
  open(folder: string): ThreadedScopes
  /** In milliseconds; for tests. */
  readonly times?: { readonly freshFor?: number; readonly longestLook?: number; readonly idleFor?: number }
}

/** In milliseconds: so long what was found counts. */
const usuallyFresh = 60_000
/** In milliseconds: a page waits no longer. */
const usuallyLongest = 3000

interface Found extends Finding {
  readonly own: OwnNames
  /** What it was found by. */
  readonly settings: string
  readonly until: number
}

export function snapshotsIn({ mounts, own, mountable, open, times = {} }: SnapshotDeps): Snapshots {
  const { freshFor = usuallyFresh, longestLook = usuallyLongest } = times
  const found = new Map<number, Found>()
  const looking = new Map<number, Promise<Found>>()
  const folders = openFolders(open, times.idleFor)

  async function look(id: number, history: MountHistory, settings: string): Promise<Found> {
    const { root, server } = mounts.serverOf(id)
    const [finding, names] = await Promise.all([
      findSnapshots(server, root, { history, mountable }),
      ownNames(server, root),
    ])
    const now = { ...finding, settings, own: names, until: performance.now() + freshFor }
    found.set(id, now)
    return now
  }

  /** By the names in the configuration, and by those without symlinks. */
  async function ownNames(server: ServerFolders, root: string): Promise<OwnNames> {
    const lists = await Promise.all(own.listedBeside.map((database) => server.textsOf([listOf(database)])))
    const listed = lists.flat().flatMap((text) => listedIn(text ?? undefined))
    const real = async (paths: readonly string[]) => {
      const folders = [...new Set(paths.map((path) => dirname(path)))]
      const places = await Promise.all(folders.map(async (folder) => (await server.inspectPlaces([folder]))[0]))
      const realOf = new Map(folders.map((folder, index) => [folder, places[index]?.real ?? folder]))
      return [...new Set([...paths, ...paths.map((path) => join(realOf.get(dirname(path)) ?? '', basename(path)))])]
    }
    const [paths, families] = await Promise.all([real(own.paths), real([...own.families, ...listed])])
    return ownNamesIn(root, { paths, families })
  }

  /** One look that hangs is not begun a second time; it may still come back. */
  function lookOnce(id: number, history: MountHistory, settings: string): Promise<Found> {
    const under = looking.get(id)
    if (under !== undefined) return under
    const begun = look(id, history, settings).finally(() => looking.delete(id))
    looking.set(id, begun)
    return begun
  }

  const factsOf = async (id: number) => {
    const facts = (await mounts.all()).find((mount) => mount.id === id)
    if (facts === undefined || mounts.isAway(id)) return undefined
    const { history = usualHistory } = facts
    return { history, settings: JSON.stringify([facts.folder, history]) }
  }

  /** What was found by the present settings, however long ago. */
  async function knownOf(id: number): Promise<Found | undefined> {
    const [facts, known] = [await factsOf(id), found.get(id)]
    return facts !== undefined && facts.history.snapshots !== 'off' && known?.settings === facts.settings
      ? known
      : undefined
  }

  async function find(id: number, isNow: boolean): Promise<Finding & { own?: OwnNames }> {
    const facts = await factsOf(id)
    if (facts === undefined) return { snapshots: [], problem: 'The root folder is not there' }
    const { history, settings } = facts
    if (history.snapshots === 'off' || mounts.kindOf(id) !== 'disk') return { snapshots: [] }
    const known = found.get(id)
    const usable = known?.settings === settings ? known : undefined
    if (!isNow && usable !== undefined && performance.now() < usable.until) return usable
    const late = { own: usable?.own, snapshots: usable?.snapshots ?? [], problem: 'The disk does not answer' }
    try {
      return await deadline(lookOnce(id, history, settings), longestLook, late)
    } catch (error) {
      return { ...late, problem: error instanceof Failure ? error.message : String(error) }
    }
  }

  return {
    of: async (mount) => (await find(mount, false)).snapshots,
    lookNow: (mount) => find(mount, true),
    async storageOf(mount, name) {
      const named = ({ snapshots }: Finding) => snapshots.find((each) => each.name === name)
      // One that is known is read without a look for others, which may hang; whether it is still there is told by reading.
      const known = await knownOf(mount)
      const finding = known !== undefined && named(known) !== undefined ? known : await find(mount, false)
      const [snapshot, names] = [named(finding), finding.own]
      if (snapshot === undefined || names === undefined)
        throw new Failure('not-found', 'There is no such snapshot any more')
      return snapshotStorage(() => folders.at(snapshot.folder).storageAt(snapshot.inside), names)
    },
    close: folders.close,
  }
}
