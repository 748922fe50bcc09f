import { crc32 } from 'node:zlib'
import { nameOf } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { prefetch } from '../concurrency/prefetch.ts'
import { parentOf, type VirtualPath } from '../storage/path.ts'
import type { Entry, Places, WholeFile } from '../storage/port.ts'
import { isUnavailable, type Member } from './members.ts'

/** So much of an archive is put together at once, and so many pieces of it ahead of the one in use. Of more it takes as long. */
const pieceSize = 524_288
const piecesAhead = 2
/** What cannot be read together with others, such as symlinks, is opened: so many at a time. */
const openedAtOnce = 8

/** A member of an archive in which contents are stored as they are. */
export interface Placed {
  readonly member: Member
  /** Is it a small file whose content is wanted? */
  readonly isRead: boolean
  /** How many bytes it takes before and besides that content. Undefined for what is not put together with others. */
  readonly around: number | undefined
}

export interface PlacedFile {
  readonly entry: Entry
  /** Its CRC-32. */
  readonly checksum: number
}

/** Members that follow each other in an archive, and memory for all of their bytes. */
interface Piece<Item> {
  readonly items: readonly Item[]
  /** By the index of the item: those that were read. Their contents are at the end of the room of their members. */
  readonly files: readonly (PlacedFile | undefined)[]
  /** Holds anything where no content was read to, and is used again when the next piece is asked for. */
  readonly memory: Buffer
}

/** The small files of a group lie in one folder. */
interface Group<Item> {
  readonly items: Item[]
  readonly isApart: boolean
  folder: VirtualPath | undefined
  size: number
}

/**
 * Reads small files to where they will be in the archive, before their turn comes. Then nothing is copied, and the memory
 * is the same for all: new memory for each piece would have the event loop and the thread collect garbage all the time.
 * `open` reads what does not come that way, as long as it was announced.
 */
export async function* placed<Item extends Placed>(
  scope: Scope,
  runs: AsyncIterable<readonly Item[]>,
  open: (item: Item) => Promise<WholeFile>,
): AsyncGenerator<Piece<Item>> {
  const held = new Set<HeldPiece<Item>>()
  const memory = memoryUsedAgain()

  async function read({ items, folder }: Group<Item>): Promise<HeldPiece<Item>[]> {
    const pieces: HeldPiece<Item>[] = []
    for (let from = 0; from < items.length; ) {
      const piece = await readPiece(scope, folder, items.slice(from), memory)
      held.add(piece)
      pieces.push(piece)
      from += piece.items.length
      await openOthers(piece, open)
    }
    return pieces
  }

  try {
    for await (const { result: pieces } of prefetch(groupsOf(runs), read, piecesAhead + 1))
      for (const piece of pieces) {
        yield piece
        held.delete(piece)
        piece.release()
      }
  } finally {
    for (const { release } of held) release()
  }
}

interface HeldPiece<Item> extends Piece<Item> {
  readonly files: (PlacedFile | undefined)[]
  /** Where members end in the memory. */
  readonly ends: readonly number[]
  release(): void
}

async function* groupsOf<Item extends Placed>(runs: AsyncIterable<readonly Item[]>): AsyncGenerator<Group<Item>> {
  for await (const run of runs) {
    let group: Group<Item> | undefined
    for (const item of run) {
      const size = sizeOf(item)
      const isApart = item.around === undefined
      const folder = isReadHere(item) ? parentOf(item.member.path) : undefined
      const fits =
        group !== undefined &&
        group.isApart === isApart &&
        group.size + size <= pieceSize &&
        (folder === undefined || (group.folder ?? folder) === folder)
      if (group !== undefined && !fits) {
        yield group
        group = undefined
      }
      group ??= { items: [], isApart, folder: undefined, size: 0 }
      group.folder ??= folder
      group.size += size
      group.items.push(item)
    }
    if (group !== undefined) yield group
  }
}

/** A symlink leads to another folder. */
const isReadHere = ({ isRead, member }: Placed): boolean => isRead && !member.entry.isLink

const sizeOf = ({ around, isRead, member }: Placed): number =>
  around === undefined ? 0 : around + (isRead ? member.entry.size : 0)

type Memory = ReturnType<typeof memoryUsedAgain>

/** As many of the items as come in one moment, with all that lies between them. */
async function readPiece<Item extends Placed>(
  scope: Scope,
  folder: VirtualPath | undefined,
  items: readonly Item[],
  memory: Memory,
): Promise<HeldPiece<Item>> {
  const ends: number[] = []
  const wanted: number[] = []
  const [names, entries, starts]: [string[], Entry[], number[]] = [[], [], []]
  let size = 0
  for (const [index, item] of items.entries()) {
    size += sizeOf(item)
    ends.push(size)
    if (!isReadHere(item)) continue
    const { path, entry } = item.member
    wanted.push(index)
    names.push(nameOf(path))
    entries.push(entry)
    starts.push(size - entry.size)
  }
  const files: (PlacedFile | undefined)[] = items.map(() => undefined)
  const isEmpty = folder === undefined || names.length === 0
  const read = isEmpty ? undefined : await readTogether(scope, folder, { names, entries, starts, size }, memory)
  if (read === undefined) return { items, files, ends, ...memory.take(size) }
  for (const [index, file] of read.files.entries()) files[wanted[index] as number] = file
  const count = wanted[read.files.length]
  if (count === undefined) return { items, files, ends, memory: read.memory, release: read.release }
  // A slow disk may read a file at a time, and each piece would hold memory for all that are left.
  const taken = memory.take(ends[count - 1] as number)
  read.memory.copy(taken.memory, 0, 0, ends[count - 1])
  read.release()
  return { items: items.slice(0, count), files, ends, ...taken }
}

interface ReadTogether {
  /** The first ones, at least one. */
  readonly files: readonly (PlacedFile | undefined)[]
  readonly memory: Buffer
  release(): void
}

/** As far as they come: why the others do not is told when they are opened. */
async function readTogether(
  scope: Scope,
  folder: VirtualPath,
  places: Places,
  own: Memory,
): Promise<ReadTogether | undefined> {
  try {
    const read = await scope.readInPlaces(folder, places)
    if (read === undefined) return await readAndPlace(scope, folder, places, own)
    const { checksums, release } = read
    const files = checksums.map((checksum, at) =>
      checksum === undefined ? undefined : { entry: places.entries[at] as Entry, checksum },
    )
    const memory = Buffer.from(read.memory.buffer, read.memory.byteOffset, read.memory.length)
    return { files, memory, release }
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}

/** For a storage that reads into memory of its own. A listing may tell other times than the files have. */
async function readAndPlace(
  scope: Scope,
  folder: VirtualPath,
  { names, entries, starts, size }: Places,
  own: Memory,
): Promise<ReadTogether> {
  const room = entries.reduce((sum, entry) => sum + entry.size, 0)
  const read = await scope.readFiles(folder, names, room)
  const taken = own.take(size)
  const files = read.map((file, index) => {
    const listed = entries[index] as Entry
    if (file === undefined || !file.entry.isSameAs(listed) || file.bytes.length !== listed.size) return undefined
    taken.memory.set(file.bytes, starts[index])
    return { entry: file.entry, checksum: crc32(file.bytes) }
  })
  return { files, ...taken }
}

/** Is it the same file, as it was? */
export const isUnchanged = (now: Entry, before: Entry): boolean =>
  now.isSameAs(before) &&
  now.seconds === before.seconds &&
  now.nanoseconds === before.nanoseconds &&
  now.size === before.size

async function openOthers<Item extends Placed>(
  { items, files, ends, memory }: HeldPiece<Item>,
  open: (item: Item) => Promise<WholeFile>,
): Promise<void> {
  const others = items.entries().filter(([index, { isRead }]) => isRead && files[index] === undefined)
  for await (const { item, result } of prefetch(others, ([, other]) => open(other), openedAtOnce)) {
    const [index, { member }] = item
    memory.set(result.bytes, (ends[index] as number) - member.entry.size)
    files[index] = { entry: result.entry, checksum: crc32(result.bytes) }
  }
}

/** For one archive. */
function memoryUsedAgain() {
  const free: Buffer[] = []
  return {
    take(size: number): { memory: Buffer; release(): void } {
      const memory = free.pop() ?? Buffer.alloc(0)
      const large =
        memory.length < size ? Buffer.allocUnsafeSlow(Math.max(size, Math.min(2 * size, pieceSize))) : memory
      return { memory: large, release: () => void free.push(large) }
    },
  }
}
