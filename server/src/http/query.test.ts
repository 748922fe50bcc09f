import { expect, test } from 'bun:test'
import { Query } from './query.ts'

const of = (text: string) => new Query(`http://localhost/api/a?${text}`)

test.each([
  ['a=b', 'b'],
  ['a=b+c', 'b c'],
  ['a=b%2Bc', 'b+c'],
  ['a=b%20c', 'b c'],
  ['a=%C3%BC', 'ü'],
  ['a=%fc', '%fc'],
  ['a=%C3%BC%fc%20x', '%C3%BC%fc%20x'],
  ['a=%zz%20', '%zz '],
  ['a=%', '%'],
  ['a=b=c', 'b=c'],
  ['a=', ''],
  ['a', ''],
  ['a=1&a=2', '1'],
  ['&&a=1&', '1'],
  ['%61=1', '1'],
  ['b=1', undefined],
  ['', undefined],
])('in %j the name a has the value %j', (text, value) => {
  expect(of(text).get('a')).toBe(value)
})

test('names of the language are names like others', () => {
  const query = of('__proto__=x&constructor=y')
  expect([query.get('__proto__'), query.get('constructor'), query.get('toString')]).toEqual(['x', 'y', undefined])
  const entries = query.entries()
  expect(Object.entries(entries)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
  expect(Object.getPrototypeOf(entries)).toBe(Object.prototype)
})

test('an address without a query has an empty one, and so has a bare question mark', () => {
  expect([new Query('http://localhost/a').isEmpty, new Query('/a?').isEmpty, of('a').isEmpty]).toEqual([
    ...[true, true, false],
  ])
})
