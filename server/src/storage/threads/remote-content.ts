import type { Content } from '../port.ts'

type Read = (start: number, length: number) => Promise<Uint8Array<ArrayBuffer>>

const pieceLength = 262_144

/**
 * The content of a file that is kept by another machine or program. Threads read it: the runtime would send it from the
 * event loop, and wait there for a mount that does not answer.
 */
export class RemoteContent implements Content {
  /** Leads other programs to it. */
  readonly name: string
  readonly #read: Read
  readonly #start: number
  readonly #end: number

  constructor(name: string, read: Read, start: number, end: number) {
    this.name = name
    this.#read = read
    this.#start = start
    this.#end = end
  }

  get size(): number {
    return this.#end - this.#start
  }

  slice(start: number, end: number): RemoteContent {
    const last = Math.min(this.#start + end, this.#end)
    return new RemoteContent(this.name, this.#read, Math.min(this.#start + start, last), last)
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(this.size)
    let length = 0
    for await (const piece of this.#pieces()) {
      bytes.set(piece, length)
      length += piece.length
    }
    return length === bytes.length ? bytes.buffer : bytes.buffer.slice(0, length)
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer())
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const pieces = this.#pieces()
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return(undefined)
      },
    })
  }

  /** Ends early where the file has become shorter. */
  async *#pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
    for (let at = this.#start; at < this.#end; ) {
      const piece = await this.#read(at, Math.min(pieceLength, this.#end - at))
      if (piece.length === 0) return
      at += piece.length
      yield piece
    }
  }
}
