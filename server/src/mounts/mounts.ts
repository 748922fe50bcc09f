import { join } from 'node:path'
import { nameOf, type StorageKind } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { deadline } from '../concurrency/deadline.ts'
import { accessVersion, lastNumber } from '../database/counters.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { addressBelow, isDiskAddress, kindAt } from '../storage/address.ts'
import { stageBetween, transferBetween } from '../storage/between/between.ts'
import { diskAway } from '../storage/disk/base.ts'
import type { OpenFolder } from '../storage/disk/scopes.ts'
import type { PlaceFacts } from '../storage/disk/server-folders.ts'
import type { KeepStores, TellEffects } from '../storage/keeping.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import type { RemoteMount } from '../storage/remote/mounted.ts'
import type { ThreadedDisk, ThreadedScopes } from '../storage/threads/scopes.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../storage/transfer-options.ts'
import type { AddressRules } from './address-checks.ts'
import { type FolderChecks, folderChecks, type KnownMount } from './checks.ts'
import { cleanupIn, holderOf, type MountCleanup } from './cleanup.ts'
import { diskMount } from './disk-mount.ts'
import { storesOf } from './history.ts'
import { baseOf, firstMount, type Location, mountOf, pathIn } from './location.ts'
import { notOnDisk, remoteMount } from './remote-mount.ts'
import { type Behind, retiredMounts, type ServedMount, servedMount } from './served.ts'
import { isLeftOut, type MountFacts, mountsWithLeftOut } from './store.ts'

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
  kindOf(id: number): StorageKind
  /** What its storage cannot promise, in sentences for administrators. */
  weaknessesOf(id: number): readonly string[]
  /** On the server or elsewhere, for hooks and administrators. */
  folderOf(id: number): string | undefined
  /**
   * Where a location lies on this machine, or its address elsewhere. The name itself may be a symlink: only those in its
   * parent are followed.
   */
  realPath(location: Location): Promise<string>
  /** Refused where there is no folder of this machine. */
  openFolder(base: string, folder: VirtualPath): Promise<OpenFolder>
  watchFolder(folder: Location, inotify: number): ReturnType<ThreadedScopes['watchFolder']>
  /**
   * For looks around the folder of a mount, by the threads of its disk: the full name of its root, without symlinks.
   * Refused where there is none.
   */
  serverOf(id: number): Pick<ThreadedScopes, 'root' | 'server'>
  /** For folders that shall be mounts, and for choosing one. */
  readonly checks: FolderChecks
  /** Between two mounts, or within one. */
  transfer(kind: TransferKind, from: Location, to: Location, options: TransferOptions): Promise<void>
  /** The long part of it, as in the storage. It is dropped in the storage of the target. */
  stage(kind: TransferKind, from: Location, to: Location, options: StageOptions): Promise<void>
}

/** The registry of a server, with what its cleanup does in all of them. */
export interface ServedMounts extends Mounts, MountCleanup {
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
  /** The addresses that may be. */
  remote: AddressRules
  /** Are there grants in the first mount? */
  hasGrants(): Promise<boolean>
  /** Makes the threads of a mount on a disk, which see the rows of that one alone. */
  open(facts: MountFacts, parts: Ledgers & Keeping): ThreadedScopes
  /** Connects to a server elsewhere. Fails with a sentence where that cannot be. */
  openRemote(facts: MountFacts, parts: Keeping & { lost(): void }): Promise<RemoteMount>
  /** Hears what is done in a mount under the id of an operation. */
  tell?: ((mount: number, ...told: Parameters<TellEffects>) => void) | undefined
}

type Ledgers = Pick<ThreadedDisk, 'drafts' | 'moves'>

/** What a mount keeps, and who hears of it. */
export interface Keeping {
  stores(): KeepStores
  readonly tell: TellEffects
}

/** In milliseconds: so often all mounts are looked at, where there are several. */
const lookEvery = 5000
/** In milliseconds: so long the first look at a new mount is waited for, whose threads have to start. */
const firstLook = 2000

export async function mountsIn(deps: MountDeps): Promise<ServedMounts> {
  const { db, log, firstFacts, spool, ledgers, own } = deps
  const versionNow = accessVersion(db)
  const further = new Map<number, ServedMount>()
  const retired = retiredMounts()
  /** Of a mount that is removed: nothing that is asked for there will ever be there again, as no number is given twice. */
  let wasRemoved = (_id: number): boolean => false
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
    const isOwn = (place: string) => holderOf(place, onDisks(), spool) === id
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
  const scopesIn = (id: number): ThreadedScopes | undefined => {
    const behind = id === firstMount ? first : further.get(id)?.behind
    return behind?.kind === 'disk' ? behind : undefined
  }
  /** Rows have names without symlinks. */
  const onDisks = (): MountFacts[] =>
    known
      .filter(({ folder }) => isDiskAddress(folder))
      .map((facts) => ({ ...facts, folder: scopesIn(facts.id)?.root ?? facts.folder }))
  /** As the administrator has chosen; before the mounts have been read nothing is kept. */
  const storesIn = (mount: number): KeepStores => {
    const history = known.find(({ id }) => id === mount)?.history
    return history === undefined ? { trash: false, versions: false } : storesOf(history)
  }
  const keepingIn = (id: number): Keeping => ({
    stores: () => storesIn(id),
    tell: (...told) => deps.tell?.(id, ...told),
  })
  const open = (facts: MountFacts) => deps.open(facts, { ...ledgersOf(facts.id), ...keepingIn(facts.id) })

  const first = open({ id: firstMount, name: '', ...firstFacts, readOnly: false, source: 'root' })

  function mountFor(facts: MountFacts): ServedMount {
    const older = () => mountsKnown().filter(({ id }) => id < facts.id)
    const kind = isDiskAddress(facts.folder)
      ? diskMount(facts, { open, own, older, moved: tellServedFolders, retired })
      : remoteMount({ open: (wanted, lost) => deps.openRemote(wanted, { ...keepingIn(wanted.id), lost }), older })
    return servedMount(facts, kind, { log, retired })
  }

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
    remote: deps.remote,
    mounts: async () => {
      await Promise.all([all(), learnFirstPlace()])
      return mountsKnown()
    },
  })

  async function read(): Promise<void> {
    // Both before the rows: what is added from here on has a higher number.
    const [version, lastGiven] = [await versionNow(), await lastNumber(db, 'mount')]
    const rows = await mountsWithLeftOut(db)
    if (isClosed) return
    wasRemoved = (id) => id <= lastGiven && !rows.some((row) => row.id === id)
    known = rows
      .filter((facts) => !isLeftOut(facts))
      .map((facts) => (facts.id === firstMount ? { ...facts, ...firstFacts } : facts))
    const added = known.filter((facts) => facts.id !== firstMount && !isSameRoot(further.get(facts.id)?.facts, facts))
    for (const [id, mount] of further) {
      const facts = known.find((other) => other.id === id)
      if (facts !== undefined && isSameRoot(mount.facts, facts)) mount.update(facts)
      else {
        further.delete(id)
        mount.retire()
      }
    }
    for (const facts of added) further.set(facts.id, mountFor(facts))
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
    const served = onDisks().map(({ id, folder }) => ({ id, folder, prefix: id === firstMount ? '' : `${id}:` }))
    for (const { id, links } of known) {
      const reached = links === 'outside' ? served : served.filter((mount) => mount.id === id)
      scopesIn(id)?.tellServedFolders(isAsked ? reached : undefined)
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

  const behindOf = (id: number): Behind => {
    if (id === firstMount) return first
    const mount = further.get(id)
    if (mount === undefined && wasRemoved(id)) throw new Failure('not-found', 'There is no such root folder')
    if (mount === undefined) throw new Failure('unavailable', diskAway)
    return mount.served()
  }
  /** For what only a disk of this machine can do. */
  const scopesOf = (id: number, what: string): ThreadedScopes => {
    const behind = behindOf(id)
    if (behind.kind !== 'disk') throw notOnDisk(what)
    return behind
  }
  const storageAt = (base: string): Storage => {
    const { id, folder } = baseOf(base)
    return behindOf(id).storageAt(folder)
  }
  /** Both ends, and how to get from one to the other. */
  const endsOf = (from: Location, to: Location) => {
    const [left, arrived] = [behindOf(mountOf(from)), behindOf(mountOf(to))]
    const [source, target] = [pathIn(from), pathIn(to)]
    const ends = {
      ...{ from: left.storageAt(rootPath), source, to: arrived.storageAt(rootPath), target },
      ...{ tell: keepingIn(mountOf(to)).tell, tellSource: keepingIn(mountOf(from)).tell },
    }
    return { left, arrived, source, target, ends }
  }
  const folderOf = (id: number) => known.find((facts) => facts.id === id)?.folder
  const problemOf = (id: number): string | undefined => {
    if (id === firstMount) return isFirstAway ? diskAway : undefined
    const mount = further.get(id)
    return mount === undefined ? diskAway : mount.problem()
  }

  await Promise.all([first.ready(), all()])
  return {
    all,
    checks,
    storageAt,
    isAway: (id) => problemOf(id) !== undefined,
    problemOf,
    folderOf,
    kindOf: (id) => kindAt(folderOf(id) ?? ''),
    weaknessesOf(id) {
      const behind = further.get(id)?.behind
      return behind === undefined || behind.kind === 'disk' ? [] : behind.weaknesses
    },
    serverOf: (id) => scopesOf(id, 'Snapshots are'),
    async realPath(location) {
      const [id, path] = [mountOf(location), pathIn(location)]
      const behind = behindOf(id)
      const storage = behind.storageAt(rootPath)
      const inside = path === '/' ? path : inFolder(await storage.resolve(parentOf(path)), nameOf(path))
      const folder = folderOf(id) ?? ''
      return behind.kind === 'disk' ? join(folder, inside) : addressBelow(folder, inside)
    },
    async openFolder(base, folder) {
      const { id, folder: scope } = baseOf(base)
      return scopesOf(id, 'Commands run').openFolder(scope, folder)
    },
    watchFolder: async (folder, inotify) =>
      scopesOf(mountOf(folder), 'Changes are told').watchFolder(pathIn(folder), inotify),
    async transfer(kind, from, to, options) {
      const { left, arrived, source, target, ends } = endsOf(from, to)
      if (left === arrived) await ends.to[kind === 'move' ? 'rename' : 'copy'](source, target, options)
      else if (left.kind === 'disk' && arrived.kind === 'disk')
        await left.transferTo(kind, source, arrived, target, options)
      else await transferBetween(kind, ends, options)
    },
    async stage(kind, from, to, options) {
      const { left, arrived, source, target, ends } = endsOf(from, to)
      if (left === arrived) await ends.to.stage(kind, source, target, options)
      else if (left.kind === 'disk' && arrived.kind === 'disk')
        await left.stageTo(kind, source, arrived, target, options)
      else await stageBetween(kind, ends, options)
    },
    ...cleanupIn(first, further, spool),
    isFirstGone: first.isVolumeGone,
    close() {
      isClosed = true
      clearInterval(looking)
      first.close()
      for (const mount of further.values()) mount.close()
      retired.close()
    },
  }
}

/** Names and rights may change while its threads work on. */
const isSameRoot = (one: MountFacts | undefined, two: MountFacts): boolean =>
  one !== undefined && one.folder === two.folder && one.links === two.links
