import { Failure } from '../../failure.ts'
import type { OpenFile } from '../../storage/port.ts'

/** An archive as bytes that can be read anywhere. */
export interface Source {
  readonly size: number
  /** Exactly these bytes, in memory of their own; one that ends before them is broken. */
  read(start: number, length: number): Promise<Uint8Array<ArrayBuffer>>
}

export const sourceOf = (file: OpenFile): Source => {
  const { content, bytes, readInto } = file
  const { size } = file.entry
  return {
    size,
    async read(start, length) {
      // Lengths and offsets come from the archive, which may say anything.
      if (!(start >= 0 && length >= 0 && start + length <= size)) throw broken()
      const read = await readPart(start, length)
      if (read.length !== length) throw broken()
      return read
    },
  }

  async function readPart(start: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (bytes !== undefined) return new Uint8Array(bytes.subarray(start, start + length))
    if (readInto === undefined) return new Uint8Array(await content.slice(start, start + length).arrayBuffer())
    const memory = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const count = await readInto(memory.subarray(filled), start + filled)
      if (count === 0) break
      filled += count
    }
    return memory.subarray(0, filled)
  }
}

const pieceSize = 262_144

/** A part of it in pieces. */
export async function* piecesOf(source: Source, start: number, end: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = start; at < end; at += pieceSize) yield await source.read(at, Math.min(pieceSize, end - at))
}

export const broken = (cause?: unknown): Failure => new Failure('invalid', 'the archive is broken', { cause })

export const notAnArchive = (): Failure => new Failure('unsupported-type', 'This is no archive that can be opened')
