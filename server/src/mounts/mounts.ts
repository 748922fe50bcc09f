import { join } from 'node:path'
import { isInside, nameOf } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { deadline } from '../concurrency/deadline.ts'
import { accessVersion } from '../database/counters.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { diskAway } from '../storage/disk/base.ts'
import type { DiskScopes, OpenFolder } from '../storage/disk/scopes.ts'
import type { PlaceFacts } from '../storage/disk/server-folders.ts'
import type { KeepStores, TellEffects } from '../storage/keeping.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type { StageOptions, Storage, TransferKind, TransferOptions } from '../storage/port.ts'
import type { ThreadedDisk, ThreadedScopes } from '../storage/threads/scopes.ts'
import { type FolderChecks, folderChecks, type KnownMount } from './checks.ts'
import { type FurtherMount, furtherMount } from './further-mount.ts'
import { storesOf } from './history.ts'
import { firstMount, type Location, mountOf, pathIn } from './location.ts'
import { allMounts, type MountFacts } from './store.ts'

/** The roots with their names, and the storage behind each. */
export interface Mounts {
  /** The first one first, with its folder and link policy from the command line. Read again when something has changed. */
  all(): Promise<readonly MountFacts[]>
  /** The files below a folder, which is a location: '/users/bob' in the first mount, '2:/' for all of the second. */
  storageAt(base: string): Storage
  /** Last known; never waits. */
  isAway(id: number): boolean
  /** Why it is away, for administrators. */
  problemOf(id: number): string | undefined
  /** On the server, for hooks and administrators. */
  folderOf(id: number): string | undefined
  /** Where a location lies on this machine. The name itself may be a symlink: only those in its parent are followed. */
  realPath(location: Location): Promise<string>
  openFolder(base: string, folder: VirtualPath): Promise<OpenFolder>
  watchFolder(folder: Location, inotify: number): ReturnType<ThreadedScopes['watchFolder']>
  /** For looks around the folder of a mount, by the threads of its disk: the full name of its root, without symlinks. */
  serverOf(id: number): Pick<ThreadedScopes, 'root' | 'server'>
  /** For folders that shall be mounts, and for choosing one. */
  readonly checks: FolderChecks
  /** Between two mounts, or within one. */
  transfer(kind: TransferKind, from: Location, to: Location, options: TransferOptions): Promise<void>
  /** The long part of it, as in the storage. It is dropped in the storage of the target. */
  stage(kind: TransferKind, from: Location, to: Location, options: StageOptions): Promise<void>
}

/** The registry of a server, with what its cleanup does in all of them. */
export interface ServedMounts extends Mounts {
  guardHalfWritten(): Promise<void>
  repairHalfWritten(): Promise<void>
  restoreSources(): Promise<void>
  clearDrafts(): Promise<void>
  clearOrphans(): Promise<void>
  /** Has the volume of the first one been seen, and is gone? */
  isFirstGone(): Promise<boolean>
  close(): void
}

export interface MountDeps {
  db: Kysely<Database>
  log: Pick<Log, 'info' | 'warn'>
  /** What the command line says of the first mount. */
  firstFacts: Pick<MountFacts, 'folder' | 'links'>
  /** Where drafts are whose folder cannot be written. */
  spool: string
  /** The rows of all mounts. */
  ledgers: Ledgers
  /** Full names of what the server keeps for itself. */
  own: readonly string[]
  /** The folders that may be chosen on the page. */
  mountable: readonly string[]
  /** Are there grants in the first mount? */
  hasGrants(): Promise<boolean>
  /** Makes the threads of a mount, which see the rows of that one alone. */
  open(facts: MountFacts, parts: Ledgers & Pick<ThreadedDisk, 'stores' | 'tell'>): ThreadedScopes
  /** Hears what is done in a mount under the id of an operation. */
  tell?: ((mount: number, ...told: Parameters<TellEffects>) => void) | undefined
}

type Ledgers = Pick<ThreadedDisk, 'drafts' | 'moves'>

/** In milliseconds: so often all mounts are looked at, where there are several. */
const lookEvery = 5000
/** In milliseconds: so long the first look at a new mount is waited for, whose threads have to start. */
const firstLook = 2000

export async function mountsIn(deps: MountDeps): Promise<ServedMounts> {
  const { db, log, firstFacts, spool, ledgers, own } = deps
  const versionNow = accessVersion(db)
  const further = new Map<number, FurtherMount>()
  const retired = new Set<FurtherMount>()
  const swept = new Set<string>()
  let known: readonly MountFacts[] = []
  let knownVersion = -1
  let reading: Promise<void> | undefined
  let looking: NodeJS.Timeout | undefined
  let isFirstAway = false
  let firstPlace: PlaceFacts | undefined
  /** Do rights differ from place to place, so that symlinks have to be asked about? */
  let isAsked = false
  let isClosed = false

  const ledgersOf = (id: number): Ledgers => {
    const isOwn = (place: string) => holderOf(place, known.map(rooted), spool) === id
    const { drafts, moves } = ledgers
    return {
      drafts: {
        ...drafts,
        leftBehind: async () =>
          (await drafts.leftBehind()).filter(({ draft, target }) => isOwn(target?.place ?? draft)),
      },
      moves: { ...moves, leftBehind: async () => (await moves.leftBehind()).filter(({ place }) => isOwn(place)) },
    }
  }
  /** Rows have names without symlinks. */
  const rooted = (facts: MountFacts): MountFacts => ({
    ...facts,
    folder: (facts.id === firstMount ? first : further.get(facts.id)?.scopes)?.root ?? facts.folder,
  })
  /** As the administrator has chosen; before the mounts have been read nothing is kept. */
  const storesIn = (mount: number): KeepStores => {
    const history = known.find(({ id }) => id === mount)?.history
    return history === undefined ? { trash: false, versions: false } : storesOf(history)
  }
  const open = (facts: MountFacts) =>
    deps.open(facts, {
      ...ledgersOf(facts.id),
      stores: () => storesIn(facts.id),
      tell: (...told) => deps.tell?.(facts.id, ...told),
    })

  const first = open({ id: firstMount, name: '', ...firstFacts, readOnly: false, source: 'root' })

  const mountsKnown = (): KnownMount[] => [
    { id: firstMount, name: nameOfFirst(), folder: first.root, place: firstPlace },
    ...[...further.values()].map((mount) => mount.known()),
  ]
  const nameOfFirst = () => known.find(({ id }) => id === firstMount)?.name ?? ''
  async function learnFirstPlace(): Promise<void> {
    firstPlace = await first.server.inspectFolder(first.root).catch(() => firstPlace)
  }
  const checks = folderChecks({
    server: first.server,
    own,
    mountable: deps.mountable,
    mounts: async () => {
      await Promise.all([all(), learnFirstPlace()])
      return mountsKnown()
    },
  })

  async function read(): Promise<void> {
    const version = await versionNow()
    const rows = await allMounts(db)
    if (isClosed) return
    known = rows.map((facts) => (facts.id === firstMount ? { ...facts, ...firstFacts } : facts))
    const added = known.filter((facts) => facts.id !== firstMount && !isSameRoot(further.get(facts.id)?.facts, facts))
    for (const [id, mount] of further) {
      const facts = known.find((other) => other.id === id)
      if (facts !== undefined && isSameRoot(mount.facts, facts)) mount.update(facts)
      else {
        further.delete(id)
        retired.add(mount)
        mount.retire()
      }
    }
    for (const facts of added)
      further.set(
        facts.id,
        furtherMount(facts, {
          open,
          log,
          own,
          older: () => mountsKnown().filter(({ id }) => id < facts.id),
          moved: tellServedFolders,
        }),
      )
    isAsked = further.size > 0 || (await deps.hasGrants())
    tellServedFolders()
    knownVersion = version
    watch()
    // One whose disk does not answer is away until it does.
    if (added.length === 0) return
    await deadline(firstPlace === undefined ? learnFirstPlace() : Promise.resolve(), firstLook, undefined)
    await deadline(Promise.all(added.map(({ id }) => further.get(id)?.look())), firstLook, undefined)
  }

  /** Symlinks may lead to what is in the same mount, or anywhere. */
  function tellServedFolders(): void {
    const served = known
      .map(rooted)
      .map(({ id, folder }) => ({ id, folder, prefix: id === firstMount ? '' : `${id}:` }))
    for (const { id, links } of known) {
      const scopes = id === firstMount ? first : further.get(id)?.scopes
      const reached = links === 'outside' ? served : served.filter((mount) => mount.id === id)
      scopes?.tellServedFolders(isAsked ? reached : undefined)
    }
  }

  /** An installation with one mount has nothing to watch: its requests and /health tell. */
  function watch(): void {
    if (further.size === 0) {
      clearInterval(looking)
      looking = undefined
    } else looking ??= setInterval(lookAtAll, lookEvery).unref()
  }

  function lookAtAll(): void {
    for (const mount of further.values()) void mount.look()
    void learnFirstPlace()
    void deadline(first.isVolumeGone(), lookEvery, true).then(
      (isGone) => {
        isFirstAway = isGone
      },
      () => {
        isFirstAway = true
      },
    )
  }

  async function all(): Promise<readonly MountFacts[]> {
    // A reading that began before the last change does not tell it.
    for (let version = await versionNow(); version !== knownVersion && !isClosed; version = await versionNow()) {
      reading ??= read().finally(() => {
        reading = undefined
      })
      await reading
    }
    await reading
    return known
  }

  const scopesOf = (id: number): ThreadedScopes => {
    if (id === firstMount) return first
    const mount = further.get(id)
    if (mount === undefined) throw new Failure('unavailable', diskAway)
    return mount.served()
  }
  const storageAt = (base: string): Storage => {
    const { id, folder } = baseOf(base)
    return scopesOf(id).storageAt(folder)
  }
  const folderOf = (id: number) => known.find((facts) => facts.id === id)?.folder
  const problemOf = (id: number): string | undefined => {
    if (id === firstMount) return isFirstAway ? diskAway : undefined
    const mount = further.get(id)
    return mount === undefined ? diskAway : mount.problem()
  }

  /** In all that are there, side by side; the first failure is told when all are done. */
  async function inEach(work: (scopes: ThreadedScopes, id: number) => Promise<void>): Promise<void> {
    const there = [...further].filter(([, mount]) => mount.problem() === undefined)
    const works = [
      work(first, firstMount),
      ...there.map(([id, { scopes }]) => deadline(work(scopes, id), longestCleanup, undefined)),
    ]
    const failed = (await Promise.allSettled(works)).find((done) => done.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  await Promise.all([first.ready(), all()])
  return {
    all,
    checks,
    storageAt,
    isAway: (id) => problemOf(id) !== undefined,
    problemOf,
    folderOf,
    serverOf: scopesOf,
    async realPath(location) {
      const [id, path] = [mountOf(location), pathIn(location)]
      const storage = scopesOf(id).storageAt('/')
      const inside = path === '/' ? path : inFolder(await storage.resolve(parentOf(path)), nameOf(path))
      return join(folderOf(id) ?? '', inside)
    },
    openFolder(base, folder) {
      const { id, folder: scope } = baseOf(base)
      return scopesOf(id).openFolder(scope, folder)
    },
    watchFolder: async (folder, inotify) => scopesOf(mountOf(folder)).watchFolder(pathIn(folder), inotify),
    async transfer(kind, from, to, options) {
      const [left, arrived] = [scopesOf(mountOf(from)), scopesOf(mountOf(to))]
      if (left !== arrived) return left.transferTo(kind, pathIn(from), arrived, pathIn(to), options)
      await left.storageAt('/')[kind === 'move' ? 'rename' : 'copy'](pathIn(from), pathIn(to), options)
    },
    async stage(kind, from, to, options) {
      const [left, arrived] = [scopesOf(mountOf(from)), scopesOf(mountOf(to))]
      if (left !== arrived) return left.stageTo(kind, pathIn(from), arrived, pathIn(to), options)
      await left.storageAt('/').stage(kind, pathIn(from), pathIn(to), options)
    },
    guardHalfWritten: () => inEach((scopes) => scopes.guardHalfWritten()),
    repairHalfWritten: () =>
      inEach(async (scopes) => {
        await scopes.guardHalfWritten()
        await scopes.repairHalfWritten()
      }),
    restoreSources: () => inEach((scopes) => scopes.restoreSources()),
    clearDrafts: () => inEach((scopes) => scopes.clearDrafts()),
    // All other folders are swept when they are listed.
    clearOrphans: () =>
      inEach(async (scopes, id) => {
        const folders = [...(id === firstMount ? [spool] : []), scopes.root].filter((folder) => !swept.has(folder))
        for (const folder of folders) swept.add(folder)
        await scopes.clearOrphansIn(folders)
      }),
    isFirstGone: first.isVolumeGone,
    close() {
      isClosed = true
      clearInterval(looking)
      first.close()
      for (const mount of [...further.values(), ...retired]) mount.close()
    },
  }
}

/** The storage of every folder in all mounts without threads, each opened when it is first asked for. */
export function storageOfCommands(
  mounts: readonly MountFacts[],
  firstFacts: Pick<MountFacts, 'folder' | 'links'>,
  open: (root: { folder: string; follows: boolean; isFurtherMount: boolean }) => Pick<DiskScopes, 'storageAt'>,
): Mounts['storageAt'] {
  const opened = new Map<number, Pick<DiskScopes, 'storageAt'>>()
  return (base) => {
    const { id, folder } = baseOf(base)
    const facts = id === firstMount ? firstFacts : mounts.find((mount) => mount.id === id)
    if (facts === undefined) throw new Failure('unavailable', diskAway)
    const root = { folder: facts.folder, follows: facts.links === 'outside', isFurtherMount: id !== firstMount }
    const scopes = opened.get(id) ?? open(root)
    opened.set(id, scopes)
    return scopes.storageAt(folder)
  }
}

/** In milliseconds: a disk that went away meanwhile keeps the cleanup of others no longer. */
const longestCleanup = 20_000

/** Names and rights may change while its threads work on. */
const isSameRoot = (one: MountFacts | undefined, two: MountFacts): boolean =>
  one !== undefined && one.folder === two.folder && one.links === two.links

/** The first mount takes a folder as it is written in the row of an account, which may be a path of any form. */
function baseOf(base: string): { id: number; folder: string } {
  const [, mount, folder = rootPath] = /^([1-9]\d*):(\/.*)$/s.exec(base) ?? []
  return mount === undefined ? { id: firstMount, folder: base } : { id: Number(mount), folder }
}

/**
 * The mount that cleans up after a row which names something by its full name: the one whose folder holds it. What lies in
 * none is left, unless there has been one alone, or symlinks lead anywhere.
 */
export function holderOf(
  place: string,
  mounts: readonly Pick<MountFacts, 'id' | 'folder' | 'links'>[],
  spool: string,
): number | undefined {
  if (mounts.length === 1 || isInside(place, spool)) return firstMount
  const holder = mounts.find(({ folder }) => isInside(place, folder))
  return holder?.id ?? (mounts.some(({ links }) => links === 'outside') ? firstMount : undefined)
}
