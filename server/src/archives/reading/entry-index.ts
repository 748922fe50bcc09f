import { isAscii, isUtf8 } from 'node:buffer'
import type { NameEncoding } from '@filestead/contract'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { decodedAnyhow, guessEncoding } from './encodings.ts'
import { limits, tooManyEntries } from './limits.ts'
import { isPlainPath, safeName } from './names.ts'

/** What an archive says about one of its entries. */
export interface EntryHeader {
  readonly name: Uint8Array
  /** The archive says so, of the name. */
  readonly isUtf8: boolean
  /** Names are separated by backslashes. */
  readonly isFromDos: boolean
  readonly kind: 'file' | 'folder' | 'other'
  readonly isEncrypted: boolean
  readonly isExecutable: boolean
  /** How it is packed: a number of the zip format, 0 for not at all. */
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  /** In seconds since 1970. */
  readonly modified: number
  /** Where it begins: its header in a zip, its content in a tar. */
  readonly offset: number
}

/** An entry that can be shown and extracted. */
export interface IndexedEntry extends Omit<EntryHeader, 'name' | 'isUtf8' | 'isFromDos' | 'kind'> {
  /** Relative, of names that are safe. */
  readonly path: string
  readonly isFolder: boolean
}

/**
 * What is in an archive, in columns: a million entries as objects would take half a gigabyte. So they take 43 bytes each
 * and their names, at most 105 MiB in all.
 */
export interface EntryIndex {
  readonly count: number
  /** How names were read that do not say their encoding; null where there are none. */
  readonly encoding: NameEncoding | null
  /** Links, devices, and names that are not taken. */
  readonly skipped: number
  readonly files: number
  /** Of all files, as declared. */
  readonly bytes: number
  /** In bytes: the memory it takes. */
  readonly weight: number
  at(index: number): IndexedEntry
  isFolder(index: number): boolean
  /** The bytes of a path, which are UTF-8. Not to be changed. */
  pathOf(index: number): Uint8Array
}

export interface IndexBuilder {
  add(header: EntryHeader): void
  end(signal?: Cancellation): Promise<EntryIndex>
}

const flags = { folder: 1, encrypted: 2, executable: 4, raw: 8, dos: 16 } as const

/** In seconds: the end of the year 9999. Archives may say anything, and a later one cannot be written as a date. */
const latest = 253_402_300_799

/** With an encoding, names that do not say theirs are read in it; without one it is guessed where they are not UTF-8. */
export function indexBuilder(wanted?: NameEncoding): IndexBuilder {
  let room = 1024
  let columns = columnsFor(room)
  let names = new Uint8Array(64 * 1024)
  let [count, end, skipped, unread] = [0, 0, 0, 0]

  function grow(): void {
    room = Math.min(limits.entries, room * 2)
    const larger = columnsFor(room)
    larger.marks.set(columns.marks)
    larger.methods.set(columns.methods)
    larger.ends.set(columns.ends)
    larger.crcs.set(columns.crcs)
    larger.packed.set(columns.packed)
    larger.sizes.set(columns.sizes)
    larger.times.set(columns.times)
    larger.offsets.set(columns.offsets)
    columns = larger
  }

  function keepName(name: Uint8Array): void {
    if (end + name.length > limits.names) throw tooManyEntries()
    if (end + name.length > names.length) {
      const larger = new Uint8Array(Math.min(limits.names, Math.max(names.length * 2, end + name.length)))
      larger.set(names)
      names = larger
    }
    names.set(name, end)
    end += name.length
  }

  function put(name: Uint8Array, header: EntryHeader, mark: number): void {
    if (count === limits.entries) throw tooManyEntries()
    if (count === room) grow()
    keepName(name)
    columns.marks[count] =
      mark | (header.isEncrypted ? flags.encrypted : 0) | (header.isExecutable ? flags.executable : 0)
    columns.methods[count] = header.method
    columns.ends[count] = end
    columns.crcs[count] = header.crc
    columns.packed[count] = header.packedSize
    columns.sizes[count] = header.size
    columns.times[count] = Math.min(Math.max(header.modified, 0), latest)
    columns.offsets[count] = header.offset
    count += 1
  }

  return {
    add(header) {
      if (header.kind === 'other') skipped += 1
      else if (isToBeRead(header, wanted)) {
        unread += 1
        const mark = (header.kind === 'folder' ? flags.folder : 0) | (header.isFromDos ? flags.dos : 0)
        put(header.name, header, mark | flags.raw)
      } else {
        const safe = safeBytes(header)
        if (safe === undefined) skipped += 1
        else put(safe.name, header, safe.isFolder ? flags.folder : 0)
      }
      if (skipped > limits.entries) throw tooManyEntries()
    },

    async end(signal) {
      const pause = timeSlices(signal)
      const pathOf = (index: number) => names.subarray(index === 0 ? 0 : columns.ends[index - 1], columns.ends[index])
      if (unread === 0) return indexOf(columns, names, { count, skipped, encoding: null }, pause)
      const encoding = wanted ?? guessEncoding(samplesOf(columns, count, pathOf))
      const read = indexBuilder()
      for (let index = 0; index < count; index += 1) {
        const rest = pause()
        if (rest !== undefined) await rest
        const entry = headerAt(columns, index, pathOf(index))
        read.add((columns.marks[index] as number) & flags.raw ? { ...entry, ...readName(entry, encoding) } : entry)
      }
      const whole = await read.end(signal)
      return { ...whole, encoding, skipped: skipped + whole.skipped }
    },
  }
}

/** Does its name wait for the encoding of all? */
const isToBeRead = ({ name, isUtf8: isMarked }: EntryHeader, wanted: NameEncoding | undefined): boolean =>
  !isAscii(name) && !isMarked && (wanted !== undefined || !isUtf8(name))

const readName = ({ name }: EntryHeader, encoding: NameEncoding) => ({
  name: Buffer.from(decodedAnyhow(name, encoding)),
  isUtf8: true,
})

/** So many names tell how all are written. */
const mostSamples = 500

function samplesOf({ marks }: Columns, count: number, pathOf: (index: number) => Uint8Array): Uint8Array[] {
  const samples: Uint8Array[] = []
  for (let index = 0; index < count && samples.length < mostSamples; index += 1)
    if ((marks[index] as number) & flags.raw) samples.push(pathOf(index))
  return samples
}

function safeBytes(header: EntryHeader): { name: Uint8Array; isFolder: boolean } | undefined {
  const isFolder = header.kind === 'folder'
  if (isPlainPath(header.name)) return { name: header.name, isFolder }
  // A slash at the end is all that is odd about most folders.
  const withoutSlash = header.name.subarray(0, -1)
  if (header.name.at(-1) === 0x2f && isPlainPath(withoutSlash)) return { name: withoutSlash, isFolder: true }
  const safe = safeName(decodedAnyhow(header.name, 'utf-8'), header)
  return safe && { name: Buffer.from(safe.path), isFolder: isFolder || safe.endsWithSlash }
}

const columnsFor = (room: number) => ({
  marks: new Uint8Array(room),
  methods: new Uint16Array(room),
  /** Where a name ends among all names. */
  ends: new Uint32Array(room),
  crcs: new Uint32Array(room),
  packed: new Float64Array(room),
  sizes: new Float64Array(room),
  times: new Float64Array(room),
  offsets: new Float64Array(room),
})

type Columns = ReturnType<typeof columnsFor>

function headerAt(columns: Columns, index: number, name: Uint8Array): EntryHeader {
  const mark = columns.marks[index] as number
  return {
    name,
    isUtf8: true,
    isFromDos: (mark & flags.dos) !== 0,
    kind: mark & flags.folder ? 'folder' : 'file',
    isEncrypted: (mark & flags.encrypted) !== 0,
    isExecutable: (mark & flags.executable) !== 0,
    method: columns.methods[index] as number,
    crc: columns.crcs[index] as number,
    packedSize: columns.packed[index] as number,
    size: columns.sizes[index] as number,
    modified: columns.times[index] as number,
    offset: columns.offsets[index] as number,
  }
}

async function indexOf(
  columns: Columns,
  names: Uint8Array,
  { count, skipped, encoding }: Pick<EntryIndex, 'count' | 'skipped' | 'encoding'>,
  pause: () => Promise<void> | undefined,
): Promise<EntryIndex> {
  let [files, bytes] = [0, 0]
  for (let index = 0; index < count; index += 1) {
    if ((columns.marks[index] as number) & flags.folder) continue
    files += 1
    bytes += columns.sizes[index] as number
    const rest = index % 4096 === 0 ? pause() : undefined
    if (rest !== undefined) await rest
  }
  const pathOf = (index: number) =>
    names.subarray(index === 0 ? 0 : (columns.ends[index - 1] as number), columns.ends[index] as number)
  return {
    count,
    encoding,
    skipped,
    files,
    bytes,
    weight: names.length + columns.marks.length * bytesPerEntry,
    pathOf,
    isFolder: (index) => ((columns.marks[index] as number) & flags.folder) !== 0,
    at(index) {
      const { name, isUtf8: _, isFromDos: __, kind, ...entry } = headerAt(columns, index, pathOf(index))
      return { ...entry, path: Buffer.from(name).toString(), isFolder: kind === 'folder' }
    },
  }
}

const bytesPerEntry = 43
