import { expect, test } from 'bun:test'
import { foldersFirst, shownSorting, sortedBy, sortedByType, wiredSorting } from './sorting.ts'

test('names run A to Z without asc, sizes and dates with it', () => {
  expect(shownSorting({ by: 'name', asc: false })).toEqual({ by: 'name', direction: 'ascending' })
  expect(shownSorting({ by: 'name', asc: true })).toEqual({ by: 'name', direction: 'descending' })
  expect(shownSorting({ by: 'size', asc: true })).toEqual({ by: 'size', direction: 'ascending' })
  expect(shownSorting({ by: 'modified', asc: false })).toEqual({ by: 'modified', direction: 'descending' })
  expect(shownSorting({ by: '', asc: false }).by).toBe('name')
})

test('what is shown is what is saved', () => {
  for (const by of ['name', 'size', 'modified']) {
    for (const asc of [true, false]) expect(wiredSorting(shownSorting({ by, asc }))).toEqual({ by, asc })
  }
})

test('the present column turns round, another starts ascending', () => {
  const byName = shownSorting({ by: 'name', asc: false })
  expect(wiredSorting(sortedBy(byName, 'name'))).toEqual({ by: 'name', asc: true })
  expect(wiredSorting(sortedBy(byName, 'size'))).toEqual({ by: 'size', asc: true })
  expect(wiredSorting(sortedBy(shownSorting({ by: 'size', asc: true }), 'name'))).toEqual({ by: 'name', asc: false })
})

test('folders come first and both keep their order; what is grouped already is not copied', () => {
  const mixed = [
    { name: 'b', isDir: false },
    { name: 'z', isDir: true },
    { name: 'a', isDir: false },
    { name: 'y', isDir: true },
  ]
  expect(foldersFirst(mixed).map(({ name }) => name)).toEqual(['z', 'y', 'b', 'a'])
  const grouped = foldersFirst(mixed)
  expect(foldersFirst(grouped)).toBe(grouped)
})

test('by type, folders stay first and files of one type keep their order', () => {
  const listed = [
    { name: 'z', isDir: true, type: 'Folder' },
    { name: 'a', isDir: true, type: 'Folder' },
    { name: '2.txt', isDir: false, type: 'Text' },
    { name: 'x.jpg', isDir: false, type: 'Image' },
    { name: '1.txt', isDir: false, type: 'Text' },
  ]
  const sorted = (direction: 'ascending' | 'descending') =>
    sortedByType(
      listed,
      direction,
      ({ type }) => type,
      (a, b) => a.localeCompare(b),
    ).map(({ name }) => name)
  expect(sorted('ascending')).toEqual(['z', 'a', 'x.jpg', '2.txt', '1.txt'])
  expect(sorted('descending')).toEqual(['z', 'a', '2.txt', '1.txt', 'x.jpg'])
})
