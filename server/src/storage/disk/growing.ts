import type { FileCalls } from '../linux/file-calls.ts'
import { flushingEarly } from './flushing.ts'
import { sync } from './sync.ts'

/** An open file that grows by what arrives. */
export interface GrowingFile {
  readonly size: number
  /**
   * Takes in all of it. When the sender or the disk fails, what came before is kept. Pieces that are whole buffers are empty
   * once they are written.
   */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** The same for bytes that are all there: one write. */
  add(bytes: Uint8Array): Promise<void>
  truncate(size: number): Promise<void>
  /** Waits until all of it is safe. What the disk failed to keep is cut off, so that no sender goes on from there. */
  secure(): Promise<void>
}

/** To ask for a write costs as much as a small one: pieces are written together. */
const usualWrite = 256 * 1024
/** In milliseconds: fewer bytes than that wait no longer. A fast sender sends more meanwhile, and then none is waited for. */
const longestWait = 5
/** So many bytes wait for a write; the others wait at their sender. */
const mostWaiting = 1 << 20

/** `alreadySafe` bytes of it survive a power cut. */
export function growingFile(calls: FileCalls, fd: number, start: number, alreadySafe = 0): GrowingFile {
  let size = start
  let safe = alreadySafe
  let isDoubtful = false

  const secureUpTo = async (length: number) => {
    try {
      await sync(calls, fd)
      safe = length
    } catch (error) {
      isDoubtful = true
      throw error
    }
  }

  /** The disk tells once what it could not keep and then forgets, so the consequence is drawn at once. */
  const reconcileSize = async () => {
    if (isDoubtful) await calls.truncate(fd, safe)
    isDoubtful = false
    size = await calls.sizeOf(fd)
  }

  const grow = async (write: () => Promise<number>) => {
    try {
      size = await write()
    } catch (error) {
      // A disk that is full may have taken a part.
      await reconcileSize()
      throw error
    }
  }

  return {
    get size() {
      return size
    },

    receive: (bytes) => grow(() => passOn(bytes, writesInTurn(calls, fd, size, secureUpTo))),

    add: (bytes) =>
      grow(async () => {
        if (bytes.length > 0) await calls.write(fd, [bytes], size)
        return size + bytes.length
      }),

    async truncate(length) {
      await calls.truncate(fd, length)
      size = length
      safe = Math.min(safe, length)
    },

    async secure() {
      if (isDoubtful) await reconcileSize()
      try {
        await secureUpTo(size)
      } catch (error) {
        await reconcileSize()
        throw error
      }
    },
  }
}

interface Writes {
  /** Something to wait for when there is no room for another piece. */
  add(piece: Uint8Array): Promise<void> | undefined
  /** Waits until nothing is under way any more, and tells what has failed, or where the file ends now. */
  end(): Promise<number>
}

async function passOn(bytes: AsyncIterable<Uint8Array>, writes: Writes): Promise<number> {
  try {
    for await (const piece of bytes) {
      const room = writes.add(piece)
      if (room !== undefined) await room
    }
  } catch (error) {
    await writes.end()
    throw error
  }
  return writes.end()
}

/** One write at a time, and beside it the disk is at work on what was written before. */
function writesInTurn(
  calls: Pick<FileCalls, 'write'>,
  fd: number,
  start: number,
  flush: (length: number) => Promise<void>,
): Writes {
  const flushing = flushingEarly(flush, start)
  let waiting: Uint8Array[] = []
  let waitingSize = 0
  let written = start
  let writing: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  let timer: Timer | undefined

  const writeAll = async (pieces: Uint8Array[], length: number) => {
    try {
      await calls.write(fd, pieces, written)
      written += length
      flushing.grownTo(written)
      for (const piece of pieces) giveBack(piece)
    } catch (error) {
      failure = { error }
    }
    writing = undefined
    if (waitingSize >= usualWrite) write()
    // The timer may have fired during this write.
    else if (waitingSize > 0) writeSoon()
  }

  const write = () => {
    if (writing !== undefined || waitingSize === 0 || failure !== undefined) return
    const [pieces, length] = [waiting, waitingSize]
    waiting = []
    waitingSize = 0
    writing = writeAll(pieces, length)
  }

  const writeSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      write()
    }, longestWait)
  }

  const room = async () => {
    while (waitingSize >= mostWaiting && failure === undefined) await writing
    if (failure !== undefined) throw failure.error
  }

  return {
    add(piece) {
      waiting.push(piece)
      waitingSize += piece.length
      if (waitingSize >= usualWrite) write()
      else writeSoon()
      return waitingSize >= mostWaiting || failure !== undefined ? room() : undefined
    },

    async end() {
      for (write(); writing !== undefined; write()) await writing
      clearTimeout(timer)
      await flushing.end()
      if (failure !== undefined) throw failure.error
      return written
    },
  }
}

/** In bytes: of less, the collector knows better. */
const largePiece = 16 * 1024

/**
 * The memory of a piece is used again at once. Left to the collector, each one would come in pages that the kernel has to
 * clear first: a sixth of the time that receiving takes.
 */
function giveBack({ buffer, length }: Uint8Array): void {
  if (length >= largePiece && buffer.byteLength === length && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
