import { ptr } from 'bun:ffi'
import { check, libc } from './libc.ts'

export interface Space {
  /** Nothing where the file system does not tell. */
  readonly total: number
  /** What any account may take; some of what is free may be kept for root. */
  readonly available: number
}

// `struct statfs` of 64-bit Linux, as both C libraries have it: numbers of 64 bits, and room for those to come.
const fields = new BigUint64Array(new ArrayBuffer(256))
const fieldsAt = ptr(fields)
const field = { type: 0, blockSize: 1, blocks: 2, available: 4, fragmentSize: 9 }

export function spaceAt(fd: number): Space {
  check('fstatfs', libc.fstatfs(fd, fieldsAt))
  const unit = numberIn('fragmentSize') || numberIn('blockSize')
  return { total: numberIn('blocks') * unit, available: numberIn('available') * unit }
}

/** The number of the kernel for the kind of file system that an open file lies on. */
export function fileSystemAt(fd: number): number {
  check('fstatfs', libc.fstatfs(fd, fieldsAt))
  return numberIn('type')
}

const numberIn = (name: keyof typeof field): number => Number(fields[field[name]])
