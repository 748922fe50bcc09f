import { expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { gzip, isCompressedAlready } from './gzip.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function packed(bytes: Buffer, size = 100_000): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of gzip(inPieces(bytes, size))) pieces.push(piece)
  return Buffer.concat(pieces)
}

const random = (length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}
const words = (length: number): Buffer => {
  const lines = Array.from({ length: length / 20 }, (_, count) => `line ${(count * 7919) % 10_007} of many\n`)
  return Buffer.from(lines.join('')).subarray(0, length)
}

test.each([
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from('x')],
  ['exactly one block', words(1_048_576)],
  ['words', words(3_000_000)],
  ['bytes that cannot be packed', random(1_000_000)],
  ['both in turn', Buffer.concat([words(400_000), random(600_000), words(700_000), random(20_000)])],
])('gzip of %s is a file that unpacks to the same bytes', async (_, bytes) => {
  const file = await packed(bytes)
  expect(gunzipSync(file).equals(bytes)).toBe(true)
  const { exitCode, stdout } = Bun.spawnSync(['gzip', '-dc'], { stdin: new Uint8Array(file) })
  expect([exitCode, stdout.equals(bytes)]).toEqual([0, true])
})

test('gzip makes text small, and random bytes hardly larger', async () => {
  expect((await packed(words(2_000_000))).length).toBeLessThan(500_000)
  expect((await packed(random(2_000_000))).length).toBeLessThan(2_001_000)
  expect([isCompressedAlready(random(262_144)), isCompressedAlready(words(262_144))]).toEqual([true, false])
})

test('gzip ends its source when its consumer stops', async () => {
  let isOver = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield words(100_000)
    } finally {
      isOver = true
    }
  }
  for await (const piece of gzip(endless())) if (piece.length > 100) break
  expect(isOver).toBe(true)
})

test('gzip fails when its source fails', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield words(600_000)
    throw new Error('disk')
  }
  const taken = (async () => {
    for await (const _ of gzip(broken()));
  })()
  const [{ status }] = await Promise.allSettled([taken])
  expect(status).toBe('rejected')
})
