import { statfs } from 'node:fs/promises'
import { nameOf } from '@filestead/contract/paths'
import { Failure, ignoring } from '../../failure.ts'
import type { Keep } from '../keeping.ts'
import { tolerating, translated } from '../linux/errno.ts'
import { O, type Stat } from '../linux/kernel.ts'
import { isFile, isLink } from '../linux/modes.ts'
import { checkedPath, type VirtualPath } from '../path.ts'
import { type Capabilities, headLength, LeadsElsewhere, LinkInTheWay, type Named, type WriteOptions } from '../port.ts'
import type { TransferKind, TransferOptions } from '../transfer-options.ts'
import { wholeFilesOf } from '../whole-files.ts'
import { type Base, leadsOut } from './base.ts'
import { stageBetween, transferBetween } from './between-roots.ts'
import type { Disk } from './disk.ts'
import type { DiskStorage, HeadOnDisk } from './disk-storage.ts'
import { type DiskEntry, entryOf } from './entry.ts'
import { fillFolder, secureTree } from './filling.ts'
import { wholeStat } from './half-written.ts'
import { inBase as inBaseOf, inOpenFolder, inTarget as inTargetOf } from './in-target.ts'
import { keepPlace, removeToStore } from './keep-removed.ts'
import { withKeep } from './keeping.ts'
import { beginDraft, completeDraft, dropDraft, openDraftDescriptor, openDraftOver } from './kept-drafts.ts'
import { describeNames, exactPath, readEntries, readHeads, readNames } from './listing.ts'
import { openStrictly, openToRead } from './opening.ts'
import { publishStaged, unstage } from './publishing.ts'
import { openFile, readPart } from './reading.ts'
import { purge, restore } from './restoring.ts'
import { namesInOrder, rowsOf } from './rows.ts'
import { followed, locationBeyond, locationOf } from './served-folders.ts'
import { readStoresAt, topsBelow } from './store-contents.ts'
import { createFolder, openTarget, type Target } from './target.ts'
import { remove, requireFreeToGo, requireMovable } from './transferring.ts'
import { visitTree } from './trees.ts'
import { watchFolder } from './watched-folder.ts'
import { readFilesInPlaces, readWholeFiles } from './whole-files.ts'
import { isBeingOverwritten } from './write-lock.ts'
import { putFile, receive } from './writing.ts'

/** A file with several names is overwritten in place; readers wait until that is done (see half-written.ts). */
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
  keeps: true,
  lastingIds: true,
})

/** The files below a folder of this machine. */
export function storageAt(disk: Disk, begin: Base): DiskStorage {
  const { kernel } = disk
  const here = { disk, begin }
  /** Stores belong to the whole mount. */
  const mount = () => ({ disk, begin: { ...begin, folder: '', open: begin.openRoot } })
  const inBase = <T>(work: (base: number) => T | Promise<T>) => inBaseOf(here, work)
  const inTarget = <T>(path: VirtualPath, parents: 'create' | 'must-exist', work: (place: Target) => Promise<T>) =>
    inTargetOf(here, path, parents, work)

  /** Again where it was overwritten while it was read: to open it waits for that. */
  const readHead = async (path: VirtualPath): Promise<HeadOnDisk> => {
    const { fd, entry, links } = await openDescriptor(path)
    try {
      const head = await translated(() => readPart(fd, 0, headLength))
      if (!isBeingOverwritten(fd, { links })) return { entry, head }
    } finally {
      kernel.close(fd)
    }
    return readHead(path)
  }

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
    const { real, beneath } = followed(disk, base, path)
    // What is served elsewhere is described there, under the rights of that place.
    if (beneath !== undefined || locationOf(disk, real) !== undefined) return undefined
    const opened = tolerating(['ENOENT', 'ELOOP', 'EACCES'], () => openStrictly(disk, base, path, O.PATH))
    if (opened === undefined) return undefined
    kernel.close(opened.fd)
    return entryOf(nameOf(path), opened.stat).with({ isLink: true })
  }

  /** Into another folder of this storage; a folder cannot be put into itself. */
  const transfer = (kind: TransferKind, from: VirtualPath, to: VirtualPath, options: TransferOptions) =>
    transferBetween(kind, { ...here, path: from }, { ...here, path: to }, options)

  // O_NONBLOCK, because opening a pipe would otherwise wait for its other end.
  const openDescriptor: DiskStorage['openDescriptor'] = (path) =>
    inBase(async (base) => {
      const { fd, stat } = openStrictly(disk, base, path, O.RDONLY | O.NONBLOCK)
      try {
        const entry = entryOf(nameOf(path), await wholeStat(kernel, fd, stat))
        if (entry.kind !== 'file') throw new Failure('invalid', 'this is not a regular file')
        return { fd, entry, links: stat.links }
      } catch (error) {
        kernel.close(fd)
        throw error
      }
    })

  const listInto: DiskStorage['listInto'] = (path, take, signal, isOnce) =>
    inFolder(path, async (fd, stat) => {
      await readEntries(disk, { fd, stat }, take, { signal, isOnce })
      return entryOf(nameOf(path), stat)
    })

  const findDescriptor: DiskStorage['findDescriptor'] = (path, { take, largestOpened, mostListed: most, signal }) =>
    inBase(async (base) => {
      // A symlink has facts of its own, which would not be seen where the kernel follows it.
      if (disk.follows && isLink(tolerating(['ENOENT'], () => kernel.stat(base, path.slice(1) || '.'))?.mode ?? 0))
        throw new LinkInTheWay()
      const { fd, stat } = openToRead(disk, base, path, largestOpened)
      if (fd === undefined) return { entry: entryOf(nameOf(path), stat) }
      let isKept = false
      try {
        const entry = entryOf(nameOf(path), isFile(stat.mode) ? await wholeStat(kernel, fd, stat) : stat)
        if (entry.kind === 'folder' && take !== undefined)
          return { entry, isListed: (await readEntries(disk, { fd, stat }, take, { signal, most })) === 'all' }
        isKept = entry.kind === 'file'
        return isKept ? { fd, entry, links: stat.links } : { entry }
      } finally {
        if (!isKept) kernel.close(fd)
      }
    })

  const namesInto: DiskStorage['namesInto'] = (path, take, signal, filter) =>
    inFolder(path, (fd, stat) => readNames(disk, { fd, stat }, take, { signal, filter }))

  const filesIn: DiskStorage['readWholeFiles'] = (path, names, room) =>
    inFolder(path, async (fd, stat) => readWholeFiles(disk, { fd, stat }, names, room))

  const filesInto: DiskStorage['readFilesInto'] = (path, places, memory) =>
    inFolder(path, async (fd, stat) => readFilesInPlaces(disk, { fd, stat }, places, memory))

  /** Runs work with a disk that keeps what it displaces, where that is wanted. */
  const keeping = <T>(keep: Keep | undefined, work: (disk: Disk) => Promise<T>) => withKeep(here, keep, work)

  const writeWith: DiskStorage['writeWith'] = (path, fill, options) =>
    keeping(options.keep, (disk) =>
      inTargetOf({ disk, begin }, path, needsFile(options) ? 'must-exist' : 'create', (place) =>
        putFile(disk, place, { fill }, options),
      ),
    )

  const draftDescriptor: DiskStorage['draftDescriptor'] = (path, id, access) =>
    inBase(async (base) => {
      const place = await openTarget(disk, base, path, 'must-exist')
      try {
        return openDraftDescriptor(disk, place, id, access, keeping)
      } catch (error) {
        place.close()
        throw error
      }
    })

  /** The place that a draft becomes. One that lies in its folder becomes that folder itself. */
  const atDraft = <T>(
    path: VirtualPath,
    { inside }: { inside?: boolean | undefined },
    work: (place: Target) => Promise<T>,
  ) => (inside ? inOpenFolder(here, path, work) : inTarget(path, 'must-exist', work))

  return {
    capabilities: diskCapabilities(disk.foldsCase),

    stat: (path) =>
      inBase((base) => {
        const { fd, stat } = openStrictly(disk, base, path, O.PATH | O.NOFOLLOW)
        kernel.close(fd)
        return (isLink(stat.mode) && targetOutside(base, path)) || entryOf(nameOf(path), stat)
      }),

    listInto,
    async list(path, signal, { isOnce } = {}) {
      const parts: (readonly DiskEntry[])[] = []
      const folder = await listInto(path, (entries) => void parts.push(entries), signal, isOnce)
      return { folder, entries: together(parts) }
    },

    namesInto,
    async names(path, signal, { filter } = {}) {
      const names: Named[] = []
      await namesInto(path, (part) => void names.push(...part), signal, filter)
      return names
    },

    describe: (path, named, signal) => inFolder(path, (fd, stat) => describeNames(disk, { fd, stat }, named, signal)),

    namesInOrder: (path, wish, signal) => inFolder(path, (fd, stat) => namesInOrder(disk, { fd, stat }, wish, signal)),
    rowsOf: (path, names, form) => inFolder(path, async (fd, stat) => rowsOf(disk, { fd, stat }, names, form)),

    visitBelow: (path, visit) => inFolder(path, (fd) => visitTree(kernel, fd, path, visit)),

    peek: (path, names, signal) => inFolder(path, (fd, stat) => readHeads(disk, { fd, stat }, names, signal)),

    readWholeFiles: filesIn,
    readFilesInto: filesInto,
    async readInPlaces(path, { names, entries, starts, size }) {
      const memory = new Uint8Array(size)
      const places = entries.map((entry, at) => {
        const { seconds, nanoseconds, inode, device } = entry as DiskEntry
        const [name, start] = [names[at] as string, starts[at] as number]
        return { name, start, size: entry.size, seconds, nanoseconds, inode, device }
      })
      return { checksums: await filesInto(path, places, memory), memory, release() {} }
    },
    readFiles: async (path, names, room) => wholeFilesOf(await filesIn(path, names, room)),

    openDescriptor,
    open: async (path) => {
      const { fd, entry } = await openDescriptor(path)
      return openFile(fd, entry, () => kernel.close(fd))
    },
    readHead,

    findDescriptor,
    async find(path, { lists, ...options }) {
      const parts: (readonly DiskEntry[])[] = []
      const take = lists ? (some: readonly DiskEntry[]) => void parts.push(some) : undefined
      const found = await findDescriptor(path, { ...options, take })
      const { fd, entry } = found
      if (fd !== undefined) return { entry, file: openFile(fd, entry, () => kernel.close(fd)) }
      return found.isListed ? { entry, entries: together(parts) } : { entry }
    },

    writeWith,
    write: (path, bytes, options) => writeWith(path, (draft) => receive(kernel, draft, bytes, options.length), options),

    beginDraft: (path, id, options) =>
      keeping(options.keep, (disk) =>
        inTargetOf({ disk, begin }, path, 'create', (place) => beginDraft(disk, place, id, options)),
      ),

    draftDescriptor,
    openDraft: async (path, id, access) => openDraftOver(kernel, await draftDescriptor(path, id, access), access),

    completeDraft: (path, id, last, options) =>
      inBase(async (base) => {
        const place = await openTarget(disk, base, path, 'must-exist')
        try {
          return await keeping(options.keep, (disk) => completeDraft(disk, place, id, last, options))
        } finally {
          place.close()
        }
      }),

    dropDraft: (path, id) => inTarget(path, 'must-exist', (place) => dropDraft(disk, place, id)),

    fill: (path, entries) => inFolder(path, (fd) => fillFolder(disk, fd, entries)),
    secure: (path) => inFolder(path, (fd) => secureTree(disk, fd)),

    async createFolder(path, { keep } = {}) {
      if (path === '/') return
      await keeping(keep, (disk) => inTargetOf({ disk, begin }, path, 'create', (place) => createFolder(disk, place)))
    },

    rename: (from, to, options) => transfer('move', from, to, options),
    copy: (from, to, options) => transfer('copy', from, to, options),
    stage: (kind, from, to, options) => stageBetween(kind, { ...here, path: from }, { ...here, path: to }, options),
    stageTo: (kind, from, { root, path }, options) =>
      stageBetween(kind, { ...here, path: from }, { ...root, path }, options),
    publish: (to, id, options) =>
      keeping(options.keep, (disk) => atDraft(to, options, (place) => publishStaged(disk, place, id, options))),
    async unstage(to, id, options = {}) {
      // Where its folder is gone, all that was staged there is gone as well.
      await atDraft(to, options, (place) => unstage(disk, place, id, options)).catch(ignoring('not-found'))
    },
    transferTo: (kind, from, { root, path }, options) =>
      transferBetween(kind, { ...here, path: from }, { ...root, path }, options),

    remove: (path, options = {}) =>
      keeping(options.keep, (disk) =>
        inTargetOf({ disk, begin }, path, 'must-exist', (place) => {
          requireMovable(disk, place)
          requireFreeToGo(disk, place)
          return options.keptAt === undefined
            ? remove(disk, place, options)
            : removeToStore(disk, place, options.keptAt, options)
        }),
      ),

    keepPlace: (path, keep) =>
      inTarget(path, 'must-exist', async (place) => {
        kernel.stat(place.folder, place.name)
        const root = begin.openRoot()
        try {
          return await keepPlace(disk, root, place, keep)
        } finally {
          kernel.close(root)
        }
      }),

    exact: (path) => inBase((base) => exactPath(disk, base, path)),

    resolve: (path) =>
      inBase((base) => {
        const { real, beneath } = followed(disk, base, path)
        const location = locationBeyond(disk, base, real, beneath !== undefined)
        if (location !== undefined) throw new LeadsElsewhere(location)
        if (beneath !== undefined) return checkedPath(beneath)
        return disk.follows ? path : leadsOut()
      }),

    keptIn: (top, take, signal) => readStoresAt(mount(), top, take, { signal }),
    async kept(take, signal) {
      for (const top of topsBelow(begin.root)) await readStoresAt(mount(), top, async (part) => take(part), { signal })
    },
    restore: (place, to, options) =>
      keeping(options.keep, (disk) => restore({ ...mount(), disk }, place, { disk, begin, path: to }, options)),
    purge: (place, options = {}) => purge(mount(), place, options),

    usage: (path) =>
      inFolder(path, async (fd) => {
        const { blocks, bfree, frsize } = await statfs(`/proc/self/fd/${fd}`)
        return { total: blocks * frsize, used: (blocks - bfree) * frsize }
      }),

    watchFolder: (path, inotify, part) =>
      inBaseOf(here, (base) => watchFolder(disk, base, path, inotify, part), { toWrite: true }),

    beneath: (folder) =>
      storageAt(disk, {
        root: begin.root,
        openRoot: begin.openRoot,
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

/** The entries of one reading may be shared; those of several are put together. */
const together = (parts: readonly (readonly DiskEntry[])[]): readonly DiskEntry[] =>
  parts.length === 1 ? (parts[0] ?? []) : parts.flat()

const needsFile = ({ precondition }: WriteOptions): boolean => precondition !== 'absent' && precondition !== 'any'
