import { type ChecksumAlgorithm, checksumAlgorithms } from '@filestead/contract'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import type { OpenFile } from '../storage/port.ts'

export function parseAlgorithm(text: string): ChecksumAlgorithm {
  const algorithm = checksumAlgorithms.find((name) => name === text)
  if (algorithm === undefined) throw new Failure('invalid', `unknown checksum ${JSON.stringify(text)}`)
  return algorithm
}

export async function checksumOf(
  file: OpenFile,
  algorithm: ChecksumAlgorithm,
  signal: AbortSignal,
  progress?: (bytes: number) => void,
): Promise<string> {
  if (file.bytes !== undefined) return new Bun.CryptoHasher(algorithm).update(file.bytes).digest('hex')
  return file.digest === undefined ? digestOfContent(file, algorithm, signal) : file.digest(algorithm, signal, progress)
}

/** Reads the file piece by piece, and yields to the event loop in between. */
async function digestOfContent(file: OpenFile, algorithm: ChecksumAlgorithm, signal: AbortSignal): Promise<string> {
  const hash = new Bun.CryptoHasher(algorithm)
  const pause = timeSlices(signal)
  for await (const piece of file.content.stream()) {
    signal.throwIfAborted()
    hash.update(piece)
    // Reads from the page cache never wait; without a pause the event loop would be blocked.
    await pause()
  }
  return hash.digest('hex')
}
