import type { Filling } from '../../access/filling.ts'
import { isFailure } from '../../failure.ts'
import type { FilledEntry } from '../../storage/port.ts'
import { broken } from '../reading/source.ts'
import type { ChosenEntry } from './chosen.ts'

/** In bytes: larger files are written by themselves. */
export const smallFile = 64 * 1024
/** What is put into the hidden folder in one step. */
const mostTogether = { entries: 256, bytes: 1 << 20 }

export interface Written {
  readonly files: number
  readonly bytes: number
}

interface WriterParts {
  /** With the rights as they are now. */
  filling(): Promise<Filling>
  /** All up to this entry is in the hidden folder. */
  reached(next: number, written: Written): void
  /** One that has the name of something else in the archive. */
  clashes(entry: ChosenEntry): void
  /** In the middle of a large file. */
  progress(written: Written, entry: ChosenEntry): void
}

/** Writes entries into a hidden folder: small ones together, because a step costs more than a small file. */
export class Writer {
  readonly #parts: WriterParts
  #batch: { chosen: ChosenEntry; filled: FilledEntry }[] = []
  #batchBytes = 0
  #written: Written

  constructor(parts: WriterParts, before: Written) {
    this.#parts = parts
    this.#written = before
  }

  async add(chosen: ChosenEntry, content: () => AsyncGenerator<Uint8Array>): Promise<void> {
    const { entry, path } = chosen
    if (entry.isFolder) return this.#put(chosen, { path, kind: 'folder' })
    if (entry.size > smallFile) {
      await this.flush(chosen.at)
      return this.#large(chosen, content())
    }
    const bytes = await wholeOf(content(), entry.size)
    const { modified, isExecutable } = entry
    await this.#put(chosen, { path, kind: 'file', bytes, modified, isExecutable })
  }

  /** Everything before entry `next` is in the hidden folder afterwards. */
  async flush(next: number): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#batchBytes = 0
    if (batch.length > 0) await this.#fill(batch)
    this.#parts.reached(next, this.#written)
  }

  async #put(chosen: ChosenEntry, filled: FilledEntry): Promise<void> {
    this.#batch.push({ chosen, filled })
    this.#batchBytes += filled.bytes?.length ?? 0
    if (filled.kind === 'file') this.#count(1, chosen.entry.size)
    const isFull = this.#batch.length >= mostTogether.entries || this.#batchBytes >= mostTogether.bytes
    if (isFull) await this.flush(chosen.at + 1)
  }

  async #fill(batch: readonly { chosen: ChosenEntry; filled: FilledEntry }[]): Promise<void> {
    const filling = await this.#parts.filling()
    try {
      await filling.put(batch.map(({ filled }) => filled))
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error
      // One of them is a file where another is a folder.
      for (const { chosen, filled } of batch)
        await filling.put([filled]).catch((clash) => {
          if (!isFailure(clash, 'already-exists')) throw clash
          this.#parts.clashes(chosen)
        })
    }
  }

  async #large(chosen: ChosenEntry, content: AsyncGenerator<Uint8Array>): Promise<void> {
    const { entry, path, at } = chosen
    try {
      const filling = await this.#parts.filling()
      const draft = await filling.openFile(path, String(at), entry.size)
      try {
        if (draft.size > entry.size) await draft.truncate(0)
        await draft.append(this.#missing(content, draft.size, chosen))
        await draft.commit({ precondition: 'any', length: entry.size, modified: entry.modified * 1000 })
      } finally {
        draft.close()
      }
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error
      this.#parts.clashes(chosen)
    } finally {
      await content.return(undefined)
    }
    this.#count(1, entry.size)
    this.#parts.reached(at + 1, this.#written)
  }

  /** What an earlier try has not written; the beginning is unpacked again, and compared with nothing. */
  async *#missing(content: AsyncGenerator<Uint8Array>, start: number, chosen: ChosenEntry): AsyncGenerator<Uint8Array> {
    let at = 0
    for await (const piece of content) {
      const from = Math.max(0, start - at)
      at += piece.length
      // In memory of its own: the storage keeps a piece for a while.
      if (from < piece.length) yield new Uint8Array(piece.subarray(from))
      this.#parts.progress({ files: this.#written.files, bytes: this.#written.bytes + at }, chosen)
    }
  }

  #count(files: number, bytes: number): void {
    this.#written = { files: this.#written.files + files, bytes: this.#written.bytes + bytes }
  }
}

async function wholeOf(content: AsyncGenerator<Uint8Array>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(size)
  let filled = 0
  for await (const piece of content) {
    if (filled + piece.length > size) throw broken()
    whole.set(piece, filled)
    filled += piece.length
  }
  if (filled !== size) throw broken()
  return whole
}
