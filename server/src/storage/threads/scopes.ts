import { resolve } from 'node:path'
import { nameOf } from '@filestead/contract/paths'
import type { DraftLedger } from '../disk/drafts.ts'
import type { LeftSource, MoveLedger } from '../disk/moving-sources.ts'
import type { OpenFolder } from '../disk/scopes.ts'
import type { ServerFolders } from '../disk/server-folders.ts'
import type { WatchedPart } from '../disk/watched-folder.ts'
import type { KeepStores, TellEffects } from '../keeping.ts'
import { closeBeside } from '../linux/file-calls.ts'
import { mountTable } from '../linux/mounts.ts'
import { realNameOf } from '../linux/real-name.ts'
import type { MountedStorage } from '../mounted.ts'
import { isHiddenSource, type VirtualPath } from '../path.ts'
import type { Storage } from '../port.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import type { Base, Modes, OtherRoot, Task, ThreadSettings, VerbCalls, VerbName } from './messages.ts'
import { sentEntries } from './numbered-entries.ts'
import { orphanQueue } from './orphan-queue.ts'
import { type PoolOptions, poolOf } from './pool.ts'
import { type FolderInQueue, quietFolders } from './quiet-folders.ts'
import { recentFolders } from './recent-folders.ts'
import { isSmallFolder, sharedLooks } from './shared-looks.ts'
import { fillings, type ThreadedParts, threadedStorage } from './storage.ts'
import { sentStage, sentTransfer, watched } from './transfers.ts'
import { unchangedNames } from './unchanged-names.ts'

export interface ThreadedDisk {
  settings: Omit<ThreadSettings, 'volumes' | 'thread' | 'halfWrittenCount' | 'halfWrittenHere' | 'current' | 'contents'>
  drafts: DraftLedger
  moves: MoveLedger
  modes(): Modes
  /** Which stores take something in; asked for each task. None, where it is not given. */
  stores?: () => KeepStores
  /** Hears what calls with `keep` do, before they answer. */
  tell?: TellEffects
  /** Unix seconds. */
  now(): number
  /** Does unfinished work exist that the draft at this place is part of? */
  isKnownDraft(place: string): Promise<boolean>
  /** What a dead process was moving to another disk, and is found hidden at this place. */
  sourceFound(place: string): Promise<LeftSource | undefined>
  /** Hears of a draft that was kept under a visible name, because its file was not there any more. */
  recovered(file: string): void
  /** For tests, and for roots of which there may be many. */
  pool?: Partial<PoolOptions>
  /** In milliseconds, since any moment; for tests. */
  clock?: () => number
}

/** The folders of users below one root, on disks that threads wait for. */
export interface ThreadedScopes extends MountedStorage {
  readonly kind: 'disk'
  /** The full name of the root, without symlinks. */
  readonly root: string
  /** Moves or copies to a path in another root. */
  transferTo(
    kind: TransferKind,
    from: VirtualPath,
    other: Pick<ThreadedScopes, 'root' | 'asOther' | 'tell'>,
    to: VirtualPath,
    options: TransferOptions,
  ): Promise<void>
  /** What is staged there is dropped by the storage of the other root. */
  stageTo(
    kind: TransferKind,
    from: VirtualPath,
    other: Pick<ThreadedScopes, 'root' | 'asOther'>,
    to: VirtualPath,
    options: StageOptions,
  ): Promise<void>
  /** What the threads of another root must know to put something into this one. */
  asOther(): Omit<OtherRoot, 'path'>
  /** Hears what threads of another root do in this one. */
  readonly tell: TellEffects
  openFolder(scope: string, folder: VirtualPath): Promise<OpenFolder>
  watchFolder(folder: VirtualPath, inotify: number): Promise<FolderInQueue>
  /** Looks at folders of the server by their full names, in whichever file system they lie. */
  readonly server: ServerFolders
  /** Has the volume of the root been seen, and is gone? */
  isVolumeGone(): Promise<boolean>
  /** Before the first answer: what a crash left half written is not read before it is mended. Waits for no disk that is away. */
  guardHalfWritten(): Promise<void>
  /** What dead nodes left: half-written files, files on their way to another disk, drafts of no known work. */
  repairHalfWritten(): Promise<void>
  restoreSources(): Promise<void>
  clearOrphansIn(folders: readonly string[]): Promise<void>
  /** Waits until threads are there and know what kind of disk the root is on, but not for a disk that is away. */
  ready(): Promise<void>
  /** The folders of mounts that symlinks may lead to, for tasks from now on; undefined where rights are the same everywhere. */
  tellServedFolders(folders: ThreadSettings['servedFolders']): void
}

const notWatched: FolderInQueue = { device: -1, id: '', hasOwn: false, hasShared: false, isRemote: true }
const whole: Base = { scope: '/', below: [] }
/** In milliseconds. */
const foldsCaseFor = 60_000
const longestReady = 2000

export function threadedScopes(disk: ThreadedDisk): ThreadedScopes {
  const { settings, drafts, moves } = disk
  const root = resolve(settings.root)
  const mounts = disk.pool?.mounts ?? mountTable()
  // Which file system a name lies on is found by the name alone, and drafts are noted by their real names.
  // That of a further mount is a real name, and is not looked at here: its disk may hang while the server runs.
  const realRoot = settings.isFurtherMount ? root : realNameOf(root, mounts.isRemote)
  const running = fillings()
  /** Of roots that something was moved or copied to. */
  const others = new Map<string, TellEffects>()
  const sent = sentEntries()
  let guarding = 0
  const threads = poolOf({
    settings: { ...settings, root },
    mounts,
    modes: disk.modes,
    stores: () => disk.stores?.() ?? { trash: false, versions: false },
    effects: (at, operation, effects) => (at === root ? disk.tell : others.get(at))?.(operation, effects),
    now: disk.now,
    orphans: (places) => orphans.add(places),
    ended: sent.forget,
    answers: {
      'drafts.begin': drafts.begin,
      'drafts.overwriting': drafts.overwriting,
      'drafts.end': drafts.end,
      'moves.begin': moves.begin,
      'moves.arrived': moves.arrived,
      'moves.end': moves.end,
      fill: running.run,
      secure: running.run,
      recovered: disk.recovered,
      copyRange: (name: string, ...range: Parameters<VerbCalls['copyRange']>) => help(name, 'copyRange', ...range),
      syncFileSystem: (name: string, fd: number) => help(name, 'syncFileSystem', fd),
    },
    ...disk.pool,
  })
  // Until all half-written files are known, files are opened by the threads that learn of them first.
  const pool = { ...threads, knowsHalfWritten: () => guarding > 0 || threads.knowsHalfWritten() }
  const orphans = orphanQueue(async (place) => {
    if (!isHiddenSource(nameOf(place))) {
      if (!(await disk.isKnownDraft(place))) await change(place, 'discardOrphan', place, age())
      return
    }
    const found = await disk.sourceFound(place)
    if (found !== undefined) await change(place, 'restoreSources', [found])
  })
  const age = () => settings.orphanAge ?? Number.POSITIVE_INFINITY
  // While it is unknown, a rule that denies holds for every spelling, so that a disk that answers late opens nothing.
  let folding = { isFolding: true, until: 0 }
  const quiet = quietFolders({
    // Of what is kept by others nothing is remembered, and they may not answer: they are not even asked.
    watchFolder: async (folder, inotify, part) =>
      pool.isRemote(inRoot(realRoot, folder)) ? notWatched : watchFolder(folder, inotify, part),
  })
  const parts: ThreadedParts = {
    pool,
    fillings: running,
    root: realRoot === '/' ? '' : realRoot,
    sent,
    folders: sharedLooks(isSmallFolder),
    heads: sharedLooks(),
    // A symlink that is followed by the kernel changes untold.
    ...(!settings.follows && {
      recent: recentFolders(quiet, disk.clock),
      unchanged: unchangedNames(quiet, disk.clock),
    }),
    foldsCase,
  }
  const storages = new Map<string, Storage>()

  const task = <V extends VerbName>(verb: V, ...args: Parameters<VerbCalls[V]>): Task<V> => ({
    verb,
    base: whole,
    args,
  })
  const look = <V extends VerbName>(name: string, verb: V, ...args: Parameters<VerbCalls[V]>) =>
    pool.readers.run(name, task(verb, ...args))
  const ask = <V extends VerbName>(verb: V, ...args: Parameters<VerbCalls[V]>) => look(realRoot, verb, ...args)
  const change = <V extends VerbName>(name: string, verb: V, ...args: Parameters<VerbCalls[V]>) =>
    pool.changerFor(name).run(name, task(verb, ...args))
  const help = <V extends VerbName>(name: string, verb: V, ...args: Parameters<VerbCalls[V]>) =>
    pool.helperFor(name).run(name, task(verb, ...args))

  async function learnFolding(): Promise<void> {
    folding.until = performance.now() + foldsCaseFor
    folding = { ...folding, isFolding: await ask('foldsCase') }
  }

  function foldsCase(): boolean {
    if (performance.now() >= folding.until) void learnFolding().catch(() => {})
    return folding.isFolding
  }

  /**
   * Any disk may stop answering, and changes within the source must not wait for it. The thread of the source knows more:
   * which of its files are half written, and which folders others are about to write to. So it makes what changes the
   * source, where no disk is of the kind that often hangs: that is a short step.
   */
  function betweenRoots(source: string, target: string, changesSource: boolean) {
    const mayHang = !changesSource || [source, target].some((name) => pool.isRemote(name))
    const isApart = mayHang && !pool.knowsHalfWritten()
    return isApart ? pool.transfererFor(source, target) : pool.changerFor(source)
  }

  /** Rows of one file system go to its thread, so that one that is away keeps no other waiting. */
  async function onEach<T>(
    rows: readonly T[],
    nameOf: (row: T) => string,
    work: (name: string, rows: T[]) => Promise<void>,
  ) {
    const lanes = Map.groupBy(rows, (row) => pool.changerFor(nameOf(row)))
    await Promise.all([...lanes.values()].map((some) => work(nameOf(some[0] as T), some)))
  }

  async function watchFolder(folder: VirtualPath, inotify: number, part: WatchedPart = 'news'): Promise<FolderInQueue> {
    const name = inRoot(realRoot, folder)
    const watched = await look(name, 'watchFolder', folder, inotify, part)
    return { ...watched, isRemote: pool.isRemote(name, watched.device) }
  }

  return {
    kind: 'disk',
    root: realRoot,
    storageAt(scope) {
      let storage = storages.get(scope)
      if (storage === undefined) {
        storage = threadedStorage(parts, { scope, below: [] })
        if (storages.size >= mostStorages) storages.clear()
        storages.set(scope, storage)
      }
      return storage
    },
    transferTo(kind, from, other, to, options) {
      const [source, target] = [inRoot(realRoot, from), inRoot(other.root, to)]
      const end = other.asOther()
      others.set(end.root, other.tell)
      const sent = task('transferTo', kind, from, { ...end, path: to }, sentTransfer(options))
      return betweenRoots(source, target, kind === 'move').run(source, sent, watched(options))
    },
    stageTo(kind, from, other, to, options) {
      const [source, target] = [inRoot(realRoot, from), inRoot(other.root, to)]
      const sent = task('stageTo', kind, from, { ...other.asOther(), path: to }, sentStage(options))
      return betweenRoots(source, target, false).run(source, sent, watched(options))
    },
    asOther: pool.asOther,
    tell: (operation, effects) => disk.tell?.(operation, effects),
    async openFolder(scope, folder) {
      const late = (fd: unknown) => closeBeside(fd as number)
      const fd = await pool.readers.run(realRoot, task('openFolder', scope, folder), { late })
      return { path: `/proc/self/fd/${fd}`, close: () => closeBeside(fd) }
    },
    watchFolder,
    server: {
      inspectFolder: (path) => look(path, 'inspectFolder', path),
      inspectPlaces: (paths) => look(paths[0] ?? '/', 'inspectPlaces', paths),
      foldersIn: (path, within) => look(path, 'foldersIn', path, within),
      namesIn: (paths) => look(paths[0] ?? '/', 'namesIn', paths),
      timesOf: (paths) => look(paths[0] ?? '/', 'timesOf', paths),
      textsOf: (paths) => look(paths[0] ?? '/', 'textsOf', paths),
    },
    isVolumeGone: () => ask('isVolumeGone'),
    async guardHalfWritten() {
      const left = (await drafts.leftBehind()).filter(({ target }) => target !== null)
      guarding += 1
      const guarded = onEach(
        left,
        ({ draft, target }) => target?.place ?? draft,
        (name, some) => change(name, 'guardHalfWritten', some),
      ).finally(() => {
        guarding -= 1
      })
      await Promise.race([guarded, Bun.sleep(longestReady)])
    },
    async repairHalfWritten() {
      if (threads.knowsHalfWritten())
        await Promise.all(pool.changers().map((lane) => lane.run(realRoot, task('repairHalfWritten'))))
    },
    async restoreSources() {
      await onEach(
        await moves.leftBehind(),
        ({ place }) => place,
        (name, some) => change(name, 'restoreSources', some),
      )
    },
    async clearDrafts() {
      await onEach(
        await drafts.leftBehind(),
        ({ draft }) => draft,
        (name, some) => change(name, 'clearDrafts', some),
      )
    },
    async clearOrphansIn(folders) {
      for (const folder of folders) orphans.add(await ask('orphansIn', folder, age()).catch(() => []))
      await orphans.settled()
    },
    async ready() {
      await Promise.race([learnFolding().catch(() => {}), Bun.sleep(longestReady)])
    },
    tellServedFolders: pool.tellServedFolders,
    isBusy: pool.isBusy,
    close() {
      quiet.close()
      pool.close()
    },
  }
}

const inRoot = (root: string, path: VirtualPath): string => `${root === '/' ? '' : root}${path}`

const mostStorages = 1000
