import { smallContent } from './messages.ts'

/**
 * Memory that a thread reads small files into, and that the event loop sends them from. A new buffer for each file would
 * have both collect garbage every twenty files, which costs more than all the rest of a small download.
 */
export interface ContentSlots {
  /** The number of a free slot, which is taken from now on. Undefined where all are: then the file needs a buffer. */
  take(): number | undefined
  release(slot: number): void
  /** The same memory for both sides, until the slot is released. */
  memoryOf(slot: number, length: number): Uint8Array
}

/** How many slots there are, and how long each is. Pages that nothing was read into take no memory. */
interface Shape {
  readonly count: number
  readonly length: number
}

/** As many as tasks may be on their way to a thread. */
const forFiles: Shape = { count: 16, length: smallContent }
/** For what archives read at once: two that are made at the same time have enough, and the others need buffers. */
export const forGroups: Shape = { count: 8, length: 1 << 19 }

const headLength = ({ count }: Shape): number => count * Int32Array.BYTES_PER_ELEMENT

export const contentMemory = (shape = forFiles): SharedArrayBuffer =>
  new SharedArrayBuffer(headLength(shape) + shape.count * shape.length)

export function contentSlots(memory: SharedArrayBuffer, shape = forFiles): ContentSlots {
  const { count } = shape
  const isTaken = new Int32Array(memory, 0, count)
  return {
    take() {
      for (let slot = 0; slot < count; slot += 1) if (Atomics.compareExchange(isTaken, slot, 0, 1) === 0) return slot
      return undefined
    },
    release: (slot) => void Atomics.store(isTaken, slot, 0),
    memoryOf: (slot, length) => new Uint8Array(memory, headLength(shape) + slot * shape.length, length),
  }
}
