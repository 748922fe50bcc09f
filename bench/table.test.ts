import { expect, test } from 'bun:test'
import { toFigure, toTable } from './table.ts'

test('names are aligned left and figures right', () => {
  const table = toTable(
    ['work', 'ms'],
    [
      ['download', '7.0'],
      ['copy', '1234'],
    ],
    1,
  )
  expect(table).toBe(['work        ms', '--------  ----', 'download   7.0', 'copy      1234'].join('\n'))
})

test('a figure has about three digits', () => {
  expect([1234.5, 100, 12.345, 0.05234, Number.NaN].map(toFigure)).toEqual(['1235', '100', '12.3', '0.052', '-'])
})
