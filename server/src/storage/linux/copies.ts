import { ptr } from 'bun:ffi'
import { writeSync } from 'node:fs'
import { Errno } from './errno.ts'
import { check, newerLibc } from './libc.ts'

const positions = new BigInt64Array(new ArrayBuffer(16))
const [readingAt, writingAt] = [ptr(positions), ptr(positions, 8)]

/** Keeps its thread waiting. */
export function copyRange(from: number, to: number, position: number, length: number): number {
  if (newerLibc === undefined) throw new Errno('ENOSYS', 'copy_file_range')
  positions.fill(BigInt(position))
  return check('copy_file_range', newerLibc.copy_file_range(from, readingAt, to, writingAt, length, 0))
}

/** Of larger files, the way through this process costs more than it saves. */
const largestFromMemory = 64 * 1024
const RWF_NOWAIT = 8

const content = new Uint8Array(new ArrayBuffer(largestFromMemory))
/** Where it is, and how much of it is to be filled. */
const vector = new BigUint64Array(new ArrayBuffer(16))
const vectorAt = ptr(vector)

/** False where the file is larger, not all of it is in the kernel's memory, or a file system does not tell. */
export function copyFromMemory(from: number, to: number, size: number): boolean {
  if (newerLibc === undefined || size > largestFromMemory) return false
  // Set each time: a buffer that no code refers to any more is given back, although the kernel has its address.
  vector[0] = BigInt(ptr(content))
  vector[1] = BigInt(size)
  if (size > 0 && Number(newerLibc.preadv2(from, vectorAt, 1, 0, RWF_NOWAIT)) !== size) return false
  for (let at = 0; at < size; ) at += writeSync(to, content, at, size - at, at)
  return true
}
