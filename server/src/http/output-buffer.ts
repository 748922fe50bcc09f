import { yieldToLoop } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'

/** A memory limit that many buffers share, in bytes. */
interface BufferBudget {
  readonly most: number
  used: number
  /** In LRU order: the buffer whose client has read nothing for the longest time comes first. */
  readonly buffers: Set<OutputBuffer>
}

interface OutputBuffer {
  used: number
  fail(error: Error): void
}

export const bufferBudget = (most: number): BufferBudget => ({ most, used: 0, buffers: new Set() })

/**
 * The budget of the process: enough for hundreds of listings of a hundred thousand entries, which take a few hundred
 * kilobytes each when compressed.
 */
const sharedBudget = bufferBudget(64 << 20)

export interface BufferOptions {
  /** In milliseconds: how long chunks are made on demand before the rest is made at once. */
  after: number
  budget?: BufferBudget
  /** Called once: the source has ended or was dropped, and the memory behind it can be freed. */
  drained(): void
  /** Called when the buffer is evicted: a stalled client may never read again. */
  evicted(error: Error): void
}

/**
 * Backpressure without holding the source. For a moment chunks are made as the client reads them; what is left then is
 * made at once and kept compressed, so that the source, which is much larger, is freed however slowly the client reads.
 * When the budget is used up, the buffer whose client has read nothing for the longest time is evicted.
 */
export function buffered(
  chunks: AsyncIterator<string | Uint8Array>,
  { after, budget = sharedBudget, drained, evicted }: BufferOptions,
): AsyncIterableIterator<string | Uint8Array> {
  let source: AsyncIterator<string | Uint8Array> | undefined = chunks
  let compressed: Buffer[] = []
  let failure: Error | undefined
  /** The chunk that is being made to be kept: the client gets it before the next one. */
  let keeping: Promise<void> | undefined
  const buffer: OutputBuffer = {
    used: 0,
    fail(error) {
      if (failure !== undefined) return
      failure = error
      close()
      evicted(error)
    },
  }

  function releaseSource(): void {
    if (source === undefined) return
    source = undefined
    clearTimeout(timer)
    drained()
  }

  function close(): void {
    void source?.return?.().catch(() => {})
    releaseSource()
    compressed = []
    account(-buffer.used)
    budget.buffers.delete(buffer)
  }

  function account(bytes: number): void {
    buffer.used += bytes
    budget.used += bytes
  }

  async function nextChunk(): Promise<string | Uint8Array | undefined> {
    const result = await source?.next()
    if (result === undefined) return undefined
    if (!result.done) return result.value
    releaseSource()
    return undefined
  }

  async function keepNext(): Promise<void> {
    const chunk = await nextChunk()
    // It may have been closed meanwhile.
    if (chunk === undefined || source === undefined) return
    const bytes = Bun.zstdCompressSync(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, { level: 1 })
    compressed.push(bytes)
    account(bytes.length)
    for (const leastRecent of budget.buffers) {
      if (budget.used <= budget.most) break
      leastRecent.fail(budgetExceeded())
    }
  }

  async function drain(): Promise<void> {
    budget.buffers.add(buffer)
    while (source !== undefined) {
      keeping = keepNext()
      await keeping
      await yieldToLoop()
    }
  }

  const timer = setTimeout(() => void drain().catch((error) => buffer.fail(error)), after)

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      if (compressed.length === 0) await keeping
      if (failure !== undefined) throw failure
      const bytes = compressed.shift()
      if (bytes !== undefined) {
        account(-bytes.length)
        // Inserted again, and so the most recent one.
        if (budget.buffers.delete(buffer)) budget.buffers.add(buffer)
        return { done: false, value: Bun.zstdDecompressSync(bytes) }
      }
      const value = await nextChunk()
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

const budgetExceeded = () => new Failure('incomplete', 'Nothing was taken for a while, and there is no room to keep it')
