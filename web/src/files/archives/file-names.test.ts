import { expect, test } from 'bun:test'
import { suggestedName, withEnding } from './file-names.ts'

const free = () => false
const base = { folder: '/trips/2024', ending: '.zip', otherwise: 'Archive', isTaken: free }

test('a single entry gives its name, a file without its extension', () => {
  expect(suggestedName({ ...base, entries: [{ name: 'photos.v2', isDir: true }] })).toBe('photos.v2')
  expect(suggestedName({ ...base, entries: [{ name: 'a.b.txt', isDir: false }] })).toBe('a.b')
})

test('several entries are called like their folder, and at the top like nothing in particular', () => {
  const entries = ['a', 'b'].map((name) => ({ name, isDir: false }))
  expect(suggestedName({ ...base, entries })).toBe('2024')
  expect(suggestedName({ ...base, entries, folder: '/' })).toBe('Archive')
})

test('a name that is taken is numbered', () => {
  const taken = new Set(['photos.zip', 'photos(1).zip'])
  const entries = [{ name: 'photos', isDir: true }]
  expect(suggestedName({ ...base, entries, isTaken: (name) => taken.has(name) })).toBe('photos(2)')
})

test('an ending that was typed is not added again', () => {
  expect(withEnding('a', '.tar.gz')).toBe('a.tar.gz')
  expect(withEnding('a.TAR.GZ', '.tar.gz')).toBe('a.TAR.GZ')
  expect(withEnding('.zip', '.zip')).toBe('.zip.zip')
})
