import { type Bytes, Unreadable } from './bytes.ts'

/** A box of MP4 and its relatives: what lies between `start` and `end` is its content. */
export interface Box {
  type: string
  start: number
  end: number
}

/** The boxes that lie side by side between two places of a file. */
export async function* boxesIn(bytes: Bytes, start: number, end: number): AsyncGenerator<Box> {
  for (let at = start; at + 8 <= end; ) {
    const head = await bytes.at(at, 16)
    if (head.length < 8) return
    const short = head.readUInt32BE(0)
    const isLong = short === 1 && head.length === 16
    // None: as far as the file goes.
    const length = short === 0 ? end - at : isLong ? Number(head.readBigUInt64BE(8)) : short
    if (length < (isLong ? 16 : 8)) throw new Unreadable()
    yield { type: head.toString('latin1', 4, 8), start: at + (isLong ? 16 : 8), end: Math.min(end, at + length) }
    at += length
  }
}
