import { expect, test } from 'bun:test'
import { mostParts, partSizeFor, sizeOfPart, usualSizes } from './multipart.ts'

const mebibyte = 2 ** 20
const tebibyte = 2 ** 40

test.each([0, 1, 80e9, 81e9, 1e12, 5 * tebibyte, 50e12])('ten thousand parts are enough for %d bytes', (length) => {
  const size = partSizeFor(usualSizes, length)
  expect(Math.ceil(length / size)).toBeLessThanOrEqual(mostParts)
  expect([size % mebibyte, size >= 5 * mebibyte, size <= 5 * 1024 * mebibyte]).toEqual([0, true, true])
})

test('parts of an unknown length are equal at first, then longer, and enough for more than a terabyte', () => {
  const sizes = Array.from({ length: mostParts }, (_, at) => sizeOfPart(usualSizes.part, at))
  expect([sizes[0], sizes[3999], sizes[4000]]).toEqual([8 * mebibyte, 8 * mebibyte, 16 * mebibyte])
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(tebibyte)
  expect(Math.max(...sizes)).toBeLessThan(512 * mebibyte)
})
