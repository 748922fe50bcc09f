import { expect, test } from 'bun:test'
import { encodePath, extensionOf, isInside, join, nameOf, numbered, parentOf, segmentsOf } from './paths.ts'

test.each([
  ['/a/b.txt', '/a', 'b.txt'],
  ['/a', '/', 'a'],
  ['/', '/', ''],
])('%s relative to %s is %j', (path, parent, name) => {
  expect(parentOf(path)).toBe(parent)
  expect(nameOf(path)).toBe(name)
  if (name !== '') expect(join(parent, name)).toBe(path)
})

test.each([
  ['/secret', '/secret', true],
  ['/secret/x', '/secret', true],
  ['/secretary', '/secret', false],
  ['/anything', '/', true],
])('%s inside %s: %p', (path, folder, inside) => {
  expect(isInside(path, folder)).toBe(inside)
})

test.each([
  ['/d/a.txt', '/d/a(1).txt'],
  ['/c.tar.gz', '/c.tar(1).gz'],
  ['/README', '/README(1)'],
  ['/d.d/plain', '/d.d/plain(1)'],
  ['/.bashrc', '/(1).bashrc'],
])('the free name for %s is %s', (path, free) => {
  expect(numbered(path, 1)).toBe(free)
})

test('an extension keeps its letter case and its dot', () => {
  expect(extensionOf('Photo.JPG')).toBe('.JPG')
  expect(extensionOf('Makefile')).toBe('')
})

test('a path is encoded segment by segment', () => {
  expect(encodePath('/f % #/ü?.txt')).toBe('/f%20%25%20%23/%C3%BC%3F.txt')
  expect(segmentsOf('/a/b')).toEqual(['a', 'b'])
  expect(segmentsOf('/')).toEqual([])
})
