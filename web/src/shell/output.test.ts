import { expect, test } from 'bun:test'
import { addLines, type Block } from './output.ts'

const output = (...texts: string[]) => texts.map((text) => ({ kind: 'output' as const, text }))
const textsOf = (blocks: readonly Block[]) => blocks.flatMap(({ runs }) => runs.flatMap(({ text }) => text.split('\n')))
const runsIn = (blocks: readonly Block[]) => blocks.reduce((sum, { runs }) => sum + runs.length, 0)

test('colour codes are removed', () => {
  expect(textsOf(addLines([], output('\u001b[1;32mok\u001b[0m \u001b]0;title\u0007done')))).toEqual(['ok done'])
})

test('lines keep their order, and what came before stays the same', () => {
  const numbers = Array.from({ length: 250 }, (_, number) => String(number))
  const first = addLines([], output(...numbers.slice(0, 130)))
  const second = addLines(first, output(...numbers.slice(130)))
  expect(textsOf(second)).toEqual(numbers)
  expect(second[0]).toBe(first[0] as Block)
  expect(second.flatMap(({ runs }) => runs).slice(0, 2)).toEqual(first.flatMap(({ runs }) => runs))
  expect(new Set(second.map(({ id }) => id)).size).toBe(second.length)
})

test('lines that come together are one text, and a command stands alone', () => {
  const command = { kind: 'command' as const, text: 'ls' }
  const blocks = addLines([], [command, command, ...output('a', '', 'b'), { kind: 'end', text: 'failed' }])
  expect(blocks.flatMap(({ runs }) => runs.map(({ text }) => text))).toEqual(['ls', 'ls', 'a\n\nb', 'failed'])
  expect(blocks.map(({ lines }) => lines)).toEqual([6])
})

test('of a command that prints without an end the last lines are kept', () => {
  let blocks = addLines([], output('first'))
  for (let count = 0; count < 6000; count += 1) blocks = addLines(blocks, output(String(count)))
  expect(textsOf(blocks).length).toBeLessThanOrEqual(5000)
  expect(textsOf(blocks).length).toBeGreaterThan(4800)
  expect(textsOf(blocks).at(-1)).toBe('5999')
  const many = Array.from({ length: 20_000 }, (_, number) => String(number))
  blocks = addLines(blocks, output(...many))
  expect(textsOf(blocks)).toEqual(many.slice(-5000))
  expect(runsIn(blocks)).toBe(50)
})
