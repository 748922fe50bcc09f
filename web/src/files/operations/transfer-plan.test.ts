import { expect, test } from 'bun:test'
import type { Entry } from '../../server/queries/resources.ts'
import { intoThemselves, outermost, sourceOf, type TransferRequest, transferItems } from './transfer-plan.ts'

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

const requestFor = (entries: Entry[], to = '/there'): TransferRequest => ({
  action: 'rename',
  entries,
  from: '/here',
  to,
})

test('a folder cannot go into itself or below, but beside a folder that begins like it', () => {
  const box = entry('/here/box', true)
  expect(intoThemselves(requestFor([box], '/here/box'))).toEqual([box])
  expect(intoThemselves(requestFor([box], '/here/box/deep'))).toEqual([box])
  expect(intoThemselves(requestFor([box], '/here/boxes'))).toEqual([])
  expect(intoThemselves(requestFor([entry('/here/box')], '/here/box'))).toEqual([])
})

test('an entry keeps its name where it goes', () => {
  const items = transferItems(requestFor([entry('/here/a'), entry('/here/c', true)]))
  expect(items.map(({ path, to }) => [path, to])).toEqual([
    ['/here/a', '/there/a'],
    ['/here/c', '/there/c'],
  ])
})

test('what lies in a folder that goes, too, does not go by itself', () => {
  const [box, below, beside] = [entry('/a/box', true), entry('/a/box/deep/x'), entry('/a/box.txt')]
  expect(outermost([below, box, beside])).toEqual([box, beside])
})

test('results of one folder come from there, those of several from none', () => {
  const chosen = [entry('/here/a/x'), entry('/here/a/y')]
  expect(sourceOf({ folder: '/here', query: 'x', chosen })).toBe('/here/a')
  expect(sourceOf({ folder: '/here', query: 'x', chosen: [...chosen, entry('/here/z')] })).toBe('')
  expect(sourceOf({ folder: '/here', query: null, chosen })).toBe('/here')
})
