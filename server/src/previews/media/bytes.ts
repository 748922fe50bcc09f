import type { OpenFile } from '../../storage/port.ts'

/** Parts of a file, read when they are asked for. Beyond the end there are fewer bytes. */
export interface Bytes {
  readonly size: number
  at(start: number, length: number): Promise<Buffer>
}

/** The file is not what its first bytes promise, or takes too many steps to tell. */
export class Unreadable extends Error {}

const pageLength = 4096
/** A file whose parts are so many small ones that telling its size would take longer is left alone. */
const mostReads = 100
/** Steps through what was read already cost the event loop, which all requests share. No real header takes as many. */
const mostSteps = 4000
const longestPart = 1 << 20

export function bytesOf({ entry, content, bytes, readInto }: OpenFile): Bytes {
  let pageStart = 0
  let page: Buffer = bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes)
  let [reads, steps] = [0, 0]

  async function read(start: number, length: number): Promise<Buffer> {
    reads += 1
    if (reads > mostReads) throw new Unreadable()
    if (readInto === undefined) return Buffer.from(await content.slice(start, start + length).arrayBuffer())
    const memory = Buffer.alloc(length)
    return memory.subarray(0, await readInto(memory, start))
  }

  return {
    size: entry.size,
    async at(start, length) {
      steps += 1
      if (start < 0 || length > longestPart || steps > mostSteps) throw new Unreadable()
      const wanted = Math.min(length, Math.max(0, entry.size - start))
      if (start < pageStart || start + wanted > pageStart + page.length)
        [pageStart, page] = [start, await read(start, Math.min(Math.max(wanted, pageLength), entry.size - start))]
      return page.subarray(start - pageStart, start - pageStart + wanted)
    },
  }
}

export const bytesIn = (buffer: Buffer): Bytes => ({
  size: buffer.length,
  at: async (start, length) => buffer.subarray(start, start + length),
})
