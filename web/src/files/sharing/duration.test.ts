import { expect, test } from 'bun:test'
import { longestShareDuration, ShareTerms, shareUnits } from '@filestead/contract'
import { byExpiry, describeEnd, expiryOf, isTooLong } from './duration.ts'

test('a duration ends after its amount of units, and zero never ends', () => {
  expect(expiryOf({ amount: 2, unit: 'days' }, 0)).toBe(2 * 86_400)
  expect(expiryOf({ amount: 0, unit: 'hours' })).toBe(0)
})

test('links that never end come first, then the ones that end soonest', () => {
  const links = [{ expire: 30 }, { expire: 0 }, { expire: 10 }]
  expect(links.sort(byExpiry).map(({ expire }) => expire)).toEqual([0, 10, 30])
})

test.each(shareUnits)('in %s the longest duration is taken by the server, and one more is refused', (unit) => {
  const isTaken = (expires: number) => ShareTerms.safeParse({ expires, unit }).success
  expect([isTaken(longestShareDuration), isTooLong({ amount: longestShareDuration, unit })]).toEqual([true, false])
  expect([isTaken(longestShareDuration + 1), isTooLong({ amount: longestShareDuration + 1, unit })]).toEqual([
    false,
    true,
  ])
})

test.each(['hours', 'days'] as const)('the end of the longest duration in %s has no date', (unit) => {
  const end = expiryOf({ amount: longestShareDuration, unit }, 0)
  expect(describeEnd(end, 0)).toEqual({ date: null, relative: expect.stringMatching(/\d/) })
})

test('an end within the calendar has a date', () => {
  expect(describeEnd(86_400, 0).date?.toISOString()).toBe('1970-01-02T00:00:00.000Z')
})
