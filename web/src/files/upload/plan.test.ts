import { expect, test } from 'bun:test'
import type { Picked } from './picked-files.ts'
import { type Existing, findConflicts, planUpload, topFolders } from './plan.ts'

const file = (path: string, content = 'new'): Picked => ({
  kind: 'file',
  path,
  file: new File([content], path.split('/').at(-1) ?? '', { lastModified: 86_400_000 }),
})

const existing: Existing = new Map([
  ['a.txt', { size: 1, modified: '2026-01-01T00:00:00Z', isDir: false }],
  ['trip', { size: 0, modified: '2026-01-01T00:00:00Z', isDir: true }],
  ['trip/b.txt', { size: 2, modified: '2026-01-01T00:00:00Z', isDir: false }],
])

const counter = () => {
  let last = 0
  return () => {
    last += 1
    return String(last)
  }
}

test('only a file conflicts with a file', () => {
  const picked = [
    file('a.txt'),
    file('trip'),
    file('trip/b.txt'),
    file('trip/c.txt'),
    { kind: 'folder', path: 'trip' } as const,
  ]
  expect(findConflicts(picked, existing)).toEqual([
    {
      path: 'a.txt',
      isDir: false,
      origin: { size: 3, modified: '1970-01-02T00:00:00.000Z' },
      destination: { size: 1, modified: '2026-01-01T00:00:00Z' },
    },
    expect.objectContaining({ path: 'trip/b.txt' }),
  ])
})

test('each decision is applied to its file', () => {
  const picked = [file('a.txt'), file('new.txt'), file('trip/b.txt'), { kind: 'folder', path: 'trip/empty' } as const]
  const conflicts = findConflicts(picked, existing)
  const { jobs, skipped } = planUpload(picked, '/home', conflicts, ['skip', 'overwrite'], counter())
  expect(jobs).toMatchObject([
    { kind: 'file', path: '/home/new.txt', name: 'new.txt', into: '/home', override: false },
    { kind: 'file', path: '/home/trip/b.txt', name: 'b.txt', override: true },
    { kind: 'folder', path: '/home/trip/empty', name: 'empty', size: 0 },
  ])
  expect(skipped).toMatchObject([{ path: '/home/a.txt' }])
})

test('a file that is kept beside another one is sent under its new name', () => {
  const picked = [file('trip/b.txt')]
  const renamed = new Map([['trip/b.txt', 'trip/b(1).txt']])
  const { jobs } = planUpload(picked, '/home', findConflicts(picked, existing), ['rename'], counter(), renamed)
  expect(jobs).toMatchObject([{ path: '/home/trip/b(1).txt', name: 'b(1).txt', override: false }])
})

test('a path below the root has one slash', () => {
  const { jobs } = planUpload([file('a.txt')], '/', [], [], counter())
  expect(jobs).toMatchObject([{ path: '/a.txt' }])
})

test('topFolders names each outermost folder once', () => {
  expect(topFolders([file('a.txt'), file('x/1'), file('x/2'), file('y/z/3')])).toEqual(['x', 'y'])
})
