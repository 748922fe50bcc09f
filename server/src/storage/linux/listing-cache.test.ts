import { expect, test } from 'bun:test'
import { listingCache } from './listing-cache.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('two readings with the same hash do not share their items', () => {
  const cache = listingCache<string>(8 * 1030, () => 1n)
  expect(cache.itemsOf(bytes('a'), bytes('1'), () => 'first')).toBe('first')
  expect(cache.itemsOf(bytes('b'), bytes('1'), () => 'other name')).toBe('other name')
  expect(cache.itemsOf(bytes('b'), bytes('2'), () => 'other facts')).toBe('other facts')
  expect(cache.itemsOf(bytes('b'), bytes('2'), () => 'not made')).toBe('other facts')
})

test('an equal reading has the items of the one before, though its buffers were used again', () => {
  const cache = listingCache<object>(2 * 1030)
  const names = bytes('a')
  const items = cache.itemsOf(names, bytes('1'), () => ({}))
  names[0] = 0
  expect(cache.itemsOf(bytes('a'), bytes('1'), () => ({}))).toBe(items)
})

test('names that differ are told apart, though all were read into one buffer', () => {
  const cache = listingCache<string>(8 * 1030, () => 1n)
  const buffer = Buffer.from('aaaa')
  expect(cache.itemsOf(buffer, bytes('1'), () => 'of a')).toBe('of a')
  buffer.fill('b')
  expect(cache.itemsOf(buffer, bytes('1'), () => 'of b')).toBe('of b')
})

test('the oldest reading goes when there are too many', () => {
  const cache = listingCache<string>(2 * 1030)
  for (const name of ['a', 'b', 'c']) cache.itemsOf(bytes(name), bytes(''), () => name)
  expect(cache.itemsOf(bytes('c'), bytes(''), () => 'anew')).toBe('c')
  expect(cache.itemsOf(bytes('a'), bytes(''), () => 'anew')).toBe('anew')
})
