import type { Semaphore } from '../../concurrency/semaphore.ts'
import { taskGroup } from '../../concurrency/task-group.ts'
import { ofLength } from '../byte-stream.ts'
import type { Entry } from '../entry.ts'
import type { VirtualPath } from '../path.ts'
import type { RemoteWrite } from '../remote/files.ts'
import { type Conditions, publish } from './conditions.ts'
import { fileEntry, headersFor, timeOf } from './entries.ts'
import { completeUpload, multipart, partSizeFor, type Sizes, sizeOfPart, type UploadParts } from './multipart.ts'

export interface WritingParts extends UploadParts {
  readonly conditions: () => Promise<Conditions>
  readonly sizes: Sizes
  /** Parts under way, of all writes together: they are held in memory. */
  readonly sending: Semaphore
  keyOf(path: VirtualPath): string
}

/** Of one file. */
export const partsAtOnce = 3
/** In bytes: of longer parts only one is under way for a file. */
export const muchInMemory = 16 << 20

/** Whole or not at all: by one call, or of parts that do not show before the last one. */
export async function writeFile(
  parts: WritingParts,
  path: VirtualPath,
  bytes: AsyncIterable<Uint8Array>,
  options: RemoteWrite,
): Promise<Entry> {
  const { objects, sizes } = parts
  const { precondition, length } = options
  const key = parts.keyOf(path)
  const write = crypto.randomUUID()
  const time = timeOf(options.modified ?? Date.now())
  const headers = headersFor(time, write)
  const conditions = await parts.conditions()
  const size = length === undefined ? sizes.part : partSizeFor(sizes, length)
  const source = ofLength(bytes, length)
  const filling = new Filling()
  if (await fill(source, filling, size)) {
    const body = filling.take(filling.size)
    const publication = { key, precondition, isConditional: conditions.put, write }
    const etag = await publish(objects, publication, (more) => objects.put(key, body, { ...headers, ...more }, false))
    return fileEntry(key, { etag, size: body.length }, time)
  }
  return multipart(parts, path, key, headers, async (upload) => {
    const sizeAt = (at: number) => (length === undefined ? sizeOfPart(size, at) : size)
    const etags: string[] = []
    const group = taskGroup(partsAtOnce)
    let total = 0
    try {
      for (let isLast = false, number = 1; !isLast; number += 1) {
        const most = sizeAt(number - 1)
        if (most > muchInMemory) await group.wait()
        isLast = await fill(source, filling, most)
        const body = filling.take(Math.min(filling.size, most))
        total += body.length
        await group.start(() =>
          parts.sending.run(async () => {
            etags[number - 1] = await objects.putPart({ key, upload, number }, body)
          }),
        )
      }
    } finally {
      await Promise.all([group.wait(), source.return(undefined)])
    }
    const publication = { key, precondition, isConditional: conditions.complete, write }
    const etag = await completeUpload(objects, publication, upload, etags)
    return fileEntry(key, { etag, size: total }, time)
  })
}

/** Bytes that came, until there are enough for a part. */
export class Filling {
  #pieces: Uint8Array[] = []
  size = 0

  add(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.size += piece.length
  }

  take(size: number): Uint8Array<ArrayBuffer> {
    const part = new Uint8Array(size)
    let at = 0
    while (at < size) {
      const piece = this.#pieces.shift() ?? new Uint8Array()
      const room = size - at
      part.set(piece.subarray(0, room), at)
      at += Math.min(room, piece.length)
      if (piece.length > room) this.#pieces.unshift(piece.subarray(room))
      else if (piece.length === 0) throw new Error('There are not so many bytes')
    }
    this.size -= size
    return part
  }
}

/** Takes in more than `size` bytes, or all that there are: then it is true. */
async function fill(source: AsyncIterator<Uint8Array>, filling: Filling, size: number): Promise<boolean> {
  while (filling.size <= size) {
    const next = await source.next()
    if (next.done) return true
    filling.add(next.value)
  }
  return false
}
