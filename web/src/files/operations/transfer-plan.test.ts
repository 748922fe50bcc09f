import { expect, test } from 'bun:test'
import type { Entry } from '../../server/queries/resources.ts'
import {
  conflictsOf,
  intoThemselves,
  outermost,
  sourceOf,
  type TransferRequest,
  transferItems,
} from './transfer-plan.ts'

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

test('only names that are taken are asked about, with both sides', () => {
  const request = requestFor([entry('/here/a', false, 5), entry('/here/b'), entry('/here/c', true)])
  const there = [entry('/there/a', false, 9), entry('/there/c', true), entry('/there/d')]
  expect(conflictsOf(request, there)).toEqual([
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
  const request = requestFor(['a', 'b', 'c', 'd'].map((name) => entry(`/here/${name}`)))
  const conflicts = conflictsOf(
    request,
    ['a', 'b', 'c'].map((name) => entry(`/there/${name}`)),
  )
  const items = transferItems(request, conflicts, ['overwrite', 'skip', 'rename'])
  expect(items.map(({ to, onConflict }) => [to, onConflict])).toEqual([
    ['/there/a', 'overwrite'],
    ['/there/c', 'rename'],
    ['/there/d', 'fail'],
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
