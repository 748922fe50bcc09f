import { expect, test } from 'bun:test'
import { PlainEntry } from '../../storage/entry.ts'
import { type PackedRecord, packedCentralHeader, packedDescriptor, packedLocalHeader } from './packed-records.ts'

const gigabyte = 2 ** 30
const facts = {
  name: 'a',
  kind: 'file',
  isLink: false,
  size: 0,
  mode: 0o640,
  seconds: 1_700_000_000,
  nanoseconds: 0,
} as const
const entry = new PlainEntry(facts, { version: '"1"' })
const recordOf = (size: number, packed: number, more: Partial<PackedRecord> = {}): PackedRecord => ({
  ...{ name: Buffer.from('name'), entry, isStored: false, isLate: true, checksum: 0x1234_5678, size, packed },
  ...more,
})

/** The values of the zip64 field, which is the last one. */
function valuesOf(header: Uint8Array, count: number): number[] {
  const view = Buffer.from(header)
  const start = view.length - count * 8
  expect([view.readUInt16LE(start - 4), view.readUInt16LE(start - 2)]).toEqual([1, count * 8])
  return Array.from({ length: count }, (_, index) => Number(view.readBigUInt64LE(start + index * 8)))
}

const numberAt = (header: Uint8Array, at: number): number => Buffer.from(header).readUInt32LE(at)

test('a directory names what does not fit 32 bits in the order of its fields', () => {
  const both = packedCentralHeader(recordOf(9 * gigabyte, 8 * gigabyte), 7 * gigabyte)
  expect(valuesOf(both, 3)).toEqual([9 * gigabyte, 8 * gigabyte, 7 * gigabyte])
  expect([20, 24, 42].map((at) => numberAt(both, at))).toEqual([0xffff_ffff, 0xffff_ffff, 0xffff_ffff])
  const onlyOffset = packedCentralHeader(recordOf(10, 8), 7 * gigabyte)
  expect(valuesOf(onlyOffset, 1)).toEqual([7 * gigabyte])
  expect([20, 24, 42].map((at) => numberAt(onlyOffset, at))).toEqual([8, 10, 0xffff_ffff])
  const onlySize = packedCentralHeader(recordOf(9 * gigabyte, 8), 5)
  expect(valuesOf(onlySize, 1)).toEqual([9 * gigabyte])
  expect(packedCentralHeader(recordOf(10, 8), 5).length).toBe(46 + 4 + 9)
})

test('the header of a large file has the field without which readers expect short lengths behind it', () => {
  const large = recordOf(9 * gigabyte, 8 * gigabyte)
  expect(valuesOf(packedLocalHeader(large), 2)).toEqual([0, 0])
  expect(packedDescriptor(large).length).toBe(24)
  const stored = recordOf(9 * gigabyte, 9 * gigabyte, { isStored: true })
  expect(valuesOf(packedLocalHeader(stored), 2)).toEqual([9 * gigabyte, 9 * gigabyte])
  // What cannot be compressed may grow beyond 32 bits.
  expect(packedDescriptor(recordOf(4 * gigabyte - 1000, 4 * gigabyte + 5)).length).toBe(24)
  expect(packedDescriptor(recordOf(gigabyte, 5)).length).toBe(16)
})

test('the header of a small file tells checksum and lengths', () => {
  const header = packedLocalHeader(recordOf(10, 8, { isLate: false }))
  expect([14, 18, 22].map((at) => numberAt(header, at))).toEqual([0x1234_5678, 8, 10])
  expect(numberAt(header, 6) & 0xffff).toBe(1 << 11)
})
