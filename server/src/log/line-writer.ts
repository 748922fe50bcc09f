/** The file or stream of a log. */
export interface Sink {
  /** Writes at least one byte; resolves to how many. */
  write(bytes: Uint8Array): Promise<number>
  writeSync(bytes: Uint8Array): number
  reopen?(): Promise<void>
}

export interface LineWriter {
  write(line: string): void
  /** Resolves when all lines so far are written or have failed. */
  flush(): Promise<void>
  /** Reopens the sink after the queued lines. */
  reopen(): Promise<void>
  /** For the exit of the process, when nothing asynchronous runs any more. */
  flushSync(): void
}

interface Options {
  /** The size of the queue in bytes. Beyond it lines are dropped and counted. */
  most?: number
  /** In milliseconds: when a sink that failed is tried again. */
  retryAfter?: number
  /** The line that reports dropped lines. */
  lostLine(count: number): string
}

/** In milliseconds: a write that takes longer hangs, and the synchronous one at the exit would hang too. */
const hangsAfter = 1000

/**
 * Writes lines asynchronously: `write` only queues, and one write at a time goes to the thread pool. A sink that fails or
 * hangs (a full disk, a pipe that is not read) delays no request; its lines are queued up to a limit.
 */
export function lineWriter(sink: Sink, { most = 4 << 20, retryAfter = 1000, lostLine }: Options): LineWriter {
  let waiting: string[] = []
  let length = 0
  let lost = 0
  /** The rest of a partial write; it may begin in the middle of a line. */
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
    // Lines of one turn of the event loop are written together.
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
      // Bytes of a write under way are not written twice.
      let bytes =
        writingSince === undefined
          ? Buffer.concat([unwritten, Buffer.from(waiting.join(''))])
          : Buffer.from(waiting.join(''))
      waiting = []
      unwritten = new Uint8Array(0)
      try {
        while (bytes.length > 0) bytes = bytes.subarray(sink.writeSync(bytes))
      } catch {
        // The process exits, and the log is what failed.
      }
    },
  }
}
