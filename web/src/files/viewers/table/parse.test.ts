import { expect, test } from 'bun:test'
import { guessSeparator, parseTable, separatorsOf } from './parse.ts'

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
  [
    'a\tb|c\n"1\t2"\t3\n',
    'tab',
    [
      ['a', 'b|c'],
      ['1\t2', '3'],
    ],
  ],
  ['a|b', 'pipe', [['a', 'b']]],
  ['"open,\nstill', 'comma', [['open,\nstill']]],
  ['"a"b,c', 'comma', [['ab', 'c']]],
  ['', 'both', []],
])('parseTable of %j by %s', (text, separator, rows) => {
  expect(parseTable(text, separator)).toEqual(rows)
})

test('parseTable stops at the limit of rows', () => {
  expect(parseTable('1\n2\n3\n', 'comma', 2)).toEqual([['1'], ['2']])
})

test.each<[string, string]>([
  ['a;b\n1,5;2', 'semicolon'],
  ['a,b\n1;2', 'comma'],
  ['"a;b",c', 'comma'],
  ['a,b;c', 'both'],
  ['a', 'both'],
  ['a\tb\tc', 'tab'],
  ['name\tfirst, last', 'tab'],
  ['a|b|c', 'pipe'],
  ['a|b,c,d', 'comma'],
  ['"a|b|c|d",e', 'comma'],
])('guessSeparator of %j is %s', (text, separator) => {
  expect(guessSeparator(text)).toBe(separator as 'both')
})

test('tabs and pipes are offered only where the first line has some', () => {
  expect(separatorsOf('a,b;c\n1|2')).toEqual(['comma', 'semicolon', 'both'])
  expect(separatorsOf('a\tb|c')).toEqual(['comma', 'semicolon', 'both', 'tab', 'pipe'])
})
