import { expect, test } from 'bun:test'
import { guessSeparator, parseTable } from './parse.ts'

test.each<[string, Parameters<typeof parseTable>[1], string[][]]>([
  [
    'a,b\n1,2\n',
    'comma',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a;b\r\n1,5;2\r\n',
    'semicolon',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'a,b;c\r1;2,3',
    'both',
    [
      ['a', 'b', 'c'],
      ['1', '2', '3'],
    ],
  ],
  [
    '"a,b","say ""hi"""\n"two\nlines",x',
    'comma',
    [
      ['a,b', 'say "hi"'],
      ['two\nlines', 'x'],
    ],
  ],
  [
    'a,,\n\n,b,',
    'comma',
    [
      ['a', '', ''],
      ['', 'b', ''],
    ],
  ],
  ['"open,\nstill', 'comma', [['open,\nstill']]],
  ['"a"b,c', 'comma', [['ab', 'c']]],
  ['', 'both', []],
])('%j', (text, separator, rows) => {
  expect(parseTable(text, separator)).toEqual(rows)
})

test('stops at as many rows as wanted', () => {
  expect(parseTable('1\n2\n3\n', 'comma', 2)).toEqual([['1'], ['2']])
})

test.each<[string, string]>([
  ['a;b\n1,5;2', 'semicolon'],
  ['a,b\n1;2', 'comma'],
  ['"a;b",c', 'comma'],
  ['a,b;c', 'both'],
  ['a', 'both'],
])('guesses the separator of %j', (text, separator) => {
  expect(guessSeparator(text)).toBe(separator as 'both')
})
