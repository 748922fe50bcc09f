import type { VirtualPath } from '../path.ts'
import type { Content, Entry } from '../port.ts'
import type { RemoteFiles } from './files.ts'

/** The content of a file on a server elsewhere: each part is asked for when it is wanted. */
export class RemoteContent implements Content {
  readonly #files: RemoteFiles
  readonly #path: VirtualPath
  readonly #entry: Entry
  readonly #start: number
  readonly #end: number

  constructor(files: RemoteFiles, path: VirtualPath, entry: Entry, start = 0, end = entry.size) {
    this.#files = files
    this.#path = path
    this.#entry = entry
    this.#start = start
    this.#end = end
  }

  get size(): number {
    return this.#end - this.#start
  }

  slice(start: number, end: number): RemoteContent {
    const last = Math.min(this.#start + end, this.#end)
    return new RemoteContent(this.#files, this.#path, this.#entry, Math.min(this.#start + start, last), last)
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(this.size)
    let length = 0
    for await (const piece of this.stream()) {
      bytes.set(piece, length)
      length += piece.length
    }
    return length === bytes.length ? bytes.buffer : bytes.buffer.slice(0, length)
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer())
  }

  /** The server sends as fast as it is read. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (this.size > 0) return this.#files.read(this.#path, this.#entry, this.#start, this.#end)
    return new ReadableStream({ start: (controller) => controller.close() })
  }
}
