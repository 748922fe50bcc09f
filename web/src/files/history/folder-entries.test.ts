import { expect, test } from 'bun:test'
import type { Entry } from '../../server/queries/resources.ts'
import type { EntryAt } from '../../server/queries/timeline.ts'
import { changeOf, entriesThen } from './folder-entries.ts'

const then = (name: string, part: Partial<EntryAt> = {}): EntryAt => ({
  ...{ name, path: `/${name}`, isDir: false, size: 3, modified: '2026-11-17T10:00:00Z', type: 'text', kind: 'trash' },
  past: 'k.1',
  ...part,
})
const present = (...entries: Partial<Entry>[]) =>
  new Map(
    entries.map((entry) => [
      entry.name ?? '',
      { size: 3, isDir: false, modified: '2026-11-17T10:00:00Z', ...entry } as Entry,
    ]),
  )

test('what is not there any more is gone, until it is known what is there', () => {
  expect(changeOf(then('a'), present())).toBe('gone')
  expect(changeOf(then('a'), undefined)).toBeNull()
})

test('a file of another size, time or kind is different', () => {
  expect(changeOf(then('a'), present({ name: 'a' }))).toBeNull()
  expect(changeOf(then('a'), present({ name: 'a', size: 4 }))).toBe('different')
  expect(changeOf(then('a'), present({ name: 'a', modified: '2026-11-17T10:00:01Z' }))).toBe('different')
  expect(changeOf(then('a'), present({ name: 'a', isDir: true }))).toBe('different')
})

test('the time counts, not the way it is written', () => {
  expect(changeOf(then('a'), present({ name: 'a', modified: '2026-11-17T11:00:00+01:00' }))).toBeNull()
})

test('a folder that is there is the same one', () => {
  expect(changeOf(then('a', { isDir: true }), present({ name: 'a', isDir: true, size: 9 }))).toBeNull()
})

test('folders come first, and what is as it was can be left out', () => {
  const entries = [then('b'), then('a'), then('z', { isDir: true })]
  expect(entriesThen(entries, present({ name: 'a' }), false).map(({ name }) => name)).toEqual(['z', 'b', 'a'])
  expect(entriesThen(entries, present({ name: 'a' }), true).map(({ name }) => name)).toEqual(['z', 'b'])
})
