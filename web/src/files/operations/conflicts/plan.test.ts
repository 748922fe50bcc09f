import { expect, test } from 'bun:test'
import type { Conflict, Side } from './conflicts.ts'
import { cautious, decide, hintAbout } from './plan.ts'

const side = (size: number | null, modified: string | null = null): Side => ({ size, modified })

const conflict = (origin: Side, destination: Side, isDir = false): Conflict => ({
  path: 'a.txt',
  isDir,
  origin,
  destination,
})

test('one answer holds for all', () => {
  const two = [conflict(side(1), side(2)), conflict(side(3), side(2))]
  expect(decide(two, 'replace')).toEqual(['overwrite', 'overwrite'])
  expect(decide(two, 'rename')).toEqual(['rename', 'rename'])
  expect(decide(two, 'skip')).toEqual(['skip', 'skip'])
})

test('resuming replaces what is smaller in the destination and skips the rest', () => {
  const conflicts = [
    conflict(side(10), side(4)),
    conflict(side(10), side(10)),
    conflict(side(10), side(12)),
    conflict(side(null), side(4)),
    conflict(side(10), side(4), true),
  ]
  expect(decide(conflicts, 'resume')).toEqual(['overwrite', 'skip', 'skip', 'skip', 'skip'])
})

test('the preselected decision replaces nothing: what is newer is kept beside the other, anything else is skipped', () => {
  const [old, young] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
  const newer = conflict(side(5, young), side(5, old))
  expect(cautious(newer, 'transfer')).toBe('rename')
  expect(cautious(newer, 'upload')).toBe('rename')
  expect(cautious(newer, 'retry')).toBe('skip')
  expect(cautious(conflict(side(5, young), side(9, old)), 'transfer')).toBe('rename')
  for (const other of [
    conflict(side(5, old), side(5, young)),
    conflict(side(9, old), side(5, young)),
    conflict(side(5, old), side(5, old)),
    conflict(side(5), side(9, old)),
    conflict(side(5, young), side(9)),
    conflict(side(null, young), side(null, old), true),
  ])
    expect(cautious(other, 'transfer')).toBe('skip')
})

test('the hint says what is newer and what is larger, and nothing that is unknown', () => {
  const old = side(5, '2026-01-01T00:00:00.900Z')
  const young = side(5, '2026-01-02T00:00:00Z')
  expect(hintAbout(young, old)).toBe('newer')
  expect(hintAbout(old, young)).toBeNull()
  expect(hintAbout(side(9, '2026-01-02T00:00:00Z'), old)).toBe('newerAndLarger')
  expect(hintAbout(side(9), side(5))).toBe('larger')
  expect(hintAbout(side(5, '2026-01-01T00:00:00.100Z'), old)).toBe('same')
  expect(hintAbout(side(null), side(5))).toBeNull()
  expect(hintAbout(side(5), side(5))).toBeNull()
})
