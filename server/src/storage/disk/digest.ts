import { availableParallelism } from 'node:os'
import { workerPool } from '../../concurrency/worker-pool.ts'
import { digestWorker } from '../../parts.ts'
import type { DigestAlgorithm } from '../port.ts'
import type { DigestTask } from './digest-worker.ts'

/** Files that are hashed by one worker take turns, so that a small one need not wait for a large one. */
const options = { most: Math.min(availableParallelism(), 4), tasksAtOnce: 64, idleAfter: 10_000 }
const pool = workerPool<DigestTask, string | null>(digestWorker, options)

/** The descriptor must stay open until this is over, also when it was aborted. */
export async function digestOf(fd: number, algorithm: DigestAlgorithm, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const onAbort = () => void Atomics.store(stop, 0, 1)
  signal.addEventListener('abort', onAbort)
  try {
    const digest = await pool.run({ fd, algorithm, stop })
    signal.throwIfAborted()
    return digest ?? ''
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
