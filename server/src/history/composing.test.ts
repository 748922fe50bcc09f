import { expect, test } from 'bun:test'
import { composeFolder, stopsOf } from './composing.ts'

const file = (name: string, modified: number) => ({ name, isDir: false, modified })
const folder = (name: string, modified: number) => ({ name, isDir: true, modified })
const kept = (name: string, modified: number, keptAt: number) => ({ ...file(name, modified), keptAt })

function names(
  at: number,
  ...[present, lost]: [Parameters<typeof composeFolder>[1], Parameters<typeof composeFolder>[2]]
) {
  const composed = composeFolder(at, present, lost)
  return {
    present: composed.present.map(({ name }) => name),
    kept: composed.kept.map(({ name, keptAt }) => `${name}@${keptAt}`),
  }
}

test('a file that did not change since is there, and one that came since is not', () => {
  expect(names(100, [file('old', 50), file('new', 150)], [])).toEqual({ present: ['old'], kept: [] })
})

test('a file that was removed since is there', () => {
  expect(names(100, [], [kept('gone', 50, 120)])).toEqual({ present: [], kept: ['gone@120'] })
})

test('a file that was removed before is not', () => {
  expect(names(100, [], [kept('gone', 50, 90), kept('just', 50, 100)])).toEqual({ present: [], kept: [] })
})

test('of several contents since, the first one that was displaced was there', () => {
  const versions = [kept('a', 130, 140), kept('a', 50, 120), kept('a', 120, 130), kept('a', 10, 50)]
  expect(names(100, [file('a', 140)], versions)).toEqual({ present: [], kept: ['a@120'] })
  expect(names(125, [file('a', 140)], versions)).toEqual({ present: [], kept: ['a@130'] })
  expect(names(145, [file('a', 140)], versions)).toEqual({ present: ['a'], kept: [] })
  expect(names(30, [file('a', 140)], versions)).toEqual({ present: [], kept: ['a@50'] })
})

test('what came and went since was not there, nor does what has its name now count', () => {
  expect(names(100, [file('a', 90)], [kept('a', 110, 120)])).toEqual({ present: [], kept: [] })
})

test('a file that was removed and made again shows the removed one', () => {
  expect(names(100, [file('a', 300)], [kept('a', 20, 200)])).toEqual({ present: [], kept: ['a@200'] })
})

test('a folder is older than the last change in it', () => {
  const lost = { ...folder('gone', 150), keptAt: 160 }
  expect(names(100, [folder('there', 150)], [lost])).toEqual({ present: ['there'], kept: ['gone@160'] })
})

test('stops are before each displacement and at snapshots, one for what was removed in one go', () => {
  expect(stopsOf([5000, 5400, 6100, 20_000], [30_000, 10_000])).toEqual([30_000, 19_999, 10_000, 4999])
  expect(stopsOf([], [])).toEqual([])
})

test('at each stop there is what was displaced next', () => {
  const lost = [kept('a', 0, 5000), kept('b', 0, 5400), kept('c', 0, 20_000)]
  const seen = stopsOf([5000, 5400, 20_000], []).map((stop) => names(stop, [], lost).kept)
  expect(seen).toEqual([['c@20000'], ['a@5000', 'b@5400', 'c@20000']])
})
