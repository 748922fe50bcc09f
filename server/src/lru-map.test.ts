import { expect, test } from 'bun:test'
import { LruMap } from './lru-map.ts'

const kept = (map: LruMap<string, string>, ...keys: string[]) => keys.filter((key) => map.get(key) !== undefined)

test('of too many entries the one goes that was used longest ago', () => {
  const map = new LruMap<string, string>(2)
  map.set('a', '1')
  map.set('b', '2')
  expect(map.get('a')).toBe('1')
  map.set('c', '3')
  expect(kept(map, 'a', 'b', 'c')).toEqual(['a', 'c'])
})

test('an entry that is set again is one, with its new value and weight', () => {
  const map = new LruMap<string, string>(4, (_, value) => value.length)
  map.set('a', '1234')
  map.set('a', '12')
  map.set('b', '12')
  expect([map.get('a'), map.get('b')]).toEqual(['12', '12'])
})

test('entries go until the others weigh little enough, but for the last one', () => {
  const map = new LruMap<string, string>(4, (_, value) => value.length)
  map.set('a', '1')
  map.set('b', '1')
  map.set('c', '1234')
  expect(kept(map, 'a', 'b', 'c')).toEqual(['c'])
  map.set('d', '123456')
  expect(kept(map, 'c', 'd')).toEqual(['d'])
})

test('an entry that was deleted weighs nothing', () => {
  const map = new LruMap<string, string>(2)
  for (const key of ['a', 'b']) map.set(key, '1')
  map.delete('a')
  map.delete('a')
  map.set('c', '1')
  expect(kept(map, 'a', 'b', 'c')).toEqual(['b', 'c'])
})
