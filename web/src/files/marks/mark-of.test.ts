import { expect, test } from 'bun:test'
import { markOf } from './mark-of.ts'

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
  expect(markOf({ name: 'Archive.zip', isDir: true })).toBe('folder')
  expect(markOf({ name: 'holiday.jpg' })).toBe('image')
})
