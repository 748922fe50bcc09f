import { expect, test } from 'bun:test'
import { addLine } from './output.ts'

test('colour codes are taken out', () => {
  const [line] = addLine([], 'output', '\u001b[1;32mok\u001b[0m \u001b]0;title\u0007done')
  expect(line?.text).toBe('ok done')
})

test('a command that never stops talking does not fill the memory', () => {
  let lines = addLine([], 'output', 'first')
  for (let count = 0; count < 6000; count += 1) lines = addLine(lines, 'output', String(count))
  expect(lines).toHaveLength(5000)
  expect(lines.at(-1)?.text).toBe('5999')
})
