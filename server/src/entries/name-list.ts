import { isSubtitle, isSubtitleFolder } from './subtitle-names.ts'

/** Kinds of names as the kernel numbers them: the highest four bits of a mode. */
export const folderType = 4
export const linkType = 10
/** No file has it. Zero, which the kernel says where it cannot tell, would be the end of a name. */
const unknownType = 15

/** The order of a list that was made by `orderOfNames`. */
export type Order = Uint32Array<ArrayBuffer>

/**
 * The names of a folder in one piece of memory: of each its type, its bytes and a zero. A hundred thousand take two
 * megabytes, pass from thread to thread without a copy, and system calls take them as they are; as objects with texts they
 * take tens of megabytes, and longer to make than to read from the disk.
 */
export class NameList {
  bytes = Buffer.from(new ArrayBuffer(64 * 1024))
  used = 0
  count = 0
  /** Then the order of bytes is that of texts. */
  isAscii = true
  hasLinks = false
  /** Is one among them a subtitle, or a folder of subtitles? */
  hasSubtitles = false
  #starts = new Uint32Array(2048)

  /** Of a name in memory that ends with a zero, as the kernel writes it. */
  add(type: number, source: Uint8Array, start: number): void {
    if (this.used + longestName > this.bytes.length) this.bytes = grown(this.bytes)
    if (this.count === this.#starts.length) this.#starts = twice(this.#starts)
    this.#starts[this.count] = this.used
    this.count += 1
    const { bytes } = this
    let at = this.used
    bytes[at] = type || unknownType
    at += 1
    let [all, tail] = [0, 0]
    for (let from = start; ; from += 1) {
      const byte = source[from] as number
      bytes[at] = byte
      at += 1
      if (byte === 0) break
      all |= byte
      tail = (tail << 8) | byte
    }
    if (all > 127) this.isAscii = false
    if (type === linkType) this.hasLinks = true
    if (subtitleTails.has(tail & 0xdf_df_df) && this.#isSubtitle(type, this.used + 1, at - 1)) this.hasSubtitles = true
    this.used = at
  }

  #isSubtitle(type: number, start: number, end: number): boolean {
    const name = this.bytes.toString('utf8', start, end)
    return type === folderType ? isSubtitleFolder(name) : isSubtitle(name)
  }

  typeOf(index: number): number {
    return this.bytes[this.startOf(index)] as number
  }

  startOf(index: number): number {
    return this.#starts[index] as number
  }

  endOf(index: number): number {
    return index + 1 < this.count ? this.startOf(index + 1) : this.used
  }

  /** The names of folders; undefined where there are more, or the disk does not tell kinds. */
  foldersUpTo(most: number): Uint8Array[] | undefined {
    const folders: Uint8Array[] = []
    for (let index = 0; index < this.count; index += 1) {
      const type = this.typeOf(index)
      if (type === unknownType || (type === folderType && folders.length === most)) return undefined
      if (type === folderType) folders.push(this.bytes.subarray(this.startOf(index) + 1, this.endOf(index) - 1))
    }
    return folders
  }

  textOf(index: number): string {
    return this.bytes.toString('utf8', this.startOf(index) + 1, this.endOf(index) - 1)
  }

  /** All of them one after another, in this order. */
  inOrder(order: Iterable<number>): Uint8Array<ArrayBuffer> {
    const ordered = new Uint8Array(this.used)
    let at = 0
    for (const index of order) {
      const end = this.endOf(index)
      for (let from = this.startOf(index); from < end; from += 1) {
        ordered[at] = this.bytes[from] as number
        at += 1
      }
    }
    return ordered
  }
}

/** In bytes, with type and zero: those of file systems that programs serve may be as long as a path. */
const longestName = 4096 + 2

/** The last three letters in capitals. */
const subtitleTails = new Set(
  ['VTT', 'SRT', 'ASS', 'SSA', 'UBS', 'LES'].map((text) => Buffer.from(text).readUIntBE(0, 3)),
)

function grown(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const larger = Buffer.from(new ArrayBuffer(bytes.length * 2))
  larger.set(bytes)
  return larger
}

function twice(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
