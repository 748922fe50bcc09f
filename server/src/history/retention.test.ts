import { expect, test } from 'bun:test'
import { endedTrash, endedVersions, type Retained } from './retention.ts'

const day = 86_400_000
const now = 1_800_000_000_000
const history = { trashDays: 30, trashShare: 20, versionDays: 0, versionShare: 50 }
const item = (id: string, days: number, size = 1, location = id): Retained => ({
  ...{ id, keptAt: now - days * day, size, location },
})

test('what was in the trash for longer than its days goes, and what is of the future stays', () => {
  const items = [item('old', 31), item('young', 29), item('future', -400)]
  expect(endedTrash(items, { history, space: undefined, now })).toEqual(['old'])
  expect(endedTrash(items, { history: { ...history, trashDays: 0 }, space: undefined, now })).toEqual([])
})

test('the oldest goes until the trash fits into its share of the disk', () => {
  const items = [
    item('new', 1, 60),
    item('old', 3, 60),
    item('older', 4, 60),
    item('empty', 9, 0),
    { ...item('unknown', 9), size: undefined },
  ]
  const space = { total: 500, free: 10 }
  expect(endedTrash(items, { history, space, now })).toEqual(['older', 'old'])
  expect(endedTrash(items, { history, space: { total: 1000, free: 10 }, now })).toEqual([])
})

test('what was kept in the last day goes by size only where the disk is nearly full', () => {
  const items = [item('today', 0.5, 300), item('before', 2, 60)]
  expect(endedTrash(items, { history, space: { total: 500, free: 100 }, now })).toEqual(['before'])
  expect(endedTrash(items, { history, space: { total: 500, free: 10 }, now })).toEqual(['before', 'today'])
})

test('versions share what would be free without them, and each file keeps its own thinning', () => {
  const items = [item('a1', 3, 40, '/a'), item('b1', 2, 40, '/b'), item('a2', 1, 40, '/a')]
  expect(endedVersions(items, { history, space: { total: 1000, free: 80 }, now })).toEqual(['a1'])
  expect(endedVersions(items, { history, space: { total: 1000, free: 500 }, now })).toEqual([])
  const close = [item('a1', 1.001, 1, '/a'), item('a2', 1, 1, '/a'), item('b1', 1.001, 1, '/b')]
  expect(endedVersions(close, { history, space: undefined, now })).toEqual(['a1'])
})

test('versions of the last day are thinned out only where the disk is nearly full', () => {
  const items = [item('first', 0.003, 1, '/a'), item('second', 0.0029, 1, '/a'), item('third', 0.0028, 1, '/a')]
  expect(endedVersions(items, { history, space: { total: 1000, free: 500 }, now })).toEqual([])
  expect(endedVersions(items, { history, space: undefined, now })).toEqual([])
  expect(endedVersions(items, { history, space: { total: 1000, free: 40 }, now })).toEqual(['first', 'second'])
})

test('versions older than their days go where days are set', () => {
  const items = [item('old', 11), item('young', 9)]
  expect(endedVersions(items, { history: { ...history, versionDays: 10 }, space: undefined, now })).toEqual(['old'])
})

test('a disk that does not tell its size ends nothing by size', () => {
  const items = [item('large', 1, 10 ** 15)]
  expect(endedTrash(items, { history, space: undefined, now })).toEqual([])
  expect(endedTrash(items, { history, space: { total: 0, free: 0 }, now })).toEqual([])
})

test('what was kept before the clock was set does not go by its age', () => {
  const items = [{ ...item('unset', 0), keptAt: 42_000 }, item('old', 31)]
  expect(endedTrash(items, { history, space: undefined, now })).toEqual(['old'])
  expect(endedVersions(items, { history: { ...history, versionDays: 10 }, space: undefined, now })).not.toContain(
    'unset',
  )
})
