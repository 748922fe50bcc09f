import { expect, test } from 'bun:test'
import type { Conflict, Side } from './conflicts.ts'
import { cautious, decide, decidedAt, decisionForAll, hintAbout, openOnes } from './plan.ts'

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

const folder = (path: string): Conflict => ({ ...conflict(side(null), side(null), true), path, isMerge: true })

test('one answer for all puts folders together, and counts for the files in them', () => {
  const both = [folder('dir'), { ...conflict(side(10), side(4)), path: 'dir/a.txt' }]
  expect(decide(both, 'skip')).toEqual(['overwrite', 'skip'])
  expect(decide(both, 'resume')).toEqual(['overwrite', 'overwrite'])
  expect(decide(both, 'newer')).toEqual(['newer', 'newer'])
  expect(decide(both, 'replace')).toEqual(['overwrite', 'overwrite'])
  expect(decide(both, 'rename')).toEqual(['rename', 'rename'])
})

test('a folder that cannot be put together with a file is left out like any other', () => {
  expect(decide([conflict(side(null), side(4), true)], 'skip')).toEqual(['skip'])
})

test('files are asked about as long as every folder above them is put together with another one', () => {
  const conflicts = [folder('dir'), folder('dir/sub'), { ...conflict(side(1), side(2)), path: 'dir/sub/a.txt' }]
  const beside = { ...conflict(side(1), side(2)), path: 'dir.txt' }
  const open = (...decisions: ('overwrite' | 'skip' | 'rename' | 'newer')[]) =>
    openOnes([...conflicts, beside], [...decisions, 'skip', 'skip'])
  expect(open('overwrite', 'overwrite')).toEqual([true, true, true, true])
  expect(open('overwrite', 'skip')).toEqual([true, true, false, true])
  expect(open('skip', 'overwrite')).toEqual([true, false, false, true])
  expect(open('newer', 'overwrite')).toEqual([true, false, false, true])
})

test('folders are put together at first, and where all files that are taken are skipped: what is new comes', () => {
  expect(cautious(folder('dir'), 'transfer')).toBe('overwrite')
  expect(decisionForAll(folder('dir'), 'skip')).toBe('overwrite')
  expect(decisionForAll(conflict(side(1), side(2)), 'skip')).toBe('skip')
  expect(decisionForAll(conflict(side(null), side(4), true), 'skip')).toBe('skip')
  expect(decisionForAll(folder('dir'), 'rename')).toBe('rename')
})

test('where only what is newer replaces something, a file is decided by its time and a folder is put together', () => {
  const newerOnly = (one: Conflict) => decisionForAll(one, 'newer')
  const [old, young] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
  expect(newerOnly(conflict(side(5, young), side(5, old)))).toBe('overwrite')
  expect(newerOnly(conflict(side(5, old), side(5, young)))).toBe('skip')
  expect(newerOnly(conflict(side(5, old), side(5, old)))).toBe('skip')
  expect(newerOnly(folder('dir'))).toBe('newer')
})

test('where a folder replaces what is in another one, the files in it do, and no others', () => {
  const at = (path: string) => ({ ...conflict(side(1), side(2)), path })
  const conflicts = [folder('dir'), at('dir/a.txt'), at('dir.txt')]
  expect(decidedAt(conflicts, ['skip', 'skip', 'skip'], 0, 'overwrite')).toEqual(['overwrite', 'overwrite', 'skip'])
  expect(decidedAt(conflicts, ['overwrite', 'overwrite', 'skip'], 1, 'skip')).toEqual(['overwrite', 'skip', 'skip'])
  expect(decidedAt(conflicts, ['overwrite', 'skip', 'skip'], 0, 'skip')).toEqual(['skip', 'skip', 'skip'])
})
