import { expect, test } from 'bun:test'
import { hasPlace } from './places.ts'

const copy = (userId: number, isStalled = false) => ({ userId, kind: 'copy' as const, isStalled })

test('four copies run at once, two of one account, and a removal beside them', () => {
  const running = [copy(1), copy(1), copy(2)]
  expect([hasPlace(running, copy(1)), hasPlace(running, copy(3))]).toEqual([false, true])
  expect(hasPlace([...running, copy(3)], copy(4))).toBe(false)
  expect(hasPlace([...running, copy(3)], { userId: 1, kind: 'delete' })).toBe(true)
})

test('copies whose disk does not answer keep no other account waiting, but their own', () => {
  const hung = [copy(1, true), copy(1, true), copy(2, true), copy(2, true)]
  expect([hasPlace(hung, copy(3)), hasPlace(hung, copy(1))]).toEqual([true, false])
  expect(hasPlace([...hung, copy(3), copy(3), copy(4), copy(4)], copy(5))).toBe(false)
})
