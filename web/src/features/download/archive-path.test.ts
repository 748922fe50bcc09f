import { expect, test } from 'bun:test'
import { archiveFormats, archivePath } from './archive-path.ts'

test('a whole folder is asked for by its path', () => {
  expect(archivePath('/', [], 'zip')).toBe('raw/?algo=zip')
  expect(archivePath('/50% off/ä', [], 'tar.gz')).toBe('raw/50%25%20off/%C3%A4?algo=targz')
})

test('several names are encoded, joined and encoded again', () => {
  const path = archivePath('/box', ['a.txt', 'b, c.txt', 'd&e'], 'tar')
  expect(path).toBe('raw/box?files=a.txt%2Cb%252C%2520c.txt%2Cd%2526e&algo=tar')
  const files = new URLSearchParams(path.slice(path.indexOf('?'))).get('files') ?? ''
  expect(files.split(',').map(decodeURIComponent)).toEqual(['a.txt', 'b, c.txt', 'd&e'])
})

test('on the wire no format has a dot', () => {
  const sent = archiveFormats.map((format) => archivePath('/', [], format).slice('raw/?algo='.length))
  expect(sent).toEqual(['zip', 'tar', 'targz', 'tarbz2', 'tarxz', 'tarlz4', 'tarsz', 'tarbr', 'tarzst'])
})
