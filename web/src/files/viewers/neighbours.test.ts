import { expect, test } from 'bun:test'
import type { Entry } from '../../server/queries/resources.ts'
import { isSteppable } from '../formats/kinds.ts'
import { neighboursOf } from './neighbours.ts'

const entry = (name: string, type: Entry['type']): Entry => ({
  path: `/${name}`,
  name,
  size: 1,
  extension: '',
  modified: '',
  mode: 0,
  isDir: false,
  isSymlink: false,
  type,
})
const files = [entry('a', 'image'), entry('b', 'text'), entry('c', 'pdf'), entry('d', 'video'), entry('e', 'blob')]
const around = (name: string) => {
  const { previous, next, position, all } = neighboursOf(files, files.filter(isSteppable), `/${name}`)
  return [previous?.name, next?.name, position, all.length]
}

test('neighbours skip texts and documents', () => {
  expect(around('a')).toEqual([undefined, 'd', 0, 3])
  expect(around('d')).toEqual(['a', 'e', 1, 3])
  expect(around('e')).toEqual(['d', undefined, 2, 3])
})

test('a document has the nearest steppable files as neighbours, and no position', () => {
  expect(around('c')).toEqual(['a', 'd', -1, 3])
})

test('a file that is not listed has no neighbours', () => {
  expect(around('x')).toEqual([undefined, undefined, -1, 3])
})
