import { prefetch } from '../../concurrency/prefetch.ts'
import { startWorker } from '../../concurrency/worker.ts'
import { bzip2Worker } from '../../parts.ts'
import { blocksOf } from './blocks.ts'

/** A little less than the 900,000 bytes that one block of bzip2 holds. */
const blockSize = 899_000
const idleMilliseconds = 10_000

/** Compresses nothing, to see whether the worker finds its library. */
export async function loadBzip2(): Promise<typeof bzip2> {
  await compress(new Uint8Array())
  return bzip2
}

/** Every block is a stream of its own; readers take them as one file. */
async function* bzip2(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const { result } of prefetch(blocksOf(bytes, blockSize), compress, 2)) {
    isEmpty = false
    yield result
  }
  if (isEmpty) yield await compress(new Uint8Array())
}

/**
 * The library blocks its thread, so it has a worker. All archives share it block by block: a hundred of them are slow
 * together, and nothing else is.
 */
let shared: ReturnType<typeof startPacking> | undefined

function compress(block: Uint8Array): Promise<Uint8Array> {
  shared ??= startPacking()
  return shared.compress(block)
}

function startPacking() {
  const worker = startWorker(bzip2Worker)
  const waiting: PromiseWithResolvers<Uint8Array>[] = []
  let idle: Timer | undefined
  const stop = () => {
    shared = undefined
    worker.terminate()
  }
  worker.unref()
  worker.onmessage = ({ data }: MessageEvent<Uint8Array>) => {
    waiting.shift()?.resolve(data)
    if (waiting.length === 0) idle = setTimeout(stop, idleMilliseconds).unref()
  }
  worker.onerror = ({ message }) => {
    stop()
    for (const { reject } of waiting.splice(0)) reject(new Error(`bzip2: ${message}`))
  }
  return {
    compress(block: Uint8Array): Promise<Uint8Array> {
      clearTimeout(idle)
      const answer = Promise.withResolvers<Uint8Array>()
      waiting.push(answer)
      worker.postMessage(block)
      return answer.promise
    },
  }
}
