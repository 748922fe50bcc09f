import { dlopen, FFIType, type Pointer, toArrayBuffer } from 'bun:ffi'
import { fstatSync, readSync } from 'node:fs'
import { Failure } from '../../failure.ts'

/** Larger files are mapped: their pages count as page cache and not as memory of this process. */
const largestRead = 4 << 20
/** Decoders of these read a file in one pass; others hold it as a whole beside the picture. */
const readPiecewise = new Set(['image/jpeg', 'image/png', 'image/tiff'])
const mostInMemory = 40 << 20

const [PROT_READ, MAP_PRIVATE] = [1, 2]

interface Content extends Disposable {
  readonly bytes: Uint8Array
}

/** The bytes of an open file, which may be shared with the server: its position is not touched. */
export function contentOf(descriptor: number, source: string): Content {
  const { size } = fstatSync(descriptor)
  if (size > mostInMemory && !readPiecewise.has(source))
    throw new Failure('too-large', 'The file is too large for a preview')
  return (size > largestRead ? mapped(descriptor, size) : undefined) ?? readWhole(descriptor, size)
}

function readWhole(descriptor: number, size: number): Content {
  if (size > mostInMemory) throw new Failure('too-large', 'The file is too large for a preview')
  const bytes = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const count = readSync(descriptor, bytes, filled, size - filled, filled)
    if (count === 0) break
    filled += count
  }
  return { bytes: bytes.subarray(0, filled), [Symbol.dispose]() {} }
}

/** Undefined where the file system cannot map. A file that shrinks meanwhile ends this process, and costs one preview. */
function mapped(descriptor: number, size: number): Content | undefined {
  const { mmap, munmap } = openLibrary()
  const address = Number(mmap(null, size, PROT_READ, MAP_PRIVATE, descriptor, 0))
  if (address === -1) return undefined
  return {
    bytes: new Uint8Array(toArrayBuffer(address as Pointer, 0, size)),
    [Symbol.dispose]: () => void munmap(address, size),
  }
}

function openLibrary() {
  const musl = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`
  for (const name of ['libc.so.6', musl]) {
    try {
      return dlopen(name, {
        mmap: { args: ['ptr', 'u64', 'i32', 'i32', 'i32', 'i64'], returns: FFIType.i64_fast },
        munmap: { args: [FFIType.i64_fast, 'u64'], returns: 'i32' },
      }).symbols
    } catch {
      // The next name.
    }
  }
  throw new Failure('too-large', 'The file is too large for a preview')
}
