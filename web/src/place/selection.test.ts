import { expect, test } from 'bun:test'
import { click, everything, keepExisting, nothing, only } from './selection.ts'

const shown = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }))
const names = (selection: { names: ReadonlySet<string> }) => [...selection.names].sort().join('')

test('a click chooses one, a toggle adds and takes away', () => {
  const one = click(only('a', 'b'), shown, 'c', 'only')
  expect(names(one)).toBe('c')
  const two = click(one, shown, 'e', 'toggle')
  expect(names(two)).toBe('ce')
  expect(names(click(two, shown, 'c', 'toggle'))).toBe('e')
})

test('a range goes both ways and starts at the same place each time', () => {
  const start = only('c')
  const down = click(start, shown, 'e', 'range')
  expect(names(down)).toBe('cde')
  expect(names(click(down, shown, 'a', 'range'))).toBe('abc')
})

test('a range can be added to what is chosen', () => {
  const apart = click(click(only('a'), shown, 'd', 'toggle'), shown, 'e', 'range-add')
  expect(names(apart)).toBe('ade')
})

test('a range without a start, or with one that is gone, is the one entry', () => {
  expect(names(click(nothing, shown, 'd', 'range'))).toBe('d')
  expect(names(click(only('gone'), shown, 'd', 'range'))).toBe('d')
})

test('everything is everything, and starts at the top', () => {
  expect(names(everything(shown))).toBe('abcde')
  expect(names(click(everything(shown), shown, 'b', 'range'))).toBe('ab')
})

test('after a reload what is gone is no longer chosen, and nothing changes if all is there', () => {
  const chosen = only('b', 'gone')
  expect(names(keepExisting(chosen, shown))).toBe('b')
  const whole = only('b', 'c')
  expect(keepExisting(whole, shown)).toBe(whole)
  expect(keepExisting(only('gone', 'b'), shown).anchor).toBeNull()
})
