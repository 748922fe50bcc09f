import type { Content } from './port.ts'

/** The bytes of a part of a file, as fast as they are read. */
export type ReadPart = (start: number, end: number) => ReadableStream<Uint8Array<ArrayBuffer>>

/** The content of a file that the runtime cannot read by itself: each part is asked for when it is wanted. */
export class StreamedContent implements Content {
  readonly #read: ReadPart
  readonly #start: number
  readonly #end: number

  /** `name` leads other programs to it, where one does. */
  constructor(
    read: ReadPart,
    start: number,
    end: number,
    readonly name?: string,
  ) {
    this.#read = read
    this.#start = start
    this.#end = end
  }

  get size(): number {
    return this.#end - this.#start
  }

  slice(start: number, end: number): StreamedContent {
    const last = Math.min(this.#start + end, this.#end)
    return new StreamedContent(this.#read, Math.min(this.#start + start, last), last, this.name)
  }

  /** Shorter where the file has become so. */
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

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    if (this.size > 0) return this.#read(this.#start, this.#end)
    return new ReadableStream({ start: (controller) => controller.close() })
  }
}
