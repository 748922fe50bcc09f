import { rootAt } from '../disk/base.ts'
import type { Disk } from '../disk/disk.ts'
import type { DiskStorage, OpenDescriptor } from '../disk/disk-storage.ts'
import { clearDrafts, type DraftLedger, guardHalfWritten, type LeftDraft } from '../disk/drafts.ts'
import type { DiskEntry } from '../disk/entry.ts'
import { foldsCaseBelow } from '../disk/folding.ts'
import { repairHalfWritten } from '../disk/half-written.ts'
import type { DraftDescriptor } from '../disk/kept-drafts.ts'
import { type MoveLedger, restoreSources } from '../disk/moving-sources.ts'
import { discardOrphan, orphansIn } from '../disk/orphans.ts'
import { contentOf, readPart, readWhole } from '../disk/reading.ts'
import type { DiskScopes } from '../disk/scopes.ts'
import { serverFolders } from '../disk/server-folders.ts'
import { isBeingOverwritten } from '../disk/write-lock.ts'
import { fillWith } from '../disk/writing.ts'
import { translated } from '../linux/errno.ts'
import type { Kernel } from '../linux/kernel.ts'
import type { NameFilter } from '../name-filter.ts'
import type { VirtualPath } from '../path.ts'
import { type FindOptions, headLength, type Named } from '../port.ts'
import { type ContentSlots, contentMemory, contentSlots, forGroups } from './content-slots.ts'
import {
  type FileOfThread,
  type FilesInSlot,
  type FilesOfThread,
  type FoundByThread,
  type ListingEnd,
  type OtherRoot,
  type SentPlaces,
  smallContent,
  type VerbCalls,
  type VerbName,
} from './messages.ts'
import { type Numbering, numbering } from './numbered-entries.ts'
import {
  type PackedNames,
  packBytes,
  packEntries,
  packHeads,
  packNames,
  unpackBytes,
  unpackNames,
  unpackPlaces,
} from './packing.ts'
import type { Running } from './running.ts'
import { watching } from './transfers.ts'

/** What the verbs of a thread work with. */
export interface Adapter {
  readonly thread: number
  readonly slots: ContentSlots
  readonly disk: Disk
  /** Makes all calls in this thread, also those for which the disk adapter asks another one. */
  readonly kernel: Kernel
  readonly scopes: DiskScopes
  /** The same disk, with another root. */
  diskOf(root: OtherRoot): Disk
  readonly root: string
  readonly ledger: DraftLedger
  readonly moves: MoveLedger
  /** Unix seconds. */
  now(): number
  /** The event loop fills an open draft with what arrives, syncs one that it has filled, logs a file that came back. */
  fill(token: number, draft: number): Promise<void>
  secure(token: number): Promise<void>
  recovered(file: string): void
}

interface Context {
  readonly storage: DiskStorage
  readonly running: Running
  readonly adapter: Adapter
}

type Verbs = {
  [V in VerbName]: (context: Context, ...args: Parameters<VerbCalls[V]>) => Promise<ReturnType<VerbCalls[V]>>
}

/** The verbs of one thread, with the state that belongs to it. */
export function verbsOf(): Verbs {
  const numberOf = numbering()
  const groups = groupSlots()
  /** By descriptor: that of a draft which a thread had open when it ended stays open, and is no other draft's. */
  const drafts = new Map<number, DraftDescriptor>()

  function requireDraft(fd: number): DraftDescriptor {
    const draft = drafts.get(fd)
    if (draft === undefined) throw new Error('The draft is not open')
    return draft
  }

  return {
    stat: ({ storage }, path) => storage.stat(path),
    list: (context, folder, isOnce) => list(context, folder, isOnce ? undefined : numberOf),
    names,
    describe: async ({ storage, running }, folder, named) =>
      packEntries(await storage.describe(folder, unpackNames(named), running)),
    namesInOrder: async ({ storage, running }, folder, wish) =>
      (await storage.namesInOrder(folder, wish, running)) ?? null,
    rowsOf: ({ storage }, folder, names, form) => storage.rowsOf(folder, names, form),
    visitBelow,
    peek: async ({ storage, running }, folder, names) => packHeads(names, await storage.peek(folder, names, running)),
    readFiles,
    readInPlaces: (context, folder, places) => readInPlaces(context, groups, folder, places),
    open,
    async readHead({ storage }, file) {
      const { entry, head } = await storage.readHead(file)
      return { entry, head: packBytes(head) }
    },
    read: async (_, fd, start, length) => translated(async () => readPart(fd, start, length)),
    find: (context, path, lists, largestOpened, mostListed) =>
      find(context, path, { lists, largestOpened, mostListed }, numberOf),
    write: ({ storage, adapter }, file, content, options) =>
      storage.writeWith(
        file,
        (draft) => fillWith(adapter.disk.kernel, draft, unpackBytes(content), options.length),
        options,
      ),
    writeFilled: ({ storage, adapter }, file, token, options) =>
      storage.writeWith(file, (draft) => adapter.fill(token, draft), options),
    beginDraft: ({ storage }, file, id, options) => storage.beginDraft(file, id, options),
    async openDraft({ storage }, file, id, access) {
      const draft = await storage.draftDescriptor(file, id, access)
      drafts.set(draft.fd, draft)
      return { fd: draft.fd, size: draft.size }
    },
    commitDraft: async ({ adapter }, fd, size, options, token) =>
      requireDraft(fd).commit(size, options, () => adapter.secure(token)),
    async closeDraft(_, fd) {
      const draft = requireDraft(fd)
      drafts.delete(fd)
      draft.close()
    },
    completeDraft: ({ storage }, file, id, { offset, bytes }, options) =>
      storage.completeDraft(file, id, { offset, bytes: unpackBytes(bytes) }, options),
    dropDraft: ({ storage }, file, id) => storage.dropDraft(file, id),
    fill: ({ storage }, folder, entries) => storage.fill(folder, entries),
    secure: ({ storage }, folder) => storage.secure(folder),
    createFolder: ({ storage }, folder, options) => storage.createFolder(folder, options),
    rename: ({ storage, running }, from, to, options) => storage.rename(from, to, watching(running, options)),
    copy: ({ storage, running }, from, to, options) => storage.copy(from, to, watching(running, options)),
    stage: ({ storage, running }, kind, from, to, options) => storage.stage(kind, from, to, watching(running, options)),
    transferTo: ({ storage, running, adapter }, kind, from, to, options) =>
      storage.transferTo(kind, from, otherEnd(adapter, to), watching(running, options)),
    stageTo: ({ storage, running, adapter }, kind, from, to, options) =>
      storage.stageTo(kind, from, otherEnd(adapter, to), watching(running, options)),
    publish: ({ storage }, to, id, options) => storage.publish(to, id, options),
    unstage: ({ storage }, to, id, options) => storage.unstage(to, id, options),
    remove: ({ storage, running }, path, options) => storage.remove(path, watching(running, options)),
    keepPlace: async ({ storage }, path, keep) => (await storage.keepPlace(path, keep)) ?? null,
    keptIn: ({ storage, running }, top) => storage.keptIn(top, (found) => running.send(found), running),
    restore: ({ storage, running }, place, to, options) => storage.restore(place, to, watching(running, options)),
    purge: ({ storage, running }, place, isWatched) => storage.purge(place, watching(running, { isWatched })),
    exact: ({ storage }, path) => storage.exact(path),
    resolve: ({ storage }, path) => storage.resolve(path),
    usage: ({ storage }, folder) => storage.usage(folder),

    openFolder: ({ adapter }, scope, folder) => adapter.scopes.openFolderDescriptor(scope, folder),
    watchFolder: ({ storage }, folder, inotify, part) => storage.watchFolder(folder, inotify, part),
    isVolumeGone: async ({ adapter }) => adapter.scopes.isVolumeGone(),
    foldsCase: async ({ adapter }) => foldsCaseBelow(adapter.root)(),

    inspectFolder: ({ adapter }, path) => serverFolders(adapter.kernel).inspectFolder(path),
    inspectPlaces: ({ adapter }, paths) => serverFolders(adapter.kernel).inspectPlaces(paths),
    foldersIn: ({ adapter }, path, within) => serverFolders(adapter.kernel).foldersIn(path, within),
    namesIn: ({ adapter }, paths) => serverFolders(adapter.kernel).namesIn(paths),
    timesOf: ({ adapter }, paths) => serverFolders(adapter.kernel).timesOf(paths),
    textsOf: ({ adapter }, paths) => serverFolders(adapter.kernel).textsOf(paths),

    clearDrafts: ({ adapter }, left) => clearDrafts(adapter.disk.kernel, knowing(adapter, left), adapter),
    guardHalfWritten: ({ adapter }, left) => guardHalfWritten(adapter.disk.kernel, knowing(adapter, left), adapter),
    repairHalfWritten: () => repairHalfWritten(),
    restoreSources: ({ adapter }, left) =>
      restoreSources(adapter.disk.kernel, { ...adapter.moves, leftBehind: async () => left }),
    orphansIn: ({ adapter }, folder, least) => orphansIn(adapter.disk.kernel, folder, { now: adapter.now(), least }),
    discardOrphan: ({ adapter }, place, least) =>
      discardOrphan(adapter.disk.kernel, place, { now: adapter.now(), least }),

    copyRange: ({ adapter }, ...range) => adapter.kernel.copyRange(...range),
    syncFileSystem: ({ adapter }, fd) => adapter.kernel.syncFileSystem(fd),
  }
}

function otherEnd(adapter: Adapter, { root, path, ...facts }: OtherRoot) {
  const disk = adapter.diskOf({ root, path, ...facts })
  return { root: { disk, begin: rootAt(disk, root) }, path }
}

const largestPart = 1000
/** Names are small, and so is the work on each. */
const mostNames = 4000

async function list(context: Context, path: VirtualPath, numberOf?: Numbering): Promise<ListingEnd> {
  const { storage, running } = context
  const sending = sendingEntries(context)
  const folder = await storage.listInto(path, sending.take, running, numberOf === undefined)
  return { folder, ...sending.end(numberOf) }
}

async function names({ storage, running }: Context, folder: VirtualPath, filter?: NameFilter): Promise<PackedNames> {
  let held: Named[] = []
  await storage.namesInto(
    folder,
    (names) => {
      held.push(...names)
      if (held.length < mostNames) return undefined
      const full = held
      held = []
      return running.send(packNames(full))
    },
    running,
    filter,
  )
  return packNames(held)
}

async function readFiles(
  { storage }: Context,
  folder: VirtualPath,
  names: readonly string[],
  room: number,
): Promise<FilesOfThread> {
  const { entries, bytes } = await storage.readWholeFiles(folder, names, room)
  const unread = entries.flatMap((entry, at) => (entry === undefined ? [at] : []))
  return { files: packEntries(entries.filter((entry) => entry !== undefined)), unread, bytes }
}

/** Most threads read nothing for archives, so the memory for that is made when it is wanted, and told of with its first slot. */
function groupSlots() {
  let slots: ContentSlots | undefined
  let untold: SharedArrayBuffer | undefined
  return {
    take(length: number): { number: number; bytes: Uint8Array } | undefined {
      if (length > forGroups.length) return undefined
      if (slots === undefined) {
        untold = contentMemory(forGroups)
        slots = contentSlots(untold, forGroups)
      }
      const number = slots.take()
      return number === undefined ? undefined : { number, bytes: slots.memoryOf(number, length) }
    },
    release: (number: number): void => slots?.release(number),
    toTell(): { memory?: SharedArrayBuffer } {
      const memory = untold
      untold = undefined
      return memory === undefined ? {} : { memory }
    },
  }
}

async function readInPlaces(
  { storage, adapter }: Context,
  groups: ReturnType<typeof groupSlots>,
  folder: VirtualPath,
  sent: SentPlaces,
): Promise<FilesInSlot> {
  const taken = groups.take(sent.size)
  const bytes = taken === undefined ? new Uint8Array(sent.size) : undefined
  try {
    const read = await storage.readFilesInto(folder, unpackPlaces(sent), taken?.bytes ?? (bytes as Uint8Array))
    const checksums = read.map((checksum) => checksum ?? null)
    if (taken === undefined) return { checksums, ...(bytes && { bytes }) }
    return { checksums, slot: { thread: adapter.thread, number: taken.number, ...groups.toTell() } }
  } catch (error) {
    if (taken !== undefined) groups.release(taken.number)
    throw error
  }
}

async function open(context: Context, file: VirtualPath): Promise<FileOfThread> {
  const opened = await context.storage.openDescriptor(file)
  return readSmall(context.adapter, opened) ?? open(context, file)
}

async function find(
  context: Context,
  path: VirtualPath,
  options: Pick<FindOptions, 'lists' | 'largestOpened' | 'mostListed'>,
  numberOf: Numbering,
): Promise<FoundByThread> {
  const { storage, running, adapter } = context
  const { lists, largestOpened, mostListed } = options
  const sending = lists ? sendingEntries(context) : undefined
  const found = await storage.findDescriptor(path, { take: sending?.take, largestOpened, mostListed, signal: running })
  if (found.fd !== undefined) return readSmall(adapter, found) ?? find(context, path, options, numberOf)
  const { entry, isListed } = found
  return { entry, ...(isListed && { isListed, ...sending?.end(numberOf) }) }
}

/**
 * One look at the disk is enough for a small file. One that cannot be read is told of by the descriptor. Nothing where it
 * was overwritten while it was read: then it is opened again, which waits for that.
 */
function readSmall(adapter: Adapter, { fd, entry, links }: OpenDescriptor): FileOfThread | undefined {
  const { kernel } = adapter.disk
  const content = entry.size <= smallContent ? readContent(adapter, fd, entry.size) : undefined
  const isMixed = isBeingOverwritten(fd, { links })
  if (content === undefined && !isMixed) {
    const head = contentOf(fd, Math.min(entry.size, headLength))
    return { fd, entry, ...(head && { head: packBytes(head) }) }
  }
  kernel.close(fd)
  if (!isMixed && content !== undefined) return { entry, ...content }
  if (content?.slot !== undefined) adapter.slots.release(content.slot.number)
  return undefined
}

/** In bytes: fewer are sent with less work than memory that is shared takes. */
const leastInSlot = 1024

/** Nothing where it cannot be read. */
function readContent(
  { thread, slots }: Adapter,
  fd: number,
  size: number,
): Pick<FileOfThread, 'bytes' | 'slot'> | undefined {
  const number = size > leastInSlot ? slots.take() : undefined
  if (number === undefined) {
    const bytes = contentOf(fd, size)
    return bytes && { bytes: packBytes(bytes) }
  }
  if (readWhole(fd, slots.memoryOf(number, size))) return { slot: { thread, number } }
  slots.release(number)
  return undefined
}

/** Sends the entries of a folder as they are read, but those of a small one with the answer. */
function sendingEntries({ running, adapter }: Context) {
  let held: readonly DiskEntry[] | undefined
  let count = 0
  const send = async (entries: readonly DiskEntry[]) => {
    for (let at = 0; at < entries.length; at += largestPart) {
      const packed = packEntries(entries.slice(at, at + largestPart))
      await running.send(packed, [packed.numbers.buffer])
    }
  }
  return {
    take(entries: readonly DiskEntry[]): Promise<void> | undefined {
      count += 1
      if (count === 1 && entries.length < largestPart) {
        held = entries
        return undefined
      }
      const first = held ?? []
      held = undefined
      return send(first).then(() => send(entries))
    },
    end(numberOf?: Numbering): Pick<ListingEnd, 'small' | 'once'> {
      if (held === undefined) return {}
      if (numberOf === undefined) return { once: packEntries(held) }
      return { small: { thread: adapter.thread, ...numberOf(held) } }
    },
  }
}

async function visitBelow({ storage, running }: Context, folder: VirtualPath): Promise<void> {
  const found: VirtualPath[] = []
  await storage.visitBelow(folder, (path) => {
    running.throwIfAborted()
    found.push(path)
  })
  for (let at = 0; at < found.length; at += largestPart) await running.send(found.slice(at, at + largestPart))
}

/** The rows that the event loop has chosen for this thread. */
const knowing = ({ ledger }: Adapter, left: readonly LeftDraft[]): DraftLedger => ({
  ...ledger,
  leftBehind: async () => left,
})
