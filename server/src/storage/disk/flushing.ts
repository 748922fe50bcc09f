interface Flushing {
  /** The file has grown to so many bytes. Throws when the disk failed to keep earlier ones. */
  grownTo(size: number): void
  /** Waits until the disk has done what it began, and tells what has failed. */
  end(): Promise<void>
}

/** The disk starts on every so many bytes while more come; asked only at the end, it would have slept till then. */
const step = 32 << 20

/** `flush` makes everything safe up to that size. One runs at a time. */
export function flushingEarly(flush: (size: number) => Promise<void>, start = 0): Flushing {
  let flushed = start
  let running: Promise<void> | undefined
  let failure: { error: unknown } | undefined

  const throwFailure = () => {
    if (failure !== undefined) throw failure.error
  }
  return {
    grownTo(size) {
      throwFailure()
      if (running !== undefined || size - flushed < step) return
      flushed = size
      running = flush(size)
        .catch((error) => {
          failure = { error }
        })
        .finally(() => {
          running = undefined
        })
    },
    async end() {
      await running
      throwFailure()
    },
  }
}
