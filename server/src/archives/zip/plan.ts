import { createHash } from 'node:crypto'
import type { Member } from '../members.ts'
import { centralLength, ending, localLength, recordOf, sizeOf } from './records.ts'

/** What can be said of a zip before its first byte, because nothing in it is compressed. */
export interface Plan {
  readonly length: number
  /** Where the directory starts, which needs the checksum of every file. */
  readonly directory: number
  /** Changes when any name, size, time, mode or identity does. */
  readonly version: string
}

/** Grows with every member that is found. */
export function planning() {
  const hash = createHash('sha256')
  let [count, offset, length] = [0, 0, 0]
  return {
    add(member: Member): void {
      const { mode, seconds, nanoseconds, id, version } = member.entry
      hash.update(`${member.name}\0${[sizeOf(member.entry), mode, seconds, nanoseconds, id ?? version].join()}\n`)
      const record = recordOf(member)
      count += 1
      length += centralLength(record, offset)
      offset += localLength(record)
    },
    plan: (): Plan => ({
      length: offset + length + ending(count, length, offset).length,
      directory: offset,
      version: `"${hash.digest('hex').slice(0, 40)}"`,
    }),
  }
}
