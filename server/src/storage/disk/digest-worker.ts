import { readSync } from 'node:fs'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { poolTasks } from '../../concurrency/worker.ts'
import type { DigestAlgorithm } from '../port.ts'

declare const self: Worker

export interface DigestTask {
  /** Descriptors belong to the process, so this thread can read what another one has opened. */
  readonly fd: number
  readonly algorithm: DigestAlgorithm
  /** Not 0 when the result is no longer wanted. */
  readonly stop: Int32Array<SharedArrayBuffer>
  /** How many bytes have been read. */
  readonly done: BigInt64Array<SharedArrayBuffer>
}

/** Filled again and again: larger pieces do not fit into the processor's cache. */
const memory = new Uint8Array(262_144)

/** Nothing where it was stopped. */
async function digestOf({ fd, algorithm, stop, done }: DigestTask): Promise<string | null> {
  const hash = new Bun.CryptoHasher(algorithm)
  const pause = timeSlices()
  for (let at = 0; ; ) {
    if (Atomics.load(stop, 0) !== 0) return null
    const length = readSync(fd, memory, 0, memory.length, at)
    if (length === 0) return hash.digest('hex')
    hash.update(memory.subarray(0, length))
    at += length
    Atomics.store(done, 0, BigInt(at))
    const rest = pause()
    if (rest !== undefined) await rest
  }
}

self.onmessage = poolTasks(digestOf)
