import { statfs } from 'node:fs/promises'
import { posix, resolve } from 'node:path'
import { isInside, join, nameOf, segmentsOf } from '@filestead/contract/paths'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { breathe } from '../../concurrency/pauses.ts'
import { Failure, isFailure } from '../../failure.ts'
import { replacementMark, textOf } from '../exact-names.ts'
import { codeOf, translated, unless } from '../linux/errno.ts'
import { type Kernel, type Name, type NamedItem, O, type Stat } from '../linux/kernel.ts'
import { isFolder, isLink } from '../linux/modes.ts'
import { checkedPath, type VirtualPath } from '../path.ts'
import type { Capabilities, Named, Storage, TransferOptions, WriteOptions } from '../port.ts'
import type { CopyJob } from './copying.ts'
import { depthOf, mostLevels, requireNotTooDeep, requireRoomBelow } from './depth.ts'
import type { Displacing } from './displace.ts'
import { type DraftLedger, placeOf } from './drafts.ts'
import { type DiskEntry, entryOf, kindOf } from './entry.ts'
import { beginDraft, type DraftDescriptor, dropDraft, openDraftDescriptor, openDraftOver } from './kept-drafts.ts'
import type { LeavingLedger } from './leaving.ts'
import { follow } from './links.ts'
import { openStrictly } from './opening.ts'
import { createFolder, openPlace, type Place } from './place.ts'
import { entriesAmong, linkAt, openFile, peekInto } from './reading.ts'
import { wholeStat } from './torn.ts'
import { copy, move, moveAcross, remove, requireFreeToGo, requireMovable } from './transferring.ts'
import { exactName, isHidden, visitTree } from './trees.ts'
import { type VolumeState, type Volumes, volumeWatch } from './volume.ts'
import { putFile, receive } from './writing.ts'

/** What the disk adapter needs of its surroundings. */
export interface Disk {
  kernel: Kernel
  ledger: DraftLedger
  leaving: LeavingLedger
  ours: Ours
  /** Modes of new files and folders; the process's umask still applies. */
  modes: () => { file: number; folder: number }
  /** Where a draft is kept when the folder of its target cannot be written. */
  spool: string
  /** Links may lead anywhere. The kernel must have been told, too. */
  follows: boolean
  /** Hears of drafts that turn up when a folder is read. */
  orphans?: { sawAmong(folder: number, items: readonly { name: string }[]): void } | undefined
  /** Those below the root, where something may be mounted. */
  volumes?: Volumes | undefined
  /** What is known of the root's volume; `volumesChanged` is told of news. */
  volumeState?: VolumeState | undefined
  volumesChanged?: (() => void) | undefined
  /** Around everything that is replaced, overwritten or removed; see displace.ts. */
  displacing?: Displacing | undefined
  /** As in `Capabilities`. */
  foldsCase: () => boolean
}

/** Our own database, cache and the like: not part of the storage, wherever they lie and whatever they are called. */
export interface Ours {
  is(identity: Identity): boolean
  /** Could something with this inode be ours? Whoever does not know the device asks this first. */
  hasInode(inode: number): boolean
  /** Does the folder hold something of ours, at any depth? */
  holds(identity: Identity): boolean
  /** Must it stay where it is, because the way to something of ours leads through it? */
  keeps(identity: Identity): boolean
  /** Which names in this folder are kept for something of ours, whether they are there or not? None in most folders. */
  namesIn(folder: Identity): ((name: string) => boolean) | undefined
  /** The same for one name: the folder is looked at only where the name is kept anywhere. */
  reserves(name: Name, folder: () => Identity): boolean
  /** Another one as soon as other files are ours. */
  readonly edition: object
  /** Finds what has been renewed or has appeared since; asked often, it looks now and then. */
  lookAgain(): void
}

/** As `Kernel.stat` tells it. */
interface Identity {
  inode: number
  device: number
}

const isBeneath = (real: string, root: string): boolean => real === root || real.startsWith(`${root}/`)

/** After so many names somebody else gets a turn. */
const slice = 200

type Take<T> = (part: readonly T[]) => void | Promise<void>

/** What the adapter offers beyond the port, to a caller that reads and writes the bytes itself, in another thread. */
export interface DiskStorage extends Storage {
  stat(path: VirtualPath): Promise<DiskEntry>
  /** A listing in parts, as the folder is read; the next part waits until `take` is done. Tells of the folder itself. */
  listInto(folder: VirtualPath, take: Take<DiskEntry>, signal?: Cancellation): Promise<DiskEntry>
  namesInto(folder: VirtualPath, take: Take<Named>, signal?: Cancellation): Promise<void>
  /** Opens a file for reading; the caller closes the descriptor. */
  openDescriptor(file: VirtualPath): Promise<{ fd: number; entry: DiskEntry }>
  /** `write` with bytes that `fill` puts into an open draft. */
  writeWith(file: VirtualPath, fill: (draft: number) => Promise<void>, options: WriteOptions): Promise<DiskEntry>
  draftDescriptor(file: VirtualPath, id: string): Promise<DraftDescriptor>
  beneath(folder: VirtualPath): DiskStorage
}

/** A file with several names is overwritten in place; readers wait until that is done (see torn.ts). */
export const diskCapabilities = (foldsCase: () => boolean): Capabilities => ({
  symlinks: true,
  atomicRename: true,
  atomicReplace: true,
  localFile: true,
  get foldsCase() {
    return foldsCase()
  },
  space: true,
  sparse: true,
})

/** The files below one folder of this machine. `directory` itself is the administrator's choice and may be a link. */
export const diskStorage = (disk: Disk, directory: string): DiskStorage => storageAt(disk, rootAt(disk, directory))

function rootAt({ kernel, volumeState, volumesChanged }: Disk, directory: string): Base {
  const place = resolve(directory)
  const requireVolume = volumeWatch(kernel, volumeState, volumesChanged)
  return {
    root: place,
    folder: '',
    open(toWrite) {
      const root = kernel.open(-1, place, O.PATH | O.DIRECTORY)
      try {
        requireVolume(root, toWrite)
        return root
      } catch (error) {
        kernel.close(root)
        throw error
      }
    },
  }
}

/** A folder that `path` leads to until it is closed, whatever becomes of its names. */
export interface OpenFolder {
  readonly path: string
  close(): void
}

/** The folders of users below one root. */
export interface DiskScopes {
  /** The files of a user whose scope is this folder below the root. */
  storageAt(scope: string): DiskStorage
  openFolder(scope: string, folder: VirtualPath): Promise<OpenFolder>
  /** The same without a way to close it. */
  openFolderDescriptor(scope: string, folder: VirtualPath): Promise<number>
  /** Has the volume of the root been seen, and is gone? */
  isVolumeGone(): boolean
}

/** Only the root may be reached through any link. A scope begins beneath it, because users can rename what is there. */
export function diskScopes(disk: Disk, root: string): DiskScopes {
  const { kernel } = disk
  const whole = rootAt(disk, root)
  const baseOf = (scope: string): Base => {
    if (scope === '/') return whole
    const folder = posix.join('/', scope).replace(/(?<=.)\/$/, '')
    if (folder === '/') return whole
    const open = (toWrite?: boolean) => {
      const base = whole.open(toWrite)
      try {
        return openThroughInnerLinks(disk, base, folder)
      } finally {
        kernel.close(base)
      }
    }
    return { ...whole, folder, open }
  }
  const isVolumeGone = () => {
    try {
      kernel.close(whole.open(true))
      return false
    } catch (error) {
      return isFailure(error, 'unavailable')
    }
  }
  const openFolderDescriptor = (scope: string, folder: VirtualPath) =>
    translated(() => {
      const base = baseOf(scope).open(true)
      try {
        return openStrictly(disk, base, folder, O.PATH | O.DIRECTORY).fd
      } finally {
        kernel.close(base)
      }
    })
  // What is mounted at the start counts, whether somebody asks for a file before it goes or not.
  isVolumeGone()
  return {
    isVolumeGone,
    storageAt: (scope) => storageAt(disk, baseOf(scope)),
    openFolderDescriptor,
    openFolder: async (scope, folder) => {
      const fd = await openFolderDescriptor(scope, folder)
      return { path: `/proc/self/fd/${fd}`, close: () => kernel.close(fd) }
    },
  }
}

/** A folder whose path may hold links, as long as they stay beneath the base; the place they lead to has none. */
function openThroughInnerLinks(disk: Disk, base: number, folder: string): number {
  let place = folder
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      return openStrictly(disk, base, place, O.PATH | O.DIRECTORY).fd
    } catch (error) {
      if (codeOf(error) !== 'ELOOP') throw error
      place = beneathBase(base, folder) ?? leadsOut()
    }
  }
  throw new Failure('not-found', 'The links keep changing')
}

/** Links may be swapped between a look and its use; so often it is tried again. */
const mostTries = 4

/** Where a path leads when its links are followed; none if that is outside. */
function beneathBase(base: number, path: string): string | undefined {
  const root = placeOf(base)
  const real = follow(root, path, linkAt)
  return isBeneath(real, root) ? real.slice(root.length) || '/' : undefined
}

function leadsOut(): never {
  throw new Failure('forbidden', 'The path leads out of the folder')
}

/** The folder in which the paths of a storage begin. */
interface Base {
  /** The full name of the root, and where the folder lies beneath it; empty for the root itself. */
  readonly root: string
  readonly folder: string
  /** Whoever writes finds out for certain that the volume is there; whoever reads, that it was a moment ago. */
  open(toWrite?: boolean): number
}

/** The base is opened for every call: a volume that is mounted or replaced later is simply there. */
function storageAt(disk: Disk, begin: Base): DiskStorage {
  const { kernel, ours } = disk

  const inBase = <T>(work: (base: number) => T | Promise<T>, { toWrite = false } = {}): Promise<T> =>
    translated(async () => {
      const base = begin.open(toWrite)
      try {
        return await work(base)
      } finally {
        kernel.close(base)
      }
    })

  const inPlace = <T>(
    path: VirtualPath,
    parents: 'create' | 'must-exist',
    work: (place: Place) => Promise<T>,
  ): Promise<T> =>
    inBase(
      async (base) => {
        if (parents === 'create') requireNotTooDeep(path)
        const place = await openPlace(disk, base, path, parents)
        try {
          return await work(place)
        } catch (error) {
          place.undoParents()
          throw error
        } finally {
          place.close()
        }
      },
      { toWrite: true },
    )

  const inFolder = <T>(path: VirtualPath, work: (fd: number, stat: Stat) => Promise<T>): Promise<T> =>
    inBase(async (base) => {
      const { fd, stat } = openStrictly(disk, base, path, O.RDONLY | O.DIRECTORY)
      try {
        return await work(fd, stat)
      } finally {
        kernel.close(fd)
      }
    })

  /** Where links may lead anywhere, one that leads out has no other path; it is told as what it leads to. */
  const targetOutside = (base: number, path: VirtualPath): DiskEntry | undefined => {
    if (!disk.follows) return undefined
    if (beneathBase(base, path) !== undefined) return undefined
    const opened = unless(['ENOENT', 'ELOOP', 'EACCES'], () => openStrictly(disk, base, path, O.PATH))
    if (opened === undefined) return undefined
    kernel.close(opened.fd)
    return entryOf(nameOf(path), opened.stat).with({ isLink: true })
  }

  /** The name itself where it is there, or else the only one that is shown like it. */
  const exactIn = (base: number, folder: string, name: string): string => {
    const opened = unless(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'], () =>
      openStrictly(disk, base, folder, O.RDONLY | O.DIRECTORY),
    )
    if (opened === undefined) return name
    try {
      if (kernel.look(opened.fd, name) !== undefined) return name
      const alike: string[] = []
      for (let items = kernel.readNames(opened.fd); items !== null; items = kernel.readNames(opened.fd))
        for (const item of items) if (item.bytes && item.name === name) alike.push(textOf(item.bytes))
      if (alike.length > 1) throw new Failure('invalid', 'several names look like this one')
      return alike[0] ?? name
    } finally {
      kernel.close(opened.fd)
    }
  }

  const between = (from: VirtualPath, to: VirtualPath, work: (source: Place, target: Place) => Promise<void>) =>
    inPlace(from, 'must-exist', async (source) => {
      requireMovable(disk, source)
      if (to !== from && isInside(to, from)) throw new Failure('invalid', 'a folder cannot be put into itself')
      await inPlace(to, 'create', (target) => work(source, target))
    })

  const jobFor = (from: VirtualPath, to: VirtualPath, { signal }: TransferOptions): CopyJob => ({
    kernel,
    ours,
    signal,
    wayBack: posix.relative(to, from),
    mostLevels: mostLevels - depthOf(to) + 1,
  })

  // O_NONBLOCK, because opening a pipe would otherwise wait for its other end.
  const openDescriptor: DiskStorage['openDescriptor'] = (path) =>
    inBase(async (base) => {
      const { fd, stat } = openStrictly(disk, base, path, O.RDONLY | O.NONBLOCK)
      try {
        const entry = entryOf(nameOf(path), await wholeStat(kernel, fd, stat))
        if (entry.kind !== 'file') throw new Failure('invalid', 'this is not a regular file')
        return { fd, entry }
      } catch (error) {
        kernel.close(fd)
        throw error
      }
    })

  const listInto: DiskStorage['listInto'] = (path, take, signal) =>
    inFolder(path, async (fd, stat) => {
      const isReserved = ours.namesIn(stat)
      for (let items = kernel.readFolder(fd); items !== null; items = kernel.readFolder(fd)) {
        disk.orphans?.sawAmong(fd, items)
        const taking = take(entriesAmong(ours, items, isReserved))
        if (taking !== undefined) await taking
        if (items.length < slice) continue
        await breathe()
        signal?.throwIfAborted()
      }
      return entryOf(nameOf(path), stat)
    })

  const namesInto: DiskStorage['namesInto'] = (path, take, signal) =>
    inFolder(path, async (fd, stat) => {
      const mayHoldOurs = ours.holds(stat)
      const isReserved = ours.namesIn(stat)
      const isShown = (item: NamedItem) =>
        !isHidden(item) &&
        !((mayHoldOurs || ours.hasInode(item.inode)) && isOwn(disk, fd, item)) &&
        !isReserved?.(item.name)
      for (let items = kernel.readNames(fd); items !== null; items = kernel.readNames(fd)) {
        disk.orphans?.sawAmong(fd, items)
        const taking = take(items.filter(isShown).map(namedOf))
        if (taking !== undefined) await taking
        if (items.length >= slice) await breathe()
        signal?.throwIfAborted()
      }
    })

  const writeWith: DiskStorage['writeWith'] = (path, fill, options) =>
    inPlace(path, needsFile(options) ? 'must-exist' : 'create', (place) => putFile(disk, place, { fill }, options))

  const draftDescriptor: DiskStorage['draftDescriptor'] = (path, id) =>
    inBase(async (base) => {
      const place = await openPlace(disk, base, path, 'must-exist')
      try {
        return openDraftDescriptor(disk, place, id)
      } catch (error) {
        place.close()
        throw error
      }
    })

  return {
    capabilities: diskCapabilities(disk.foldsCase),

    stat: (path) =>
      inBase((base) => {
        const { fd, stat } = openStrictly(disk, base, path, O.PATH | O.NOFOLLOW)
        kernel.close(fd)
        return (isLink(stat.mode) && targetOutside(base, path)) || entryOf(nameOf(path), stat)
      }),

    listInto,
    async list(path, signal) {
      const parts: (readonly DiskEntry[])[] = []
      const folder = await listInto(path, (entries) => void parts.push(entries), signal)
      // The entries of one reading may be shared; those of several are put together.
      return { folder, entries: parts.length === 1 ? (parts[0] ?? []) : parts.flat() }
    },

    namesInto,
    async names(path, signal) {
      const names: Named[] = []
      await namesInto(path, (part) => void names.push(...part), signal)
      return names
    },

    visitBelow: (path, visit) => inFolder(path, (fd) => visitTree(kernel, fd, path, visit)),

    peek: (path, names, signal) =>
      inFolder(path, async (fd, stat) => {
        const heads = new Map<string, Uint8Array>()
        const isReserved = ours.namesIn(stat)
        for (const [index, name] of names.entries()) {
          heads.set(name, isReserved?.(name) ? new Uint8Array() : peekInto(disk, fd, name))
          if (index % slice !== slice - 1) continue
          await breathe()
          signal?.throwIfAborted()
        }
        return heads
      }),

    openDescriptor,
    open: async (path) => {
      const { fd, entry } = await openDescriptor(path)
      return openFile(fd, entry, () => kernel.close(fd))
    },

    writeWith,
    write: (path, bytes, options) => writeWith(path, (draft) => receive(kernel, draft, bytes, options.length), options),

    beginDraft: (path, id, options) => inPlace(path, 'create', (place) => beginDraft(disk, place, id, options)),

    draftDescriptor,
    openDraft: async (path, id) => openDraftOver(kernel, await draftDescriptor(path, id)),

    dropDraft: (path, id) => inPlace(path, 'must-exist', (place) => dropDraft(disk, place, id)),

    async createFolder(path) {
      if (path !== '/') await inPlace(path, 'create', (place) => createFolder(disk, place))
    },

    rename: (from, to, options) =>
      between(from, to, async (source, target) => {
        requireFreeToGo(disk, source)
        if (options.replace && to !== from && isInside(from, to))
          throw new Failure('invalid', 'nothing can take the place of the folder that holds it')
        const isSunk = depthOf(to) > depthOf(from) && isFolder(kernel.stat(source.folder, source.name).mode)
        if (isSunk) await requireRoomBelow(kernel, source, to)
        try {
          await move(disk, source, target, options.replace)
        } catch (error) {
          if (codeOf(error) !== 'EXDEV') throw error
          await moveAcross(disk, source, target, options.replace, jobFor(from, to, options))
        }
      }),

    copy: (from, to, options) =>
      between(from, to, (source, target) => copy(disk, source, target, options.replace, jobFor(from, to, options))),

    remove: (path, options = {}) =>
      inPlace(path, 'must-exist', (place) => {
        requireMovable(disk, place)
        requireFreeToGo(disk, place)
        return remove(disk, place, options)
      }),

    exact: (path) =>
      inBase(async (base) => {
        let at = '/'
        for (const name of segmentsOf(path))
          at = join(at, name.includes(replacementMark) ? exactIn(base, at, name) : name)
        return at as VirtualPath
      }),

    resolve: (path) =>
      inBase((base) => {
        const real = beneathBase(base, path)
        if (real !== undefined) return checkedPath(real)
        return disk.follows ? path : leadsOut()
      }),

    usage: (path) =>
      inFolder(path, async (fd) => {
        const { blocks, bfree, frsize } = await statfs(`/proc/self/fd/${fd}`)
        return { total: blocks * frsize, used: (blocks - bfree) * frsize }
      }),

    beneath: (folder) =>
      storageAt(disk, {
        root: begin.root,
        folder: `${begin.folder}${folder}`.replace(/\/$/, ''),
        open(toWrite) {
          const base = begin.open(toWrite)
          try {
            return openStrictly(disk, base, folder, O.PATH | O.DIRECTORY).fd
          } finally {
            kernel.close(base)
          }
        },
      }),
  }
}

const needsFile = ({ precondition }: WriteOptions): boolean => precondition !== 'absent' && precondition !== 'any'

function namedOf({ name, bytes, mode }: NamedItem): Named {
  const exact = bytes && textOf(bytes)
  return { name, ...(exact && { exact }), kind: kindOf(mode) }
}

/** The exact answer, at the price of one look at the disk. */
function isOwn({ kernel, ours }: Disk, folder: number, item: NamedItem): boolean {
  const stat = unless(['ENOENT', 'EACCES'], () => kernel.stat(folder, exactName(item)))
  return stat !== undefined && ours.is(stat)
}
