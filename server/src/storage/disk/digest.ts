import { availableParallelism } from 'node:os'
import { workerPool } from '../../concurrency/worker-pool.ts'
import { digestWorker } from '../../parts.ts'
import type { DigestAlgorithm } from '../port.ts'
import type { DigestTask } from './digest-worker.ts'

/** Files that are hashed by one worker take turns, so that a small one need not wait for a large one. */
const options = { most: Math.min(availableParallelism(), 4), tasksAtOnce: 64, idleAfter: 10_000 }
const pool = workerPool<DigestTask, string | null>(digestWorker, options)

/** In milliseconds: so often is told how far it is. */
const toldEvery = 250

/** The descriptor must stay open until this is over, also when it was aborted. */
export async function digestOf(
  fd: number,
  algorithm: DigestAlgorithm,
  signal: AbortSignal,
  progress?: (bytes: number) => void,
): Promise<string> {
  signal.throwIfAborted()
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const onAbort = () => void Atomics.store(stop, 0, 1)
  signal.addEventListener('abort', onAbort)
  const done = new BigInt64Array(new SharedArrayBuffer(8))
  const telling = progress && setInterval(() => progress(Number(Atomics.load(done, 0))), toldEvery)
  try {
    const digest = await pool.run({ fd, algorithm, stop, done })
    signal.throwIfAborted()
    return digest ?? ''
  } finally {
    clearInterval(telling)
    signal.removeEventListener('abort', onAbort)
  }
}
