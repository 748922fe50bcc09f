import type { Entry } from '../../storage/port.ts'
import type { Member } from '../members.ts'

/** What comes next in an archive that is written. Work of several is done at once; the rest happens in their order. */
export interface Part {
  /** Packs bytes, beside the event loop. */
  readonly work?: () => Promise<Uint8Array>
  /** What is appended to the archive, which has `at` bytes by then. */
  readonly emit?: (packed: Uint8Array, at: number) => readonly Uint8Array[]
  /** The archive can be continued from here. */
  readonly mark?: () => PackState
}

/** What is needed to continue an archive behind a mark. */
export interface PackState {
  /** The path of the last member that is in it, below the folder that all of them have in common. */
  readonly after?: string | undefined
  /** A file of which only the beginning is in it. */
  readonly part?: FilePart | undefined
  /** All members are in it. */
  readonly isComplete?: boolean | undefined
  /** Of members. */
  readonly count: number
  readonly files: number
  readonly bytes: number
  readonly leftOut: readonly string[]
}

interface FilePart extends PartState {
  readonly path: string
  readonly version: string
  readonly size: number
  /** So many bytes of the file are in the archive. */
  readonly done: number
}

/** What a format knows of a file of which only a part is packed. */
export interface PartState {
  /** Where it begins in the archive. */
  readonly start: number
  readonly checksum?: number | undefined
  /** How many bytes its content takes so far. */
  readonly packed?: number | undefined
  readonly isStored?: boolean | undefined
}

/** The parts of one format. */
export interface Packer {
  /** A folder, or a file whose content is known. */
  whole(member: Member, entry: Entry, content: Uint8Array): Iterable<Part>
  /** A larger file: its beginning, its content piece by piece, its end. The memory of a piece is used again. */
  begin(member: Member, entry: Entry): Iterable<Part>
  resume(member: Member, entry: Entry, state: PartState): void
  piece(bytes: Uint8Array): Iterable<Part>
  end(): Iterable<Part>
  /** What is held back to be packed together. */
  flush(): Iterable<Part>
  /** The state of the file that has begun. To be asked where it is flushed, and answered when that is written. */
  mark(): () => PartState
  /** The end of the archive, once all members are written. */
  finish(count: number): AsyncIterable<Part>
}

/** Collects pieces to blocks of one size, each in memory of its own. */
export class BlockBuilder {
  readonly #size: number
  #block: Uint8Array<ArrayBuffer>
  #filled = 0

  constructor(size: number) {
    this.#size = size
    this.#block = new Uint8Array(size)
  }

  *add(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + this.#size - this.#filled)
      this.#block.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#size) yield this.#take()
    }
  }

  *rest(): Generator<Uint8Array<ArrayBuffer>> {
    // Of its own size, because the whole buffer goes to a worker.
    if (this.#filled > 0) yield this.#take().slice()
  }

  #take(): Uint8Array<ArrayBuffer> {
    const taken = this.#block.subarray(0, this.#filled)
    this.#block = new Uint8Array(this.#size)
    this.#filled = 0
    return taken
  }
}

export const nothing = new Uint8Array()
