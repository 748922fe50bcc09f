import { expect, test } from 'bun:test'
import type { Entry, OpenFile } from '../storage/port.ts'
import { passingPiecesOf } from './content.ts'
import { batched } from './stream.ts'

const taken = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer[]> => {
  const copies: Buffer[] = []
  for await (const piece of pieces) copies.push(Buffer.from(piece))
  return copies
}

test('batched joins small pieces in memory of its own, and passes large ones on', async () => {
  const large = Buffer.alloc(100_000, 'L')
  async function* pieces() {
    const small = Buffer.alloc(30_000)
    for (const letter of 'abcdefghijkl') yield small.fill(letter)
    yield large
    yield small.fill('m')
    small.fill('-')
  }
  const joined = await taken(batched(pieces()))
  expect(joined.map(({ length }) => length)).toEqual([240_000, 120_000, 100_000, 30_000])
  const letters = [...'abcdefghijkl'].map((letter) => letter.repeat(30_000)).join('')
  expect(Buffer.concat(joined).toString() === `${letters}${'L'.repeat(100_000)}${'m'.repeat(30_000)}`).toBe(true)
  expect(await taken(batched((async function* () {})()))).toEqual([])
})

test('passingPiecesOf reads a file into a few pieces of memory, each good until the next is asked for', async () => {
  const content = crypto.getRandomValues(Buffer.alloc(65_536))
  const byteAt = (at: number) => content[at % 65_521] as number
  const size = 5_000_001
  let length = size
  const file = {
    entry: { name: 'a' } as Entry,
    async readInto(memory: Uint8Array, start: number) {
      await Bun.sleep(0)
      const end = Math.min(start + memory.length, length)
      for (let at = start; at < end; at += 1) memory[at - start] = byteAt(at)
      return Math.max(0, end - start)
    },
  } as OpenFile
  const memory = new Set<ArrayBufferLike>()
  let at = 0
  for await (const piece of passingPiecesOf(file, size)) {
    memory.add(piece.buffer)
    await Bun.sleep(1)
    expect(piece.every((byte, index) => byte === byteAt(at + index))).toBe(true)
    at += piece.length
  }
  expect([at, memory.size < 6]).toEqual([size, true])
  length -= 1
  await expect(taken(passingPiecesOf(file, size))).rejects.toMatchObject({ code: 'changed-meanwhile' })
})
