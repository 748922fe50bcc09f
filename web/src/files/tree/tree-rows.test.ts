import { expect, test } from 'bun:test'
import { foldersAbove, openInSight, treeRows } from './tree-rows.ts'

const known = new Map([
  ['/', { names: ['Archive', 'Photos', 'Secret'], error: null }],
  ['/Photos', { names: ['2025', '2026'], error: null }],
  ['/Photos/2026', { names: [], error: null }],
  ['/Secret', { names: undefined, error: new Error('forbidden') }],
])

test('open folders are followed by the folders in them, one level further in', () => {
  const rows = treeRows('/', new Set(['/', '/Photos']), known)
  expect(rows.map(({ name, level, position, siblings }) => [name, level, position, siblings])).toEqual([
    ['Archive', 1, 1, 3],
    ['Photos', 1, 2, 3],
    ['2025', 2, 1, 2],
    ['2026', 2, 2, 2],
    ['Secret', 1, 3, 3],
  ])
  expect(rows.map(({ isOpen }) => isOpen)).toEqual([false, true, false, false, false])
})

test('a folder without folders, one that is waited for and one that cannot be read are told apart', () => {
  const rows = treeRows('/', new Set(['/', '/Photos', '/Photos/2025', '/Secret']), known)
  const find = (name: string) => rows.find((row) => row.name === name)
  expect(find('2026')).toMatchObject({ isLeaf: true, isBusy: false })
  expect(find('2025')).toMatchObject({ isLeaf: false, isBusy: true, isOpen: false })
  expect(find('Secret')).toMatchObject({ isOpen: false, isBusy: false, error: known.get('/Secret')?.error })
})

test('the folders above a path run from the root down', () => {
  expect(foldersAbove('/')).toEqual([])
  expect(foldersAbove('/a')).toEqual(['/'])
  expect(foldersAbove('/a/b/c')).toEqual(['/', '/a', '/a/b'])
})

test('what is open below a closed folder is not asked for', () => {
  expect(openInSight(new Set(['/', '/a', '/b/c', '/a/x']))).toEqual(['/', '/a', '/a/x'])
  expect(openInSight(new Set(['/a']))).toEqual([])
})
