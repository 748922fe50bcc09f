import { expect, test } from 'bun:test'
import { click, everything, gathered, isPressed, keepExisting, movedTo, nothing, only, pressed } from './selection.ts'

const shown = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }))
const names = (selection: { names: ReadonlySet<string> }) => [...selection.names].sort().join('')

test('a click selects one entry, a toggle adds and removes', () => {
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

test('a range can be added to the selection', () => {
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

test('after a reload an entry that is gone is no longer selected, and nothing changes if all are there', () => {
  const chosen = only('b', 'gone')
  expect(names(keepExisting(chosen, shown))).toBe('b')
  const whole = only('b', 'c')
  expect(keepExisting(whole, shown)).toBe(whole)
  expect(keepExisting(only('gone', 'b'), shown).anchor).toBeNull()
})

test('the selection follows the arrows', () => {
  expect(names(movedTo(nothing, 'b'))).toBe('b')
  expect(names(movedTo(only('a', 'd'), 'c'))).toBe('c')
  const moved = movedTo(movedTo(only('a'), 'b'), 'c')
  expect(names(moved)).toBe('c')
  expect(movedTo(moved, 'c')).toBe(moved)
  expect(names(click(moved, shown, 'e', 'range'))).toBe('cde')
})

test('Space keeps the row that the arrows have selected, and toggles it from then on', () => {
  const kept = gathered(movedTo(nothing, 'b'), shown, 'b')
  expect(names(kept)).toBe('b')
  expect(names(gathered(kept, shown, 'b'))).toBe('')
  expect(names(gathered(only('b'), shown, 'b'))).toBe('')
})

test('rows that Space has gathered stay selected while the arrows move on', () => {
  const first = gathered(movedTo(nothing, 'b'), shown, 'b')
  const both = gathered(movedTo(movedTo(first, 'c'), 'd'), shown, 'd')
  expect(names(both)).toBe('bd')
  expect(names(movedTo(both, 'e'))).toBe('bd')
  const none = gathered(gathered(both, shown, 'b'), shown, 'd')
  expect(names(movedTo(none, 'e'))).toBe('e')
  expect(names(movedTo(keepExisting(both, [{ name: 'a' }]), 'a'))).toBe('a')
})

test('a long press adds and never removes, and taps go on from there until nothing is left', () => {
  const first = pressed(only('b'), 'b')
  expect(names(first)).toBe('b')
  expect(names(pressed(first, 'd'))).toBe('bd')
  expect(isPressed(keepExisting(first, shown))).toBe(true)
  expect(isPressed(only('b'))).toBe(false)
  expect(isPressed({ ...click(first, shown, 'b', 'toggle'), by: 'press' })).toBe(false)
})
