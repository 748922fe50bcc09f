import type { Entry } from '../../storage/port.ts'

/** The time in seconds since 1970, which most readers prefer to the one in the header. */
export function timeField({ seconds }: Entry): Uint8Array {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x5455, 0)
  field.writeUInt16LE(5, 2)
  field[4] = 1
  field.writeInt32LE(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, seconds)), 5)
  return field
}

/** Values too large for their place in the header, in the order of their places. */
export function zip64Field(values: readonly number[]): Uint8Array {
  const field = Buffer.alloc(4 + values.length * 8)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(values.length * 8, 2)
  for (const [at, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + at * 8)
  return field
}

/** Years from 1980 to 2107, in steps of two seconds and in the time of this place. */
export function dosTime(seconds: number): { time: number; date: number } {
  const at = new Date(seconds * 1000)
  const year = at.getFullYear()
  if (!(year >= 1980)) return { time: 0, date: (1 << 5) | 1 }
  if (year > 2107) return { time: 0xbf7d, date: 0xff9f }
  return {
    time: (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
    date: ((year - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
  }
}
