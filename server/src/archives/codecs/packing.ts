import { availableParallelism } from 'node:os'
import { workerPool } from '../../concurrency/worker-pool.ts'
import { packingWorker } from '../../parts.ts'
import type { PackingLevel, PackingTask } from './packing-worker.ts'

/** All archives share the workers block by block: a hundred of them are slow together, and nothing else is. */
const most = Math.min(availableParallelism(), 4)
const pool = workerPool<PackingTask, Uint8Array<ArrayBuffer>>(packingWorker, { most, idleAfter: 10_000 })

/** So many blocks of one archive are packed at once, or wait for it. */
export const blocksAtOnce = most + 1

/** The memory of the block goes to a worker. */
export function packed(
  codec: PackingTask['codec'],
  block: Uint8Array<ArrayBuffer>,
  level?: PackingLevel,
): Promise<Uint8Array<ArrayBuffer>> {
  const pack = () => pool.run({ codec, block, level }, [block.buffer])
  return isZero(block) ? packedZeros(`${codec} ${level} ${block.length}`, pack) : pack()
}

/** As long as the largest block of any codec. */
const zeros = new Uint8Array(4 << 20)

/** The holes of a file that is sparse are read as zeros, gigabytes of them. The first other byte ends the comparison. */
const isZero = (block: Uint8Array): boolean =>
  block.length >= 1 << 20 &&
  block.length <= zeros.length &&
  Buffer.compare(block, zeros.subarray(0, block.length)) === 0

/** Blocks have few sizes. */
const knownZeros = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

async function packedZeros(
  key: string,
  pack: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const known = knownZeros.get(key) ?? pack()
  if (knownZeros.size < 16) knownZeros.set(key, known)
  known.catch(() => knownZeros.delete(key))
  // The consumer may empty what it is given.
  return (await known).slice()
}
