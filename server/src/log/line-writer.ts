/** Where the lines of a log end up. */
export interface Sink {
  /** Writes at least one byte, and tells how many. */
  write(bytes: Uint8Array): Promise<number>
  writeSync(bytes: Uint8Array): number
  reopen?(): Promise<void>
}

export interface LineWriter {
  write(line: string): void
  /** Resolves once all lines so far are written, or could not be. */
  flush(): Promise<void>
  /** Opens the sink anew, after the lines that are waiting. */
  reopen(): Promise<void>
  /** For the end of the process, when nothing asynchronous happens any more. */
  flushSync(): void
}

interface Options {
  /** Bytes that may wait. Beyond this lines are dropped and counted. */
  most?: number
  /** Milliseconds until a sink that failed is tried again. */
  retryAfter?: number
  /** A line about those that were dropped. */
  lostLine(count: number): string
}

/** A write that has taken this long hangs, and a second one, at the end of the process, would hang too. */
const hangsAfter = 1000

/**
 * Writes lines beside the requests they are about: `write` only queues, and one write at a time goes to the thread pool. A
 * sink that fails or hangs (a full disk, a pipe that is not read) delays no request; its lines wait up to a limit.
 */
export function lineWriter(sink: Sink, { most = 4 << 20, retryAfter = 1000, lostLine }: Options): LineWriter {
  let waiting: string[] = []
  let length = 0
  let lost = 0
  /** What has been taken from `waiting` and is not written in full; it may begin in the middle of a line. */
  let unwritten: Uint8Array = new Uint8Array(0)
  let writingSince: number | undefined
  let running: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined

  function takeLines(): void {
    if (unwritten.length > 0) return
    unwritten = Buffer.from(waiting.join(''))
    waiting = []
    length = 0
  }

  async function writeAll(): Promise<void> {
    // Lines of one turn of the event loop go out together.
    await new Promise(setImmediate)
    try {
      for (takeLines(); unwritten.length > 0; takeLines()) {
        writingSince = performance.now()
        unwritten = unwritten.subarray(await sink.write(unwritten))
        if (unwritten.length === 0 && lost > 0) {
          waiting.push(lostLine(lost))
          lost = 0
        }
      }
    } catch {
      retry ??= setTimeout(() => {
        retry = undefined
        start()
      }, retryAfter).unref()
    } finally {
      writingSince = undefined
      running = undefined
    }
  }

  const start = (): Promise<void> => {
    running ??= writeAll()
    return running
  }

  return {
    write(line) {
      if (length + line.length > most) {
        lost += 1
        return
      }
      waiting.push(line)
      length += line.length
      if (retry === undefined) void start()
    },
    flush: async () => running,
    async reopen() {
      await running
      await sink.reopen?.()
      if (waiting.length > 0 || unwritten.length > 0) await start()
    },
    flushSync() {
      if (writingSince !== undefined && performance.now() - writingSince > hangsAfter) return
      // Bytes that are being written at this moment are not written twice.
      let bytes =
        writingSince === undefined
          ? Buffer.concat([unwritten, Buffer.from(waiting.join(''))])
          : Buffer.from(waiting.join(''))
      waiting = []
      unwritten = new Uint8Array(0)
      try {
        while (bytes.length > 0) bytes = bytes.subarray(sink.writeSync(bytes))
      } catch {
        // The process ends, and the disk that would hold the reason is the one that fails.
      }
    },
  }
}
