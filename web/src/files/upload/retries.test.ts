import { expect, test } from 'bun:test'
import { judge, smallerPiece } from './retries.ts'

test.each([
  [0, false, null, 'cut-off'],
  [200, false, null, 'cut-off'],
  [502, false, null, 'cut-off'],
  [503, true, 'unavailable', 'again'],
  [500, true, 'internal', 'again'],
  [423, true, 'locked', 'again'],
  [409, true, 'wrong-offset', 'again'],
  [409, true, 'already-exists', 'refused'],
  [507, true, 'no-space', 'refused'],
  [413, true, 'too-large', 'refused'],
  [413, false, null, 'smaller'],
  [405, false, null, 'other-way'],
  [501, false, null, 'other-way'],
  [403, false, null, 'other-way'],
  [403, true, 'forbidden', 'refused'],
  [401, false, null, 'refused'],
] as const)('an answer %d, from the server: %p, code %p, is judged "%s"', (status, isOwn, code, verdict) => {
  expect(judge({ status, isOwn, code })).toBe(verdict)
})

test('pieces are halved down to 16 KiB', () => {
  expect([smallerPiece(1024 * 1024), smallerPiece(20 * 1024), smallerPiece(16 * 1024)]).toEqual([
    512 * 1024,
    16 * 1024,
    null,
  ])
})
