import { expect, test } from 'bun:test'
import { chooseWorks, works } from './works.ts'

const namesOf = (wanted: string[]) => chooseWorks(works, wanted).map(({ name }) => name)

test('a name selects its work, a common prefix all of its kind, and no name selects all', () => {
  expect(namesOf(['download'])).toEqual(['download'])
  expect(namesOf(['copy', 'listing'])).toEqual(['listing-10k', 'listing-100k', 'listing-100k-videos', 'copy'])
  expect(namesOf(['listing-100k'])).toEqual(['listing-100k'])
  expect(namesOf([])).toHaveLength(works.length)
})

test('an unknown name is refused', () => {
  expect(() => namesOf(['dance'])).toThrow('no work is called "dance"')
})
