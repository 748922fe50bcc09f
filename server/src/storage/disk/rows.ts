import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices, yieldToLoop } from '../../concurrency/time-slices.ts'
import { kindByContent } from '../../entries/kinds.ts'
import { linkType, NameList } from '../../entries/name-list.ts'
import { orderOfNames } from '../../entries/name-order.ts'
import { type RowFacts, RowWriter } from '../../entries/row-writer.ts'
import { isByName, orderOf } from '../../entries/sorting.ts'
import type { EntryKind } from '../entry.ts'
import { bytesOf, textOf } from '../exact-names.ts'
import { mostWatchedBelow, type NamesInOrder, type OrderWish, type RowForm, type Rows } from '../folder-rows.ts'
import type { LookedAt, NamedItem } from '../linux/kernel.ts'
import type { Disk } from './disk.ts'
import { type DiskEntry, idOf, kindOf } from './entry.ts'
import { isOwn, type OpenedFolder, readEntries } from './listing.ts'
import { readHeadOf } from './reading.ts'
import { isHidden } from './trees.ts'

/** Nothing where links are among the names: others have to follow them. */
export async function namesInOrder(
  disk: Disk,
  opened: OpenedFolder,
  { sorting, showsDotfiles }: OrderWish,
  signal?: Cancellation,
): Promise<NamesInOrder | undefined> {
  const isMeant = showsDotfiles ? () => true : (name: string) => !name.startsWith('.')
  if (!isByName(sorting)) return inOrderOfFacts(disk, opened, { sorting, isMeant }, signal)
  const names = await readList(disk, opened, isMeant, signal)
  if (names === undefined) return undefined
  return packed(opened, names, await orderOfNames(names, sorting, signal))
}

const packed = ({ stat }: OpenedFolder, names: NameList, order: Iterable<number>): NamesInOrder => ({
  folder: idOf(stat),
  bytes: names.inOrder(order),
  hasSubtitles: names.hasSubtitles,
  folders: names.foldersUpTo(mostWatchedBelow)?.map(textOf),
})

async function readList(
  disk: Disk,
  { fd, stat }: OpenedFolder,
  isMeant: (name: string) => boolean,
  signal: Cancellation | undefined,
): Promise<NameList | undefined> {
  const { kernel, ownFiles } = disk
  const names = new NameList()
  const mayHoldOwn = ownFiles.holds(stat)
  const isReserved = ownFiles.namesIn(stat)
  const areAllSuspect = mayHoldOwn || isReserved !== undefined
  const isSuspect = areAllSuspect ? () => true : ownFiles.hasInode
  let suspects: NamedItem[] = []
  const isShown = (item: NamedItem) => {
    suspects.push(item)
    const mayBeOwn = mayHoldOwn || ownFiles.hasInode(item.inode)
    return isMeant(item.name) && !isHidden(item) && !isReserved?.(item.name) && !(mayBeOwn && isOwn(disk, fd, item))
  }
  while (kernel.readNamesInto(fd, names, { isSuspect, isShown })) {
    disk.orphans?.sawAmong(fd, suspects)
    suspects = []
    if (names.hasLinks) return undefined
    await yieldToLoop()
    signal?.throwIfAborted()
  }
  return names
}

/** By size or time, which every entry has to be looked at for. */
async function inOrderOfFacts(
  disk: Disk,
  opened: OpenedFolder,
  { sorting, isMeant }: { sorting: OrderWish['sorting']; isMeant: (name: string) => boolean },
  signal: Cancellation | undefined,
): Promise<NamesInOrder | undefined> {
  const entries: DiskEntry[] = []
  const take = (part: readonly DiskEntry[]) => {
    for (const entry of part) if (isMeant(entry.name)) entries.push(entry)
  }
  await readEntries(disk, opened, take, { signal, isOnce: true })
  if (entries.some(({ isLink }) => isLink)) return undefined
  const names = new NameList()
  const pause = timeSlices(signal)
  for (const { kind, name, exact = name } of entries) {
    names.add(types[kind], bytesOf(`${exact}\0`), 0)
    const rest = pause()
    if (rest !== undefined) await rest
  }
  return packed(opened, names, await orderOf(entries, sorting, signal))
}

const types: Record<EntryKind, number> = { file: 8, folder: 4, link: linkType, pipe: 1, socket: 12, device: 2 }

/** The names of a list as items of a listing; those that are gone by now are left out. */
export function rowsOf(
  disk: Disk,
  { fd, stat: folder }: OpenedFolder,
  list: Uint8Array<ArrayBuffer>,
  form: RowForm,
): Rows {
  const { kernel, ownFiles } = disk
  // The folder may be another one than that of the list by now, or hold more of the server's own.
  const isReserved = ownFiles.namesIn(folder)
  const bytes = Buffer.from(list.buffer, list.byteOffset, list.length)
  const typeByContent = (name: Uint8Array, size: number) =>
    kindByContent(form.detectsByContent ? readHeadOf(disk, fd, name) : nothing, size)
  const writer = new RowWriter(form.prefix, typeByContent)
  const facts = { kind: 'file', size: 0, mode: 0, seconds: 0, nanoseconds: 0 } as Writable<RowFacts>
  let hasShared = false
  kernel.lookAtNames(fd, list, ({ start, end, type, stat }: LookedAt) => {
    // What has become a link since its name was read is not what was named.
    if (stat !== undefined && (stat.mode >> 12 === linkType || ownFiles.is(stat))) return
    if (isReserved?.(bytes.toString('utf8', start, end))) return
    // What may not be looked at is there nevertheless.
    facts.kind = kindOf(stat?.mode ?? type << 12)
    if (stat !== undefined && stat.links > 1 && facts.kind !== 'folder') hasShared = true
    facts.size = stat?.size ?? 0
    facts.mode = (stat?.mode ?? 0) & 0o7777
    facts.seconds = stat?.seconds ?? 0
    facts.nanoseconds = stat?.nanoseconds ?? 0
    writer.add({ bytes, start, end }, facts)
  })
  return { folder: idOf(folder), bytes: writer.written(), count: writer.count, folders: writer.folders, hasShared }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

const nothing = new Uint8Array()
