import { breathe } from '../concurrency/pauses.ts'
import { Failure } from '../failure.ts'

/** All that is kept for takers who are slower than we are, in bytes, and each of them in the order they last took. */
interface Shelf {
  readonly most: number
  kept: number
  readonly spools: Set<Spool>
}

interface Spool {
  kept: number
  fail(error: Error): void
}

export const shelfOf = (most: number): Shelf => ({ most, kept: 0, spools: new Set() })

/** Enough for hundreds of listings of a hundred thousand entries, which are a few hundred kilobytes each when packed. */
const commonShelf = shelfOf(64 << 20)

export interface SpoolOptions {
  /** After so many milliseconds what is left is made at once. */
  after: number
  shelf?: Shelf
  /** Called once: the source is exhausted or dropped, and what it was made from can go. */
  drained(): void
  /** Called when it is given up: the taker may never ask again. */
  givenUp(error: Error): void
}

/**
 * Makes pieces as they are taken, for a moment; what has not been taken by then is made at once and kept packed. What the
 * pieces are made from, which is much larger, never has to wait for a taker that is slow or takes nothing at all.
 * When all that is kept becomes too much, the one who has taken nothing for the longest time is given up.
 */
export function spooled(
  pieces: Iterator<string>,
  { after, shelf = commonShelf, drained, givenUp }: SpoolOptions,
): AsyncIterableIterator<string> {
  let source: Iterator<string> | undefined = pieces
  let packed: Buffer[] = []
  let failure: Error | undefined
  const spool: Spool = {
    kept: 0,
    fail(error) {
      if (failure !== undefined) return
      failure = error
      close()
      givenUp(error)
    },
  }

  function exhausted(): void {
    if (source === undefined) return
    source = undefined
    clearTimeout(timer)
    drained()
  }

  function close(): void {
    exhausted()
    packed = []
    keep(-spool.kept)
    shelf.spools.delete(spool)
  }

  function keep(bytes: number): void {
    spool.kept += bytes
    shelf.kept += bytes
  }

  function made(): string | undefined {
    const result = source?.next()
    if (result === undefined) return undefined
    if (!result.done) return result.value
    exhausted()
    return undefined
  }

  async function drain(): Promise<void> {
    shelf.spools.add(spool)
    for (let piece = made(); piece !== undefined; piece = made()) {
      const bytes = Bun.zstdCompressSync(Buffer.from(piece), { level: 1 })
      packed.push(bytes)
      keep(bytes.length)
      for (const longestIdle of shelf.spools) {
        if (shelf.kept <= shelf.most) break
        longestIdle.fail(tooMuchKept())
      }
      await breathe()
    }
  }

  const timer = setTimeout(() => void drain().catch((error) => spool.fail(error)), after)

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      if (failure !== undefined) throw failure
      const bytes = packed.shift()
      if (bytes !== undefined) {
        keep(-bytes.length)
        // The last in the order of those who took something.
        if (shelf.spools.delete(spool)) shelf.spools.add(spool)
        return { done: false, value: Bun.zstdDecompressSync(bytes).toString() }
      }
      const value = made()
      if (value !== undefined) return { done: false, value }
      close()
      return { done: true, value: undefined }
    },
    async return() {
      close()
      return { done: true, value: undefined }
    },
  }
}

const tooMuchKept = () => new Failure('incomplete', 'Nothing was taken for a while, and there is no room to keep it')
