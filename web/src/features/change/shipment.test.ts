import { expect, test } from 'bun:test'
import type { Entry } from '../../api/resources.ts'
import { conflictsOf, intoThemselves, namesThere, parcelsOf, type Shipment } from './shipment.ts'

const entry = (path: string, isDir = false, size = 1): Entry => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  isDir,
  size,
  extension: '',
  modified: '2026-01-01T00:00:00Z',
  mode: 0,
  isSymlink: false,
  type: isDir ? '' : 'text',
})

const shipment = (entries: Entry[], to = '/there'): Shipment => ({ action: 'rename', entries, from: '/here', to })

test('a folder cannot go into itself or below, but beside a folder that begins like it', () => {
  const box = entry('/here/box', true)
  expect(intoThemselves(shipment([box], '/here/box'))).toEqual([box])
  expect(intoThemselves(shipment([box], '/here/box/deep'))).toEqual([box])
  expect(intoThemselves(shipment([box], '/here/boxes'))).toEqual([])
  expect(intoThemselves(shipment([entry('/here/box')], '/here/box'))).toEqual([])
})

test('only names that are taken are asked about, with both sides', () => {
  const goods = shipment([entry('/here/a', false, 5), entry('/here/b'), entry('/here/c', true)])
  const there = [entry('/there/a', false, 9), entry('/there/c', true), entry('/there/d')]
  expect(conflictsOf(goods, there)).toEqual([
    {
      path: 'a',
      isDir: false,
      origin: { size: 5, modified: '2026-01-01T00:00:00Z' },
      destination: { size: 9, modified: '2026-01-01T00:00:00Z' },
    },
    {
      path: 'c',
      isDir: true,
      origin: { size: null, modified: '2026-01-01T00:00:00Z' },
      destination: { size: null, modified: '2026-01-01T00:00:00Z' },
    },
  ])
})

test('what is skipped is not sent, and what was free may not replace anything', () => {
  const goods = shipment(['a', 'b', 'c', 'd'].map((name) => entry(`/here/${name}`)))
  const conflicts = conflictsOf(
    goods,
    ['a', 'b', 'c'].map((name) => entry(`/there/${name}`)),
  )
  const parcels = parcelsOf(goods, conflicts, ['overwrite', 'skip', 'rename'])
  expect(parcels.map(({ to, onConflict }) => [to, onConflict])).toEqual([
    ['/there/a', 'overwrite'],
    ['/there/c', 'rename'],
    ['/there/d', 'fail'],
  ])
})

test('the names there are foreseen: the first free number where both are kept', () => {
  const there = ['a.txt', 'a(1).txt', 'b.txt'].map((name) => entry(`/there/${name}`))
  const goods = shipment(['a.txt', 'b.txt', 'c.txt'].map((name) => entry(`/here/${name}`)))
  const parcels = parcelsOf(goods, conflictsOf(goods, there), ['rename', 'overwrite'])
  expect(namesThere(parcels, there)).toEqual(['a(2).txt', 'b.txt', 'c.txt'])
})
