import { expect, test } from 'bun:test'
import { freePaths } from './free-names.ts'

/** A server that has these paths. */
function serverWith(...paths: string[]) {
  const asked: string[] = []
  const ask = async (folder: string, names: readonly string[]) => {
    asked.push(folder)
    return names
      .map((name) => ({ path: `${folder === '/' ? '' : folder}/${name}` }))
      .filter(({ path }) => paths.includes(path))
  }
  return { ask, asked }
}

test('the first free number is taken, and neither one that is sent nor one that was just given', async () => {
  const { ask, asked } = serverWith('/in/a(1).txt', '/in/trip/a(1).txt')
  const chosen = ['a.txt', 'a(2).txt', 'trip/a.txt', 'b']
  expect([...(await freePaths(['a.txt', 'trip/a.txt', 'b'], chosen, '/in', ask))]).toEqual([
    ['a.txt', 'a(3).txt'],
    ['trip/a.txt', 'trip/a(2).txt'],
    ['b', 'b(1)'],
  ])
  // One question for each folder.
  expect(asked).toEqual(['/in', '/in/trip'])
})

test('more names are asked for while all are taken, also in the first folder', async () => {
  const { ask } = serverWith(...Array.from({ length: 23 }, (_, index) => `/a(${index + 1})`))
  expect([...(await freePaths(['a'], ['a'], '/', ask))]).toEqual([['a', 'a(24)']])
})
