import type { ResourceType } from '@filestead/contract'
import type { EntryKind } from './facts.ts'
import { kindByName, maxTextSize } from './kinds.ts'
import { goMode, toResource, typeByName } from './resource.ts'
import { formatTime } from './times.ts'

/** What is told of an entry besides its name. */
export interface RowFacts {
  readonly kind: EntryKind
  readonly size: number
  /** Without the bits of the kind. */
  readonly mode: number
  readonly seconds: number
  readonly nanoseconds: number
}

/** The name as its bytes: some are no text. */
type TypeByContent = (name: Uint8Array, size: number) => ResourceType

/** A name in memory. */
export interface NamePlace {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

const ascii = (text: string): Buffer => Buffer.from(text)

const [name, size] = [ascii('","name":"'), ascii('","size":')]
const [extension, modified, mode] = [ascii(',"extension":"'), ascii('","modified":"'), ascii('","mode":')]
const folderEnd = ascii(',"isDir":true,"isSymlink":false,"type":""}')
const otherEnd = ascii(',"isDir":false,"isSymlink":false,"type":"')
const [dot, quote, backslash, space, comma, zero] = [46, 34, 92, 32, 44, 48]
/** In bytes: all of a row but what its names take. */
const rest = 512

/**
 * Writes entries as the items of a listing, each behind a comma: byte by byte, because the objects and texts of a hundred
 * thousand entries take three times as long to make. What it writes is what JSON makes of `toResource`.
 */
export class RowWriter {
  /** The path of the folder as it was asked for, with a slash at its end. */
  readonly #prefix: string
  /** All that a row begins with. */
  readonly #rowStart: Buffer
  /** The type of a file whose name does not tell. */
  readonly #typeByContent: TypeByContent
  #out = Buffer.from(new ArrayBuffer(256 * 1024))
  #at = 0
  // Of the last row, these: neighbours often have the same.
  #mode = 0
  #modeText = ascii('0')
  #second: number | undefined
  #beforeFraction = ascii('')
  #zone = ascii('')
  #ending = ascii('')
  #typesOfEnding: TypesOfEnding = { small: undefined, large: undefined }
  count = 0
  folders = 0

  constructor(prefix: string, typeByContent: TypeByContent) {
    this.#prefix = prefix
    this.#rowStart = Buffer.from(`,{"path":${JSON.stringify(prefix).slice(0, -1)}`)
    this.#typeByContent = typeByContent
  }

  add(place: NamePlace, facts: RowFacts): void {
    this.count += 1
    if (facts.kind === 'folder') this.folders += 1
    const { bytes, start, end } = place
    this.#makeRoom(this.#prefix.length * 6 + (end - start) * 3 + rest)
    let [lastDot, isSimple] = [end, true]
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number
      if (byte === dot) lastDot = at
      if (byte < space || byte === quote || byte === backslash || byte > 127) isSimple = false
    }
    if (isSimple) this.#addSimple(place, lastDot, facts)
    else this.#addText(place, facts)
  }

  #addSimple(place: NamePlace, lastDot: number, facts: RowFacts): void {
    const { bytes, start, end } = place
    const out = this.#out
    let at = put(out, this.#at, this.#rowStart)
    at = copy(out, at, bytes, start, end)
    at = put(out, at, name)
    at = copy(out, at, bytes, start, end)
    at = put(out, at, size)
    at = putNumber(out, at, facts.size)
    at = put(out, at, extension)
    at = copy(out, at, bytes, lastDot, end)
    at = put(out, at, modified)
    at = this.#time(out, at, facts)
    at = put(out, at, mode)
    at = put(out, at, this.#modeOf(facts))
    at = put(out, at, facts.kind === 'folder' ? folderEnd : otherEnd)
    if (facts.kind !== 'folder') at = put(out, at, endsOfRows[this.#typeOf(place, lastDot, facts)])
    this.#at = at
  }

  /** What has been written, in memory of its own. */
  written(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#out.subarray(0, this.#at))
  }

  /** A name that is not as simple as most. */
  #addText({ bytes, start, end }: NamePlace, facts: RowFacts): void {
    const shown = bytes.toString('utf8', start, end)
    const entry = { ...facts, name: shown, isLink: false }
    const type = typeByName(entry) ?? this.#typeByContent(bytes.subarray(start, end), facts.size)
    const text = JSON.stringify(toResource(entry, this.#prefix + shown, type))
    this.#makeRoom(text.length * 3 + 1)
    this.#out[this.#at] = comma
    this.#at += 1 + this.#out.write(text, this.#at + 1)
  }

  #typeOf({ bytes, start, end }: NamePlace, lastDot: number, facts: RowFacts): ResourceType {
    if (facts.kind !== 'file') return 'blob'
    if (lastDot === end) return this.#typeByContent(bytes.subarray(start, end), facts.size)
    if (!isSame(this.#ending, bytes, lastDot, end)) {
      this.#ending = bytes.subarray(lastDot, end)
      const text = bytes.toString('latin1', lastDot, end)
      this.#typesOfEnding = { small: kindByName(text, 0), large: kindByName(text, maxTextSize + 1) }
    }
    const { small, large } = this.#typesOfEnding
    return (facts.size > maxTextSize ? large : small) ?? this.#typeByContent(bytes.subarray(start, end), facts.size)
  }

  #makeRoom(length: number): void {
    if (this.#at + length <= this.#out.length) return
    const larger = Buffer.from(new ArrayBuffer(this.#out.length * 2 + length))
    larger.set(this.#out)
    this.#out = larger
  }

  #modeOf(facts: RowFacts): Buffer {
    const number = goMode(facts)
    if (number !== this.#mode) {
      this.#mode = number
      this.#modeText = ascii(String(number))
    }
    return this.#modeText
  }

  /** As `formatTime`, which is asked once for all times of one second. */
  #time(out: Buffer, start: number, { seconds, nanoseconds }: RowFacts): number {
    if (seconds !== this.#second) {
      const text = formatTime(seconds, 0)
      const zoneLength = text.endsWith('Z') ? 1 : '+00:00'.length
      this.#second = seconds
      this.#beforeFraction = ascii(text.slice(0, -zoneLength))
      this.#zone = ascii(text.slice(-zoneLength))
    }
    const at = put(out, start, this.#beforeFraction)
    return put(out, nanoseconds > 0 ? putFraction(out, at, nanoseconds) : at, this.#zone)
  }
}

// Each writes at a place and tells the one behind. In loops: a call of the runtime for a few bytes takes longer.

function copy(out: Buffer, start: number, bytes: Buffer, from: number, end: number): number {
  let at = start
  for (let next = from; next < end; next += 1) {
    out[at] = bytes[next] as number
    at += 1
  }
  return at
}

const put = (out: Buffer, start: number, text: Buffer): number => copy(out, start, text, 0, text.length)

function putNumber(out: Buffer, at: number, value: number): number {
  if (value >= 10) return put(out, at, ascii(String(value)))
  out[at] = zero + value
  return at + 1
}

/** Three digits for each number below a thousand: to divide takes longer than to look them up. */
const digits = Buffer.from(Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0')).join(''))

/** Without zeros at the end. */
function putFraction(out: Buffer, start: number, nanoseconds: number): number {
  const [milli, micro] = [(nanoseconds / 1_000_000) | 0, (nanoseconds / 1000) | 0]
  out[start] = dot
  let at = copy(out, start + 1, digits, milli * 3, milli * 3 + 3)
  at = copy(out, at, digits, (micro - milli * 1000) * 3, (micro - milli * 1000) * 3 + 3)
  at = copy(out, at, digits, (nanoseconds - micro * 1000) * 3, (nanoseconds - micro * 1000) * 3 + 3)
  while (out[at - 1] === zero) at -= 1
  return at
}

/** Of a small file and of a large one: a long text is none. */
interface TypesOfEnding {
  readonly small: ResourceType | undefined
  readonly large: ResourceType | undefined
}

const types: readonly ResourceType[] = [
  '',
  'video',
  'audio',
  'image',
  'pdf',
  'text',
  'textImmutable',
  'blob',
  'invalid_link',
]
const endsOfRows = Object.fromEntries(types.map((type) => [type, ascii(`${type}"}`)])) as Record<ResourceType, Buffer>

function isSame(one: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (one.length !== end - start) return false
  for (let at = 0; at < one.length; at += 1) if (one[at] !== bytes[start + at]) return false
  return true
}
