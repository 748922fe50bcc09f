import { expect, test } from 'bun:test'
import { TypeAhead } from './type-ahead.ts'

const shown = ['Alpha', 'atlas', 'beta 1', 'beta 2', 'Zebra'].map((name) => ({ name }))

test('letters typed in one go find the whole start', () => {
  const typeAhead = new TypeAhead()
  expect(typeAhead.next('b', shown, 0, 0)).toBe(2)
  for (const [step, key] of [...'eta '].entries()) typeAhead.next(key, shown, 2, (step + 1) * 100)
  expect(typeAhead.isTyping(600)).toBe(true)
  expect(typeAhead.next('2', shown, 2, 700)).toBe(3)
})

test('the row that has the focus can be found again', () => {
  const typeAhead = new TypeAhead()
  const first = typeAhead.next('a', shown, 0, 0)
  expect(first).toBe(1)
  expect(typeAhead.next('l', shown, first, 100)).toBe(0)
})

test('the same letter goes on to the next, after a pause a new word begins', () => {
  const typeAhead = new TypeAhead()
  expect(typeAhead.next('b', shown, 0, 0)).toBe(2)
  expect(typeAhead.next('b', shown, 2, 200)).toBe(3)
  expect(typeAhead.next('z', shown, 3, 5000)).toBe(4)
})

test('nothing found stays where it is', () => {
  expect(new TypeAhead().next('q', shown, 0, 0)).toBe(-1)
})
