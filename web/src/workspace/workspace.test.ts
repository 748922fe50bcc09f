import { expect, test } from 'bun:test'
import type { Entry } from '../server/queries/resources.ts'
import { enterFolder, revealWhenListed, takeRevealed, workspace } from './workspace.ts'

test('as many names as a folder may hold can be chosen at once', () => {
  const entries = Array.from(
    { length: 200_000 },
    (_, index) => ({ name: `${index}.txt`, path: `/${index}.txt` }) as Entry,
  )
  revealWhenListed(
    '/',
    entries.map(({ name }) => name),
  )
  enterFolder('/', entries)
  expect(workspace().selection.names.size).toBe(200_000)
  expect(takeRevealed()?.name).toBe('0.txt')
})

test('results of a search are told apart by their paths, and chosen under their own names', () => {
  const result = (name: string) => ({ name, path: `/Trips/${name}` }) as Entry
  enterFolder('/Trips', [result('a/x.txt'), result('b/x.txt')], { query: 'x' })
  revealWhenListed('/Trips/b', 'x.txt')
  enterFolder('/Trips', [result('a/x.txt'), result('b/x.txt')], { query: 'x' })
  expect([...workspace().selection.names]).toEqual(['b/x.txt'])
  expect(workspace().chosen.map(({ name, path }) => [name, path])).toEqual([['x.txt', '/Trips/b/x.txt']])
})

test('on a touch screen what was awaited is brought into view and not selected', () => {
  enterFolder('/', [])
  revealWhenListed('/', 'b.txt')
  enterFolder(
    '/',
    ['a.txt', 'b.txt'].map((name) => ({ name, path: `/${name}` }) as Entry),
    { isTouch: true },
  )
  expect(workspace().selection.names.size).toBe(0)
  expect(takeRevealed()?.name).toBe('b.txt')
})
