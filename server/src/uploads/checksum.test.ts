import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { checker, checksumAlgorithms, parseChecksum } from './checksum.ts'

const pieces = [Buffer.from('hello '), Buffer.from('world')]
const digestOf = (algorithm: string) =>
  algorithm === 'crc32'
    ? Buffer.from('0d4a1185', 'hex').toString('base64')
    : createHash(algorithm).update(Buffer.concat(pieces)).digest('base64')

test.each(checksumAlgorithms)('%s fits the bytes it was made of, and no others', (algorithm) => {
  const checksum = parseChecksum(`${algorithm} ${digestOf(algorithm)}`)
  const [right, wrong] = [checker(checksum), checker(checksum)]
  for (const piece of pieces) right.update(piece)
  expect(() => right.verify()).not.toThrow()
  wrong.update(Buffer.from('hello World'))
  expect(() => wrong.verify()).toThrow('do not fit')
})

test.each(['', 'sha1', 'sha1 ', 'md4 AAAA', 'SHA1 AAAA', 'sha1 not-base64!', 'sha1 AAAA BBBB'])(
  '%p is none',
  (text) => {
    expect(() => parseChecksum(text)).toThrow(expect.objectContaining({ code: 'invalid' }))
  },
)
