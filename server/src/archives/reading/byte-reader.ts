import { broken, type Source } from './source.ts'

/** Bytes that are taken in order. */
export interface ByteReader {
  /** How many were taken or passed over. */
  readonly position: number
  /** Exactly so many, where they are at hand; good until the next call. */
  takeNow(length: number): Uint8Array | undefined
  /** Exactly so many; undefined where there are none at all any more. Fewer than asked for are a broken archive. */
  take(length: number): Promise<Uint8Array | undefined>
  /** Some of the next ones, at most so many; undefined at the end. */
  some(most: number): Promise<Uint8Array | undefined>
  skip(length: number): Promise<void>
  close(): Promise<void>
}

/** Of a stream, which has to be read to be passed over. */
export function streamReader(bytes: AsyncGenerator<Uint8Array>): ByteReader {
  let held: Uint8Array = new Uint8Array()
  let position = 0

  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      const { done, value } = await bytes.next()
      if (done) return undefined
      if (value.length > 0) return value
    }
  }

  function takeNow(length: number): Uint8Array | undefined {
    if (held.length < length) return undefined
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    position += length
    return taken
  }

  async function some(most: number): Promise<Uint8Array | undefined> {
    if (held.length === 0) held = (await next()) ?? held
    return held.length === 0 ? undefined : takeNow(Math.min(most, held.length))
  }

  return {
    get position() {
      return position
    },
    takeNow,
    some,
    async take(length) {
      const at = takeNow(length)
      if (at !== undefined) return at
      const whole = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        const part = await some(length - filled)
        if (part === undefined) {
          if (filled === 0) return undefined
          throw broken()
        }
        whole.set(part, filled)
        filled += part.length
      }
      return whole
    },
    async skip(length) {
      for (let left = length; left > 0; ) {
        const part = await some(left)
        if (part === undefined) throw broken()
        left -= part.length
      }
    },
    close: async () => void (await bytes.return(undefined)),
  }
}

const windowSize = 262_144

/** Of a file, where what is passed over is not read. */
export function fileReader(source: Source, start = 0): ByteReader {
  let window: Uint8Array = new Uint8Array()
  let windowStart = start
  let position = start

  function takeNow(length: number): Uint8Array | undefined {
    const at = position - windowStart
    if (at < 0 || at + length > window.length) return undefined
    position += length
    return window.subarray(at, at + length)
  }

  async function fill(length: number): Promise<void> {
    windowStart = position
    window = await source.read(position, Math.max(0, Math.min(Math.max(windowSize, length), source.size - position)))
  }

  return {
    get position() {
      return position
    },
    takeNow,
    async some(most) {
      if (position >= source.size) return undefined
      const at = position - windowStart
      if (at < 0 || at >= window.length) await fill(Math.min(most, windowSize))
      return takeNow(Math.min(most, window.length - (position - windowStart)))
    },
    async take(length) {
      const now = takeNow(length)
      if (now !== undefined) return now
      if (position >= source.size) return undefined
      await fill(length)
      const taken = takeNow(length)
      if (taken === undefined) throw broken()
      return taken
    },
    async skip(length) {
      if (position + length > source.size) throw broken()
      position += length
    },
    close: async () => {},
  }
}
