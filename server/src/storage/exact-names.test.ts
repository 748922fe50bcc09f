import { expect, test } from 'bun:test'
import { bytesOf, fromStored, textOf, toStored } from './exact-names.ts'

test.each([
  [0x61],
  [0xe9],
  [0x63, 0x61, 0x66, 0xe9, 0x2f, 0x80, 0xff],
  [...Buffer.from('\uffff'), 0xe9, 0x39],
  [...Buffer.from('\uffffe9 \uffff\uffff 😀')],
])('a name of these bytes is the same after a database has kept it: %j', (...bytes) => {
  const stored = toStored(textOf(Uint8Array.from(bytes)))
  expect(stored.isWellFormed()).toBe(true)
  expect([...bytesOf(fromStored(stored))]).toEqual(bytes)
})

test('a name that is UTF-8 is kept as it is', () => {
  for (const name of ['/a/b', 'ünïcödé', '100%e9']) expect([toStored(name), fromStored(name)]).toEqual([name, name])
})
