import { expect, test } from 'bun:test'
import { positionStore } from './positions.ts'

function memoryItem() {
  let held: string | null = null
  return {
    read: () => held,
    write(value: string) {
      held = value
    },
  }
}

test('positions are set, changed and removed', () => {
  const positions = positionStore<number>('films', 10, memoryItem())
  expect(positions.get('/a')).toBeNull()
  positions.set('/a', 12)
  positions.set('/b', 30)
  positions.set('/a', 15)
  expect([positions.get('/a'), positions.get('/b')]).toEqual([15, 30])
  positions.set('/a', null)
  expect(positions.get('/a')).toBeNull()
})

test('the oldest position is removed first', () => {
  const positions = positionStore<number>('films', 2, memoryItem())
  for (const [index, key] of ['/a', '/b', '/a', '/c'].entries()) positions.set(key, index)
  expect([positions.get('/a'), positions.get('/b'), positions.get('/c')]).toEqual([2, null, 3])
})

test('stored text that is not a list of pairs is ignored', () => {
  const item = memoryItem()
  for (const stored of ['no json', '{"a":1}', '[1,[2],["/a",3]]']) {
    item.write(stored)
    expect(positionStore('films', 2, item).get('/b')).toBeNull()
  }
  expect(positionStore<number>('films', 2, item).get('/a')).toBe(3)
})
