import { availableParallelism } from 'node:os'
import { workerPool } from '../../concurrency/worker-pool.ts'
import { packingWorker } from '../../parts.ts'
import type { PackingTask } from './packing-worker.ts'

/** All archives share the workers block by block: a hundred of them are slow together, and nothing else is. */
const most = Math.min(availableParallelism(), 4)
const pool = workerPool<PackingTask, Uint8Array<ArrayBuffer>>(packingWorker, { most, idleAfter: 10_000 })

/** So many blocks of one archive are packed at once, or wait for it. */
export const blocksAtOnce = most + 1

/** The memory of the block goes to a worker. */
export const packed = (codec: PackingTask['codec'], block: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  pool.run({ codec, block }, [block.buffer])
