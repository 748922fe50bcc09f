import { expect, test } from 'bun:test'
import { runLines } from './run.ts'

test.each([
  ['one\\ntwo\\n', ['one', 'two']],
  ['one\\r\\ntwo', ['one', 'two']],
  ['one\\n\\n two', ['one', '', ' two']],
  ['50%%\\r100%%\\n', ['50%\r100%']],
])('what is printed as %j comes line by line', async (printed, expected) => {
  const lines: string[] = []
  const program = { argv: ['printf', printed], environment: {}, timeLimit: 5000, folder: '/' }
  expect(await runLines(program, (line) => lines.push(line), new AbortController().signal)).toBe(0)
  expect(lines).toEqual(expected)
})
