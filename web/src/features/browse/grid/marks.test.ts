import { expect, test } from 'bun:test'
import { extensionOf, isDimmed, markOf, splitName } from './marks.ts'

const file = (name: string, type: Parameters<typeof markOf>[0]['type'] = 'blob') => markOf({ name, type, isDir: false })

test('the type tells pictures, music and films; the extension tells the rest', () => {
  expect(file('a.jpg', 'image')).toBe('image')
  expect(file('a.mp4', 'video')).toBe('video')
  expect(file('plan.XLSX')).toBe('sheet')
  expect(file('a.tar.gz')).toBe('archive')
  expect(file('main.ts', 'text')).toBe('code')
  expect(file('notes', 'text')).toBe('text')
  expect(file('unknown.abcxyz')).toBe('generic')
  expect(file('anything.zip', 'invalid_link')).toBe('broken')
  expect(markOf({ name: 'Archive.zip', type: '', isDir: true })).toBe('folder')
})

test('the extension is lower case with its dot, the whole name without one', () => {
  expect(extensionOf('Photo.JPG')).toBe('.jpg')
  expect(extensionOf('Makefile')).toBe('makefile')
})

test('a name that starts with its only dot has no extension to stand back', () => {
  expect(splitName('.env')).toEqual(['.env', ''])
  expect(splitName('a.tar.gz')).toEqual(['a.tar', '.gz'])
  expect(splitName('README')).toEqual(['README', ''])
})

test('hidden files and left-over copies stand back', () => {
  expect(['.env', 'a.BAK', 'a.txt'].map(isDimmed)).toEqual([true, true, false])
})
