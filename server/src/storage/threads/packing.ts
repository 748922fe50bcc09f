import { DiskEntry, type DiskFacts } from '../disk/entry.ts'
import type { Place } from '../disk/whole-files.ts'
import type { Entry, EntryKind } from '../entry.ts'
import type { Named, Places } from '../port.ts'
import type { SentPlaces } from './messages.ts'

/** Entries as a few large values: to send each as an object would take longer than to read it from the disk. */
export interface PackedEntries {
  readonly names: string
  readonly numbers: Float64Array<ArrayBuffer>
  /** By index, for names that are not UTF-8. */
  readonly exact: readonly (readonly [number, string])[]
}

const kinds: readonly EntryKind[] = ['file', 'folder', 'link', 'pipe', 'socket', 'device']
const digitOf: Record<EntryKind, string> = { file: '0', folder: '1', link: '2', pipe: '3', socket: '4', device: '5' }
const fields = 6
const noFacts: DiskFacts = {
  name: '',
  kind: 'file',
  isLink: false,
  size: 0,
  mode: 0,
  seconds: 0,
  nanoseconds: 0,
  inode: 0,
  device: 0,
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

export function packEntries(entries: readonly DiskEntry[]): PackedEntries {
  const numbers = new Float64Array(entries.length * fields)
  const exact: [number, string][] = []
  let at = 0
  for (const entry of entries) {
    numbers[at] = entry.mode + (kinds.indexOf(entry.kind) + (entry.isLink ? 8 : 0)) * 0o10000
    numbers[at + 1] = entry.size
    numbers[at + 2] = entry.seconds
    numbers[at + 3] = entry.nanoseconds
    numbers[at + 4] = entry.inode
    numbers[at + 5] = entry.device
    if (entry.exact !== undefined) exact.push([at / fields, entry.exact])
    at += fields
  }
  return { names: entries.map(({ name }) => name).join('/'), numbers, exact }
}

/** Appends them to those that have come. */
export function unpackEntries({ names, numbers, exact }: PackedEntries, entries: Entry[] = []): Entry[] {
  if (numbers.length === 0) return entries
  const start = entries.length
  // One object is enough to make all entries from: a second one for each would double what has to be collected.
  const facts: Writable<DiskFacts> = { ...noFacts }
  let at = 0
  for (const name of names.split('/')) {
    const modeAndKind = numbers[at] as number
    facts.name = name
    facts.kind = kinds[(modeAndKind >> 12) & 7] as EntryKind
    facts.isLink = modeAndKind >> 15 === 1
    facts.size = numbers[at + 1] as number
    facts.mode = modeAndKind & 0o7777
    facts.seconds = numbers[at + 2] as number
    facts.nanoseconds = numbers[at + 3] as number
    facts.inode = numbers[at + 4] as number
    facts.device = numbers[at + 5] as number
    at += fields
    entries.push(new DiskEntry(facts))
  }
  for (const [index, name] of exact) entries[start + index] = (entries[start + index] as Entry).with({ exact: name })
  return entries
}

export interface PackedNames {
  readonly names: string
  /** A digit for each name. */
  readonly kinds: string
  readonly exact: readonly (readonly [number, string])[]
}

export function packNames(named: readonly Named[]): PackedNames {
  const exact: [number, string][] = []
  named.forEach(({ exact: bytes }, index) => {
    if (bytes !== undefined) exact.push([index, bytes])
  })
  // Joined, because a text that grows name by name is put together once more when it is sent.
  return {
    names: named.map(({ name }) => name).join('/'),
    kinds: named.map(({ kind }) => digitOf[kind]).join(''),
    exact,
  }
}

export function unpackNames({ names, kinds: digits, exact }: PackedNames): Named[] {
  if (digits === '') return []
  const named = names
    .split('/')
    .map((name, index): Named => ({ name, kind: kinds[digits.charCodeAt(index) - 48] as EntryKind }))
  for (const [index, name] of exact) named[index] = { ...(named[index] as Named), exact: name }
  return named
}

const placeFields = 6

/** Entries that are no entries of a disk have no place there. */
export function packPlaces({ names, entries, starts, size }: Places): SentPlaces | undefined {
  const numbers: number[] = []
  for (const [index, entry] of entries.entries()) {
    if (!(entry instanceof DiskEntry)) return undefined
    const { seconds, nanoseconds, inode, device } = entry
    numbers.push(starts[index] as number, entry.size, seconds, nanoseconds, inode, device)
  }
  return { names, numbers, size }
}

/** The same object each time. */
export function* unpackPlaces({ names, numbers }: SentPlaces): Generator<Place> {
  const place: Writable<Place> = { name: '', start: 0, size: 0, seconds: 0, nanoseconds: 0, inode: 0, device: 0 }
  let at = 0
  for (const name of names) {
    place.name = name
    place.start = numbers[at] as number
    place.size = numbers[at + 1] as number
    place.seconds = numbers[at + 2] as number
    place.nanoseconds = numbers[at + 3] as number
    place.inode = numbers[at + 4] as number
    place.device = numbers[at + 5] as number
    at += placeFields
    yield place
  }
}

/** Bytes on their way between threads: a few of them as base64. */
export type PackedBytes = string | Uint8Array<ArrayBuffer>

/** More than this is sent faster as what it is. */
const mostAsText = 16 * 1024

/** Base64 has no character that JSON has to escape: 4 KiB of text take a fifth of the time that they take as characters. */
export const packBytes = (bytes: Uint8Array<ArrayBuffer>): PackedBytes =>
  bytes.length > mostAsText ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

export const unpackBytes = (packed: PackedBytes): Uint8Array<ArrayBuffer> =>
  typeof packed === 'string' ? Buffer.from(packed, 'base64') : packed

/** The first bytes of files, one behind the other in the order in which they were asked for: one value instead of hundreds. */
export interface PackedHeads {
  readonly lengths: readonly number[]
  readonly bytes: PackedBytes
}

export function packHeads(names: readonly string[], heads: ReadonlyMap<string, Uint8Array>): PackedHeads {
  const each = names.map((name) => heads.get(name) ?? new Uint8Array())
  return { lengths: each.map(({ length }) => length), bytes: packBytes(new Uint8Array(Buffer.concat(each))) }
}

export function unpackHeads(names: readonly string[], { lengths, bytes }: PackedHeads): Map<string, Uint8Array> {
  const all = unpackBytes(bytes)
  let end = 0
  return new Map(
    names.map((name, at) => {
      const start = end
      end += lengths[at] ?? 0
      return [name, all.subarray(start, end)]
    }),
  )
}
