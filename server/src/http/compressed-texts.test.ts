import { expect, test } from 'bun:test'
import { compressedTexts } from './compressed-texts.ts'

test('a text is compressed again only when longer ones were asked for since', () => {
  const compressed: string[] = []
  const bytesOf = compressedTexts((bytes) => {
    compressed.push(Buffer.from(bytes).toString())
    return bytes
  }, 10)
  const ask = (...texts: string[]) => texts.map((text) => Buffer.from(bytesOf(text)).toString())
  expect(ask('four', 'four', '5 ch.', 'four')).toEqual(['four', 'four', '5 ch.', 'four'])
  expect(compressed).toEqual(['four', '5 ch.'])
  // Of two the one goes that was not asked for longest.
  ask('next', 'four', '5 ch.')
  expect(compressed).toEqual(['four', '5 ch.', 'next', '5 ch.'])
  // One that does not fit at all drops the others, and itself.
  ask('longer than ten', 'four')
  expect(compressed.slice(4)).toEqual(['longer than ten', 'four'])
})

test('a very long text is not kept', () => {
  let count = 0
  const bytesOf = compressedTexts((bytes) => {
    count += 1
    return bytes
  })
  const long = 'x'.repeat(262_145)
  expect(bytesOf(long).length + bytesOf(long).length).toBe(2 * 262_145)
  expect(count).toBe(2)
})
