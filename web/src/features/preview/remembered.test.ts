import { expect, test } from 'bun:test'
import { memory } from './remembered.ts'

function shelf() {
  let held: string | null = null
  return {
    read: () => held,
    write(value: string) {
      held = value
    },
  }
}

test('remembers, changes and forgets', () => {
  const { recall, remember } = memory<number>('films', 10, shelf())
  expect(recall('/a')).toBeNull()
  remember('/a', 12)
  remember('/b', 30)
  remember('/a', 15)
  expect([recall('/a'), recall('/b')]).toEqual([15, 30])
  remember('/a', null)
  expect(recall('/a')).toBeNull()
})

test('the oldest is forgotten first', () => {
  const { recall, remember } = memory<number>('films', 2, shelf())
  for (const [index, key] of ['/a', '/b', '/a', '/c'].entries()) remember(key, index)
  expect([recall('/a'), recall('/b'), recall('/c')]).toEqual([2, null, 3])
})

test('what somebody else left there does no harm', () => {
  const item = shelf()
  for (const stored of ['no json', '{"a":1}', '[1,[2],["/a",3]]']) {
    item.write(stored)
    expect(memory('films', 2, item).recall('/b')).toBeNull()
  }
  expect(memory<number>('films', 2, item).recall('/a')).toBe(3)
})
