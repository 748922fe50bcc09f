import { expect, test } from 'bun:test'
import { isWorthAnotherTry, retryDelays, smallerPiece } from './retries.ts'

test('the first try comes at once, then ever later', () => {
  expect(retryDelays(0)).toEqual([])
  expect(retryDelays(1)).toEqual([0])
  expect(retryDelays(9)).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 20_000])
})

test('a refusal stays one, a stumble does not', () => {
  for (const status of [0, 423, 429, 460, 500, 502, 503]) expect(isWorthAnotherTry(status)).toBe(true)
  for (const status of [400, 401, 403, 404, 409, 413, 507]) expect(isWorthAnotherTry(status)).toBe(false)
})

test('pieces shrink by half, down to a smallest one', () => {
  expect(smallerPiece(10 * 1024 * 1024)).toBe(5 * 1024 * 1024)
  expect(smallerPiece(300 * 1024)).toBe(256 * 1024)
  expect(smallerPiece(256 * 1024)).toBeNull()
})
