import { expect, test } from 'bun:test'
import { chooseParts, chooseWorks, works } from './works.ts'

const namesOf = (wanted: string[]) => chooseWorks(works, wanted).map(({ name }) => name)

test('a name selects its work, a common prefix all of its kind, and no name selects all', () => {
  expect(namesOf(['download'])).toEqual(['download'])
  expect(namesOf(['copy', 'listing'])).toEqual([
    ...['listing-10k', 'listing-10k-again', 'listing-100k', 'listing-100k-again', 'listing-100k-videos'],
    'copy',
  ])
  expect(namesOf(['listing-100k'])).toEqual(['listing-100k'])
  expect(namesOf([])).toHaveLength(works.length)
})

test('an unknown name is refused', () => {
  expect(() => namesOf(['dance'])).toThrow('no work is called "dance"')
})

test('fairness belongs to a whole run, curves only where they are asked for, and each can be asked for alone', () => {
  const partsOf = (wanted: string[], withCurves = false) => {
    const parts = chooseParts(wanted, withCurves)
    return [parts.works.length, parts.fairness, parts.curves]
  }
  expect(partsOf([])).toEqual([works.length, true, false])
  expect(partsOf([], true)).toEqual([works.length, true, true])
  expect(partsOf(['fairness'])).toEqual([0, true, false])
  expect(partsOf(['curves'])).toEqual([0, false, true])
  expect(partsOf(['download', 'fairness'])).toEqual([1, true, false])
})
