import type { Cancellation } from '../../concurrency/cancellation.ts'
import { isByName } from '../../entries/sorting.ts'
import { Failure } from '../../failure.ts'
import { DiskEntry } from '../disk/entry.ts'
import { type DraftDescriptor, openDraftOver } from '../disk/kept-drafts.ts'
import { fileInMemory, fileInPassing, openFile } from '../disk/reading.ts'
import { diskCapabilities } from '../disk/storage.ts'
import { receive } from '../disk/writing.ts'
import type { Entry } from '../entry.ts'
import type { OrderWish } from '../folder-rows.ts'
import { translated } from '../linux/errno.ts'
import { closeBeside, fileCalls } from '../linux/file-calls.ts'
import type { NameFilter } from '../name-filter.ts'
import { keptPath, type VirtualPath } from '../path.ts'
import type { FileHead, FindOptions, Found, Named, OpenFile, Storage, WriteOptions } from '../port.ts'
import { StreamedContent } from '../streamed-content.ts'
import { wholeFilesOf } from '../whole-files.ts'
import type { CallOptions } from './lane.ts'
import {
  type Base,
  type FileOfThread,
  type FilesInSlot,
  type ListingEnd,
  smallContent,
  type Task,
  type VerbCalls,
  type VerbName,
} from './messages.ts'
import type { SentEntries } from './numbered-entries.ts'
import {
  type PackedEntries,
  type PackedNames,
  packBytes,
  packNames,
  packPlaces,
  unpackBytes,
  unpackEntries,
  unpackHeads,
  unpackNames,
} from './packing.ts'
import { inPieces } from './pieces.ts'
import type { Pool } from './pool.ts'
import type { RecentFolders } from './recent-folders.ts'
import type { SharedLooks } from './shared-looks.ts'
import { threadedStores } from './stores.ts'
import { threadedTransfers } from './transfers.ts'
import type { UnchangedNames } from './unchanged-names.ts'

/** What the event loop does for its threads while they write: by a number that each task brings along. */
export interface Fillings {
  add(work: Filling): { token: number; remove(): void }
  run(token: number, draft: number): Promise<unknown>
}

/** Fills or syncs an open draft. */
type Filling = (draft: number) => Promise<unknown>

export function fillings(): Fillings {
  const works = new Map<number, Filling>()
  let last = 0
  return {
    add(work) {
      last += 1
      const token = last
      works.set(token, work)
      return { token, remove: () => void works.delete(token) }
    },
    async run(token, draft) {
      const work = works.get(token)
      if (work === undefined) throw new Failure('incomplete', 'The request is over')
      return work(draft)
    },
  }
}

export interface ThreadedParts {
  pool: Pool
  fillings: Fillings
  /** The full name of the root without symlinks, in which all paths begin. */
  root: string
  foldsCase(): boolean
  sent: SentEntries
  folders: SharedLooks<Found>
  heads: SharedLooks<FileHead>
  /** What is kept while the kernel tells of no change; undefined where it cannot be asked. */
  recent?: RecentFolders | undefined
  unchanged?: UnchangedNames | undefined
}

/** The storage of one base, with all that may wait for a disk done by threads. */
export function threadedStorage(parts: ThreadedParts, base: Base): Storage {
  const { pool, fillings, root } = parts
  const baseFolder = [base.scope, ...base.below].map((folder) => (folder === '/' ? '' : folder)).join('')
  const place = `${root}${baseFolder}`
  const task = <V extends VerbName>(verb: V, ...args: Parameters<VerbCalls[V]>): Task<V> => ({ verb, base, args })
  const nameOf = (path: string) => `${place}${path}`
  /** Undefined where it is too long to be one path. */
  function belowRoot(path: VirtualPath): VirtualPath | undefined {
    try {
      return keptPath(`${baseFolder}${path}`)
    } catch {
      return undefined
    }
  }
  // Not the name: from another base the same name may lead through a symlink that is followed here.
  const baseKey = [base.scope, ...base.below, ''].join('\0')

  const ask = <V extends VerbName>(options: CallOptions, verb: V, path: VirtualPath, ...rest: unknown[]) =>
    pool.readers.run(nameOf(path), task(verb, ...([path, ...rest] as Parameters<VerbCalls[V]>)), options)
  const change = <V extends VerbName>(verb: V, path: VirtualPath, ...rest: unknown[]) =>
    pool.changerFor(nameOf(path)).run(nameOf(path), task(verb, ...([path, ...rest] as Parameters<VerbCalls[V]>)))

  /** Where content is read. Only the thread that changes a half-written file knows that it is one. */
  const lookLane = (path: VirtualPath) => (pool.knowsHalfWritten() ? pool.changerFor(nameOf(path)) : pool.readers)

  /** A path that turns out to lead through a symlink is tried again, with the same bytes. */
  const collected = new WeakMap<AsyncIterable<Uint8Array>, Promise<Uint8Array<ArrayBuffer>>>()
  const collect = (bytes: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const content = collected.get(bytes) ?? readAll(bytes, length)
    collected.set(bytes, content)
    return content
  }

  function fileOf(path: VirtualPath, entry: DiskEntry, { fd, bytes, slot, head }: FileOfThread): OpenFile | undefined {
    if (bytes !== undefined) return fileInMemory(unpackBytes(bytes), entry)
    if (slot !== undefined) return fileInSlot(entry, slot)
    if (fd === undefined) return undefined
    const name = nameOf(path)
    const read = (start: number, length: number) => pool.readers.run(name, task('read', fd, start, length))
    const isRemote = pool.isRemote(name, entry.device)
    const content = isRemote ? new StreamedContent(inPieces(read), 0, entry.size, `/proc/self/fd/${fd}`) : undefined
    return openFile(fd, entry, () => closeBeside(fd), {
      head: head === undefined ? undefined : unpackBytes(head),
      content,
    })
  }

  function fileInSlot(entry: DiskEntry, { thread, number }: NonNullable<FileOfThread['slot']>): OpenFile {
    const slots = pool.slotsOf(thread) ?? impossible()
    return fileInPassing(slots.memoryOf(number, entry.size), entry, () => slots.release(number))
  }

  function closeLate(opened: unknown): void {
    const { fd, slot } = opened as FileOfThread
    if (fd !== undefined) closeBeside(fd)
    if (slot !== undefined) pool.slotsOf(slot.thread)?.release(slot.number)
  }

  function groupSlotOf({ thread, number, memory }: NonNullable<FilesInSlot['slot']>) {
    return { number, slots: pool.groupSlotsOf(thread, memory) ?? impossible() }
  }

  /** Behind answers that came before it: one of them may have told of the memory. */
  const releaseGroup = (read: unknown) =>
    queueMicrotask(() => {
      const { slot } = read as FilesInSlot
      if (slot !== undefined) pool.groupSlotsOf(slot.thread, slot.memory)?.release(slot.number)
    })

  /** Behind answers that came before it: they may refer to what this one replaces. */
  const takeIn = (late: unknown) => queueMicrotask(() => void parts.sent.entriesOf(late as ListingEnd))

  // As text, a task has no number that is not finite.
  async function find(path: VirtualPath, options: FindOptions): Promise<Found> {
    const { lists, largestOpened = Number.MAX_SAFE_INTEGER, mostListed = Number.MAX_SAFE_INTEGER, signal } = options
    const entries: Entry[] = []
    // A small folder comes in one, without parts.
    const part = (packed: PackedEntries) => void unpackEntries(packed, entries)
    const restart = () => void entries.splice(0)
    const late = (found: unknown) => {
      takeIn(found)
      closeLate(found)
    }
    const found = await lookLane(path).run(nameOf(path), task('find', path, lists, largestOpened, mostListed), {
      signal,
      part,
      restart,
      late,
    })
    const entry = new DiskEntry(found.entry)
    const file = fileOf(path, entry, found)
    if (file !== undefined) return { entry, file }
    return found.isListed ? { entry, entries: parts.sent.entriesOf(found) ?? entries } : { entry }
  }

  function findFolder(path: VirtualPath, options: FindOptions): Promise<Found> {
    const key = `${baseKey}${path}\0${options.mostListed}`
    const look = () => find(path, options)
    const { recent } = parts
    if (recent === undefined || pool.knowsHalfWritten()) return parts.folders.share(key, look)
    const known = recent.known(key)
    return known === undefined
      ? parts.folders.share(key, () => recent.read(key, () => belowRoot(path), look))
      : Promise.resolve(known)
  }

  async function namesInOrder(path: VirtualPath, wish: OrderWish, signal?: Cancellation) {
    const names = async () => (await ask({ signal }, 'namesInOrder', path, wish)) ?? undefined
    const { sorting, showsDotfiles } = wish
    const key = `${baseKey}${path}\0${sorting.by} ${sorting.asc} ${showsDotfiles}`
    const place = belowRoot(path)
    // An order by size or time changes also by what is told of no folder: what is written to a file by another name of it.
    if (parts.unchanged === undefined || place === undefined || !isByName(sorting)) return names()
    return parts.unchanged.read(key, place, names)
  }

  async function readHead(path: VirtualPath): Promise<FileHead> {
    const { entry, head } = await lookLane(path).run(nameOf(path), task('readHead', path))
    return { entry: new DiskEntry(entry), head: unpackBytes(head) }
  }

  return {
    capabilities: diskCapabilities(parts.foldsCase),

    stat: async (path) => new DiskEntry(await ask({}, 'stat', path)),

    async list(path, signal, { isOnce = false, hold } = {}) {
      const entries: Entry[] = []
      const part = (packed: PackedEntries) => {
        if (entries.length === 0) hold?.()
        unpackEntries(packed, entries)
      }
      const restart = () => void entries.splice(0)
      const end = await ask({ signal, part, restart, late: takeIn }, 'list', path, isOnce)
      const small = end.once === undefined ? parts.sent.entriesOf(end) : unpackEntries(end.once)
      return { folder: new DiskEntry(end.folder), entries: small ?? entries }
    },

    async names(path, signal, { filter, hold } = {}) {
      const names: Named[] = []
      const part = (packed: PackedNames) => {
        if (names.length === 0) hold?.()
        names.push(...unpackNames(packed))
      }
      const restart = () => void names.splice(0)
      const filters = isShort(filter) ? [filter] : []
      const rest = unpackNames(await ask({ signal, part, restart }, 'names', path, ...filters))
      if (names.length === 0) return rest
      names.push(...rest)
      return names
    },

    describe: async (path, named, signal) => unpackEntries(await ask({ signal }, 'describe', path, packNames(named))),

    rows: {
      namesInOrder,
      rowsOf: (path, names, form, signal) => ask({ signal }, 'rowsOf', path, names, form),
    },

    async visitBelow(path, visit) {
      let refusal: { error: unknown } | undefined
      const signal = {
        throwIfAborted() {
          if (refusal !== undefined) throw refusal.error
        },
      }
      const part = (paths: readonly VirtualPath[]) => {
        try {
          if (refusal === undefined) for (const found of paths) visit(found)
        } catch (error) {
          refusal = { error }
        }
      }
      await ask({ signal, part, restart() {} }, 'visitBelow', path).catch((error: unknown) => {
        throw refusal === undefined ? error : refusal.error
      })
      signal.throwIfAborted()
    },

    peek: async (path, names, signal) => unpackHeads(names, await ask({ signal }, 'peek', path, names)),

    async readFiles(path, names, room) {
      const { files, unread, bytes } = await lookLane(path).run(nameOf(path), task('readFiles', path, names, room))
      const entries: (Entry | undefined)[] = unpackEntries(files)
      for (const at of unread) entries.splice(at, 0, undefined)
      return wholeFilesOf({ entries, bytes })
    },

    async readInPlaces(path, places) {
      const sent = packPlaces(places)
      if (sent === undefined) return undefined
      const read = await lookLane(path).run(nameOf(path), task('readInPlaces', path, sent), { late: releaseGroup })
      const checksums = read.checksums.map((checksum) => checksum ?? undefined)
      if (read.slot === undefined) return { checksums, memory: read.bytes ?? impossible(), release() {} }
      const { number, slots } = groupSlotOf(read.slot)
      return { checksums, memory: slots.memoryOf(number, places.size), release: () => slots.release(number) }
    },

    async open(path) {
      const opened = await lookLane(path).run(nameOf(path), task('open', path), { late: closeLate })
      return fileOf(path, new DiskEntry(opened.entry), opened) ?? impossible()
    },

    readHead: (path) => parts.heads.share(`${baseKey}${path}`, () => readHead(path)),

    find: (path, options) => (options.lists ? findFolder(path, options) : find(path, options)),

    async write(path, bytes, options) {
      const { length = Number.POSITIVE_INFINITY } = options
      if (length <= smallContent)
        return new DiskEntry(await change('write', path, packBytes(await collect(bytes, length)), plain(options)))
      const filling = fillings.add((draft) => translated(() => receive(fileCalls, draft, bytes, options.length)))
      try {
        return new DiskEntry(await change('writeFilled', path, filling.token, plain(options)))
      } finally {
        filling.remove()
      }
    },

    beginDraft: (path, id, options) => change('beginDraft', path, id, { ...plain(options), isLater: options.isLater }),

    async openDraft(path, id, access = {}) {
      const lane = pool.changerFor(nameOf(path))
      const unpin = lane.pin()
      try {
        const { fd, size } = await lane.run(nameOf(path), task('openDraft', path, id, access))
        const descriptor: DraftDescriptor = {
          fd,
          size,
          async commit(length, options, secure) {
            const filling = fillings.add(() => secure())
            try {
              const commit = task('commitDraft', fd, length, plain(options), filling.token)
              return new DiskEntry(await lane.run(nameOf(path), commit))
            } finally {
              filling.remove()
            }
          },
          close() {
            void lane
              .run(nameOf(path), task('closeDraft', fd))
              .catch(() => {})
              .finally(unpin)
          },
        }
        return openDraftOver(fileCalls, descriptor, access)
      } catch (error) {
        unpin()
        throw error
      }
    },

    completeDraft: async (path, id, { offset, bytes }, options) =>
      new DiskEntry(await change('completeDraft', path, id, { offset, bytes: packBytes(bytes) }, plain(options))),

    dropDraft: (path, id) => change('dropDraft', path, id),
    fill: (path, entries) => change('fill', path, entries),
    secure: (path) => change('secure', path),
    createFolder: (path, { keep } = {}) => change('createFolder', path, { keep }),
    ...threadedTransfers(pool, nameOf, task),
    ...threadedStores(pool, root, base),
    exact: (path) => ask({}, 'exact', path),
    resolve: (path) => ask({}, 'resolve', path),
    usage: (path) => ask({}, 'usage', path),
    beneath: (folder) => threadedStorage(parts, { ...base, below: [...base.below, folder] }),
  }
}

function impossible(): never {
  throw new Error('A thread opened a file and sent neither its bytes nor its descriptor')
}

/** In characters: a long filter would be sent for every folder of a tree. */
const longestFilter = 1000

const isShort = (filter: NameFilter | undefined): filter is NameFilter =>
  filter !== undefined && [...filter.words, ...filter.types].join().length <= longestFilter

const plain = ({ precondition, length, modified, keep }: WriteOptions): WriteOptions => ({
  precondition,
  length,
  modified,
  keep,
})

/** All of a small content; what is missing of it is told by the thread. */
async function readAll(bytes: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(length)
  let size = 0
  for await (const piece of bytes) {
    if (size + piece.length > length) throw new Failure('invalid', 'more bytes came than were announced')
    content.set(piece, size)
    size += piece.length
  }
  return content.subarray(0, size)
}
