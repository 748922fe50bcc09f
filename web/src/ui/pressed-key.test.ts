import { expect, test } from 'bun:test'
import { pressedKey } from './pressed-key.ts'

test.each([
  ['Russian', 'ы', 'KeyS', 's'],
  ['Russian, with Shift', 'А', 'KeyF', 'f'],
  ['Ukrainian', 'і', 'KeyS', 's'],
  ['Greek', 'ψ', 'KeyC', 'c'],
  ['Hebrew', 'ש', 'KeyA', 'a'],
  ['Arabic', 'ؤ', 'KeyC', 'c'],
  ['Arabic, two letters on one key', 'لا', 'KeyB', 'b'],
  ['Korean', 'ㅊ', 'KeyC', 'c'],
  ['Arabic digits', '١', 'Digit1', '1'],
])('%s: the position counts', (_layout, key, code, expected) => {
  expect(pressedKey({ key, code })).toBe(expected)
})

test.each([
  ['Dvorak', 'a', 'KeyA'],
  ['Dvorak, where S is printed on another key', 's', 'Semicolon'],
  ['Dvorak, the key at the place of S', 'o', 'KeyS'],
  ['AZERTY, the key at the place of A', 'q', 'KeyA'],
  ['Czech', 'ě', 'Digit2'],
  ['bépo', 'é', 'KeyW'],
  ['a sign on a layout without Latin letters', '/', 'KeyQ'],
  ['a key without a letter', 'Delete', 'Delete'],
  ['a letter beside the others', 'х', 'BracketLeft'],
])('%s: the key counts as itself', (_layout, key, code) => {
  expect(pressedKey({ key, code })).toBe(key)
})
