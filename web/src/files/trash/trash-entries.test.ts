import { expect, test } from 'bun:test'
import type { KeptItem } from '@filestead/contract'

Object.assign(globalThis, { window: new EventTarget(), document: { documentElement: {} } })
const { isEndNear, labelOf, shownItems, trashOrder } = await import('./trash-entries.ts')

const item = (id: string, path: string, more: Partial<KeptItem> = {}): KeptItem => ({
  id,
  past: `k.${id}`,
  store: 'trash',
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  isDir: false,
  type: 'text',
  size: 1,
  modified: '2026-01-01T00:00:00Z',
  keptAt: Number(id),
  door: 'web',
  by: 'remove',
  canRestore: true,
  canPurge: true,
  ...more,
})

test('two items that had one path are two entries with one label, and the newest stands first', () => {
  const entries = shownItems([item('1', '/a.txt'), item('3', '/a.txt'), item('2', '/Box', { isDir: true })], trashOrder)
  expect(entries.map(labelOf)).toEqual(['a.txt', 'Box', 'a.txt'])
  expect(new Set(entries.map(({ name }) => name)).size).toBe(3)
  expect(entries.map(({ item: { id } }) => id)).toEqual(['3', '2', '1'])
})

test('items are sorted by name and by size, folders among files', () => {
  const items = [item('1', '/x/b', { size: 5 }), item('2', '/y/a', { size: 9, isDir: true }), item('3', '/c')]
  const ids = (by: 'name' | 'size') => shownItems(items, { by, direction: 'ascending' }).map((entry) => entry.item.id)
  expect(ids('name')).toEqual(['2', '1', '3'])
  expect(ids('size')).toEqual(['3', '1', '2'])
})

test('the end of an item is told in its last week, and never where there is none', () => {
  const day = 24 * 60 * 60 * 1000
  expect([6 * day, 8 * day].map((time) => isEndNear(item('1', '/a', { endsAt: time }), 0))).toEqual([true, false])
  expect(isEndNear(item('1', '/a'), 0)).toBe(false)
})
