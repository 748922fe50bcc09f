import { expect, test } from 'bun:test'
import type { OpenFile } from '../../storage/port.ts'
import { type Bytes, bytesOf, Unreadable } from './bytes.ts'
import { imageReaders } from './images.ts'

/** A file of so many filler bytes behind the beginning of a JPEG, and how often it was read and looked at. */
function fillers(length: number, isInMemory: boolean) {
  const content = Buffer.alloc(length, 0xff)
  content[1] = 0xd8
  const told = { reads: 0, steps: 0 }
  const bytes = bytesOf({
    entry: { size: length },
    ...(isInMemory && { bytes: content }),
    async readInto(memory: Buffer, start: number) {
      told.reads += 1
      return content.copy(memory, 0, start)
    },
  } as unknown as OpenFile)
  const counted: Bytes = {
    size: bytes.size,
    at(start, length) {
      told.steps += 1
      return bytes.at(start, length)
    },
  }
  return { told, counted }
}

test('a file of endless small parts is given up, whether it has to be read or is in memory', async () => {
  for (const isInMemory of [true, false]) {
    const { told, counted } = fillers(60_000, isInMemory)
    expect(await imageReaders['image/jpeg']?.(counted).catch((error) => error)).toBeInstanceOf(Unreadable)
    expect(told.steps).toBeLessThan(5000)
    expect(told.reads).toBeLessThanOrEqual(100)
  }
})
