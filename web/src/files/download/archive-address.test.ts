import { expect, test } from 'bun:test'
import { archiveAddress, archiveFormats, archiveOf } from './archive-address.ts'
import { archiveOfResults } from './results-archive.ts'

test('a whole folder is asked for by its own address', () => {
  expect(archiveAddress('/api/raw/box', [], 'tar.gz')).toBe('/api/raw/box?algo=targz')
  expect(archiveAddress('/api/public/dl/abc?token=1', [], 'zip')).toBe('/api/public/dl/abc?token=1&algo=zip')
})

test('several names are encoded, joined and encoded again', () => {
  const address = archiveAddress('/api/raw/box', ['a.txt', 'b, c.txt', 'd&e'], 'tar')
  expect(address).toBe('/api/raw/box?files=a.txt%2Cb%252C%2520c.txt%2Cd%2526e&algo=tar')
  const files = new URLSearchParams(address.slice(address.indexOf('?'))).get('files') ?? ''
  expect(files.split(',').map(decodeURIComponent)).toEqual(['a.txt', 'b, c.txt', 'd&e'])
})

test('on the wire no format has a dot', () => {
  const sent = archiveFormats.map((format) => archiveAddress('/', [], format).slice('/?algo='.length))
  expect(sent).toEqual(['zip', 'tar', 'targz', 'tarbz2', 'tarxz', 'tarlz4', 'tarsz', 'tarbr', 'tarzst'])
})

test('the only folder of a folder is packed by itself, several by name, all as the folder that holds them', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name, path: `/box/${name}` })) as [Entry, Entry, Entry]
  expect(archiveOf({ folder: '/box', entries: [a], chosen: [a] })).toEqual({ folder: '/box/a', names: [] })
  expect(archiveOf({ folder: '/box', entries: [a, b, c], chosen: [b] })).toEqual({ folder: '/box/b', names: [] })
  expect(archiveOf({ folder: '/box', entries: [a, b, c], chosen: [a, b] })).toEqual({
    folder: '/box',
    names: ['a', 'b'],
  })
  expect(archiveOf({ folder: '/box', entries: [a, b, c], chosen: [a, b, c] })).toEqual({ folder: '/box', names: [] })
  expect(archiveOf({ folder: '/box', entries: [a, b, c], chosen: [] })).toEqual({ folder: '/box', names: [] })
})

test('of results only those that are chosen are packed, by their paths, and all of them where none is', () => {
  const [a, b] = ['x/a', 'y/a'].map((path) => ({ name: 'a', path: `/box/${path}` })) as [Result, Result]
  const entries = [a, b]
  expect(archiveOfResults({ entries, folder: '/box', chosen: [a, b] }).names).toEqual(['x/a', 'y/a'])
  expect(archiveOfResults({ entries, folder: '/', chosen: [] }).names).toEqual(['box/x/a', 'box/y/a'])
  expect(archiveOfResults({ entries, folder: '/box', chosen: [b] })).toEqual({ folder: '/box/y/a', names: [] })
})

type Entry = { name: string; path: string }
type Result = Parameters<typeof archiveOfResults>[0]['chosen'][number]
