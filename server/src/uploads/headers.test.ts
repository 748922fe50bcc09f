import { expect, test } from 'bun:test'
import { modifiedIn, parseSize } from './headers.ts'

test.each([
  ['0', 0],
  ['10', 10],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('%p bytes', (text, size) => {
  expect(parseSize(text, 'length')).toBe(size)
})

test('a missing size is called so', () => {
  expect(() => parseSize(null, 'length')).toThrow('invalid length: the header is missing')
})

test.each(['', '-1', '+1', ' 1', 'ten', '1e3', '0x10', '1.5', '99999999999999999999'])('%p is no size', (text) => {
  expect(() => parseSize(text, 'length')).toThrow('invalid length')
})

const encoded = (text: string) => Buffer.from(text).toString('base64')

test.each([
  ['milliseconds', `lastModified ${encoded('1500000000123')}`, 1_500_000_000_123],
  ['seconds', `mtime ${encoded('1500000000')}`, 1_500_000_000_000],
  ['parts of a second', `mtime ${encoded('1500000000.25')}`, 1_500_000_000_250],
  ['a date', `modified ${encoded('2017-07-14T02:40:00.123Z')}`, 1_500_000_000_123],
  ['one of several', `filename ${encoded('a.txt')}, lastModified ${encoded('1500000000123')},flag`, 1_500_000_000_123],
  ['a time before 1970', `mtime ${encoded('-1')}`, -1000],
  ['nothing', null, undefined],
  ['a key without a value', 'lastModified', undefined],
  ['words', `lastModified ${encoded('yesterday')}`, undefined],
  ['a time no calendar has', `lastModified ${encoded('9'.repeat(30))}`, undefined],
  ['other keys', `name ${encoded('1500000000123')}`, undefined],
])('the time is read from %s', (_, metadata, time) => {
  expect(modifiedIn(metadata)).toBe(time)
})
