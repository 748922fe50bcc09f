import { expect, test } from 'bun:test'
import type { Resource } from '@filestead/contract'

Object.assign(globalThis, { window: new EventTarget() })
const { cache } = await import('./cache.ts')
const { listedFile, publicShareQuery } = await import('./shares.ts')

const facts = { size: 1, extension: '', modified: '', mode: 0, isDir: false, isSymlink: false } as const
const entry = (name: string): Resource => ({ ...facts, name, path: `/box/${name}`, type: 'image' })
const items = [entry('a.png'), { ...entry('inner'), isDir: true, type: '' as const }]
const sorting = { by: 'name', asc: false } as const
const folder = { ...entry('box'), path: '/box', isDir: true, items, numDirs: 1, numFiles: 1, sorting }
const keyOf = (path: string) => publicShareQuery('hash', path, 'secret').queryKey

test('a file of a listing that is known has the latest token of the share, and its age', () => {
  expect(listedFile('hash', '/box/a.png', 'secret')).toBeUndefined()
  cache().setQueryData(keyOf('/box'), { ...folder, token: 'old' }, { updatedAt: 1000 })
  cache().setQueryData(keyOf('/box/b.png'), { ...entry('b.png'), token: 'new' }, { updatedAt: 2000 })
  expect(listedFile('hash', '/box/a.png', 'secret')).toEqual({
    initialData: { ...entry('a.png'), token: 'new' },
    initialDataUpdatedAt: 2000,
  })
})

test('folders, other shares and other passwords are not answered from the listing', () => {
  expect(listedFile('hash', '/box/inner', 'secret')).toBeUndefined()
  expect(listedFile('other', '/box/a.png', 'secret')).toBeUndefined()
  expect(listedFile('hash', '/box/a.png', '')).toBeUndefined()
})
